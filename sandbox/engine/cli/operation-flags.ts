/** The flags of `preview`, `up`, `refresh` and `destroy`: which command has which, and which are refused. */
import { type Command, Option } from "commander";
import {
  collect,
  configFileFlag,
  type Refusals,
  refuseFlags,
  stackFlag,
  truth,
  wholeNumber,
  yesFlag,
} from "./flags.ts";
import type { GlobalOptions } from "./session.ts";

export interface OperationOptions extends GlobalOptions {
  yes?: boolean;
  skipPreview?: boolean;
  previewOnly?: boolean;
  json?: boolean;
  diff?: boolean;
  debug?: boolean;
  parallel?: number;
  refresh?: boolean;
  target: string[];
  exclude: string[];
  replace: string[];
  targetReplace: string[];
  targetDependents?: boolean;
  excludeDependents?: boolean;
  excludeProtected?: boolean;
  ignoreProtect?: boolean;
  expectNoChanges?: boolean;
  continueOnError?: boolean;
  runProgram?: boolean;
  skipConfigValidation?: boolean;
  showConfig?: boolean;
  showFullOutput?: boolean;
  showReads?: boolean;
  showReplacementSteps?: boolean;
  showSames?: boolean;
  showSecrets?: boolean;
  suppressOutputs?: boolean;
  suppressPermalink?: string | boolean;
  suppressProgress?: boolean;
  urns?: boolean;
  message?: string;
  config: string[];
  configPath?: boolean;
  execKind?: string;
  execAgent?: string;
  client?: string;
  eventLog?: string;
  remove?: boolean;
  clearPendingCreates?: boolean;
}

export const noLists = { target: [], exclude: [], replace: [], targetReplace: [], config: [] };

const neo = "Neo belongs to Pulumi Cloud";
const plans = "update plans need the real Pulumi CLI; `pulumi preview` says what an update would do";
const policies = "policies run in the real Pulumi CLI only";
const remote = "deployments belong to Pulumi Cloud";

const refused: Refusals = {
  "--attach-debugger": "put `nodeargs: --inspect-brk` among the runtime options of Pulumi.yaml",
  "--copilot": neo,
  "--import-file": "dynamic resources cannot be imported",
  "--import-pending-creates": "dynamic resources cannot be imported; --clear-pending-creates forgets them",
  "--neo": neo,
  "--neo-task-on-failure": neo,
  "--output": "--json prints what happens as JSON",
  "--override-env": "environments belong to Pulumi Cloud",
  "--plan": plans,
  "--policy-pack": policies,
  "--policy-pack-config": policies,
  "--remote": remote,
  "--save-plan": plans,
  "--secrets-provider": "it is for new stacks: `pulumi stack init` takes it",
  "--show-policy-remediations": policies,
  "--skip-pending-creates":
    "it asks nothing about creations that were interrupted; without the flag they stay",
  "--skip-plugin-pre-install": "it installs no plugins, neither before nor during an operation",
  "--strict": plans,
};

/** What all four have. */
export function commonFlags(command: Command): Command {
  command
    .option(...stackFlag)
    .option("-m, --message <text>", "a message for the history")
    .option("-c, --config <key=value>", "set configuration first, and keep it; may be repeated", collect)
    .option("--config-path", "the keys of --config are paths into objects and lists")
    .option(...configFileFlag)
    .option("-p, --parallel <n>", "how many operations at the same time", wholeNumber)
    .option("-t, --target <urn>", "only this resource; * and ** match any; may be repeated", collect)
    .option("--target-dependents", "and what depends on the targets")
    .addOption(
      new Option("-x, --exclude <urn>", "all but this resource; may be repeated")
        .argParser(collect)
        .conflicts("target"),
    )
    .option("--exclude-dependents", "and not what depends on those")
    .option("--run-program", "run the program, so that providers have today's configuration")
    .option("--skip-config-validation", "do not hold the configuration against what Pulumi.yaml declares")
    .option("-j, --json", "print what happens as JSON")
    .option("--diff", "show each property with its old and its new value")
    .option("-d, --debug", "show what Pulumi's library reports for debugging")
    .option("--urns", "show URNs instead of names")
    .option("--show-replacement-steps", "show both halves of a replacement in --diff and --json")
    .option("--show-sames", "show resources that do not change")
    .option("--suppress-outputs", "do not show what the program exports")
    .option("--suppress-progress", "no sign of life while nothing happens")
    .option("--suppress-permalink [yes]", "false shows where the state lies")
    .option("--event-log <target>", "write events to a file, or to tcp://<address>");
  for (const [flags, description] of [
    ["--exec-kind <kind>", "who runs this: cli, auto.local or auto.inline"],
    ["--exec-agent <agent>", "a name that the history keeps"],
    ["--client <address>", "the program is hosted at this address"],
  ] as const)
    command.addOption(new Option(flags, description).helpGroup("Flags of the Automation API:"));
  return command;
}

/** Of what runs the program to update. */
export function programFlags(command: Command): Command {
  return command
    .option("-r, --refresh", "read every resource first")
    .option("--replace <urn>", "replace this resource; may be repeated", collect)
    .option("--target-replace <urn>", "only this resource, and replace it", collect)
    .option("--ignore-protect", "delete and replace protected resources too")
    .option("--show-config", "show the configuration first")
    .option("--show-full-output", "show long values whole")
    .option("--show-reads", "show resources that are only read")
    .option("--show-secrets", "show secrets in the clear")
    .option("--expect-no-changes", "fail if anything changes");
}

/** Of what changes something. */
export function runFlags(command: Command): Command {
  return command.option(...yesFlag).option("-f, --skip-preview", "no preview first");
}

export function previewOnlyFlag(command: Command): Command {
  return command.option("--preview-only", "nothing but the preview");
}

/** To be called last: a flag that the command has is not refused. */
export function refuseOthers(command: Command): Command {
  refuseFlags(command, refused);
  return command;
}

/** A switch that a variable of the environment turns on where the command line does not say. */
export function switched(value: boolean | undefined, variable: string | undefined): boolean {
  return value ?? truth(variable ?? "") ?? false;
}
