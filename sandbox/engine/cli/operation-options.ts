/** The options of `preview`, `up`, `refresh` and `destroy`. */
import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import type { DeploymentOptions } from "../deployment/deployment.ts";
import { urnMatcher } from "../urn.ts";
import type { GlobalOptions } from "./session.ts";

export type Kind = "update" | "refresh" | "destroy";

export interface OperationOptions extends GlobalOptions {
  yes?: boolean;
  skipPreview?: boolean;
  previewOnly?: boolean;
  json?: boolean;
  diff?: boolean;
  parallel?: string;
  refresh?: boolean | string;
  target: string[];
  exclude: string[];
  replace: string[];
  targetReplace: string[];
  targetDependents?: boolean;
  excludeDependents?: boolean;
  expectNoChanges?: boolean;
  continueOnError?: boolean;
  runProgram?: boolean | string;
  showSecrets?: boolean;
  showSames?: boolean;
  suppressOutputs?: boolean;
  message?: string;
  config: string[];
  configPath?: boolean;
  execKind?: string;
  client?: string;
  eventLog?: string;
  remove?: boolean;
  excludeProtected?: boolean;
  clearPendingCreates?: boolean;
  plan?: string;
  savePlan?: string;
  import?: string;
}

export function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}

export function hidden(flags: string): Option {
  return new Option(flags, "accepted, without effect").hideHelp();
}

export function commonOptions(command: Command): Command {
  command
    .option("-s, --stack <name>", "the stack")
    .option("--config-file <path>", "use this file instead of Pulumi.<stack>.yaml")
    .option("-j, --json", "print what happens as JSON")
    .option("--diff", "show every changed property")
    .option("-p, --parallel <n>", "operations at the same time")
    .option("-t, --target <urn>", "only this resource; may be repeated", collect, [])
    .option("--target-dependents", "and what depends on it")
    .option("--exclude <urn>", "all but this resource; may be repeated", collect, [])
    .option("--exclude-dependents", "and but what depends on it")
    .option("--expect-no-changes", "fail if anything would change")
    .option("--run-program [yes]", "run the program, for fresh configuration")
    .option("--show-secrets", "show secrets in the clear")
    .option("--show-sames", "show resources that do not change")
    .option("--suppress-outputs", "do not show the outputs")
    .option("-m, --message <text>", "a message for the history")
    .option("--exec-kind <kind>", "who runs this")
    .option("--client <address>", "the program is hosted at this address")
    .option("--event-log <target>", "write events to a file or to tcp://<address>");
  for (const flags of [
    "--debug",
    "--suppress-progress",
    "--suppress-permalink [value]",
    "--show-config",
    "--show-reads",
    "--show-replacement-steps",
    "--show-full-output [value]",
    "--exec-agent <agent>",
    "--policy-pack <path...>",
    "--attach-debugger [value]",
    "--config-env <name>",
  ]) {
    command.addOption(hidden(flags));
  }
  return command;
}

export function programOptions(command: Command): Command {
  return command
    .option("-r, --refresh [yes]", "read every resource first")
    .option("-c, --config <key=value>", "set configuration first; may be repeated", collect, [])
    .option("--config-path", "the keys are paths")
    .option("--replace <urn>", "replace this resource; may be repeated", collect, [])
    .option("--target-replace <urn>", "only this resource, and replace it", collect, []);
}

export function runOptions(command: Command): Command {
  return command
    .option("-y, --yes", "do not ask")
    .option("-f, --skip-preview", "no preview before")
    .option("--preview-only", "nothing but the preview")
    .option("--continue-on-error", "go on with what does not depend on a failure")
    .option("--secrets-provider <kind>", "only: passphrase", "passphrase");
}

function isOn(value: boolean | string | undefined): boolean {
  return value === true || value === "true" || value === "";
}

export function deploymentOptions(
  kind: Kind,
  options: OperationOptions,
  env: NodeJS.ProcessEnv,
  dryRun: boolean,
): DeploymentOptions {
  const runProgram = kind === "update" || isOn(options.runProgram);
  const parallel = Number(options.parallel ?? env.PULUMI_PARALLEL ?? availableParallelism() * 4);
  const targetPatterns = [...options.target, ...options.targetReplace];
  return {
    dryRun,
    parallel: Math.max(1, Number.isFinite(parallel) ? parallel : 1),
    continueOnError: options.continueOnError === true,
    refresh: kind === "refresh" || isOn(options.refresh),
    refreshOnly: kind === "refresh",
    mode:
      kind === "destroy" && runProgram ? "destroy" : kind === "refresh" && runProgram ? "refresh" : "update",
    runProgram,
    targets: urnMatcher(targetPatterns),
    targetPatterns,
    targetDependents: options.targetDependents === true,
    excludes: urnMatcher(options.exclude),
    excludeDependents: options.excludeDependents === true,
    replaceTargets: urnMatcher([...options.replace, ...options.targetReplace]),
  };
}
