/** The flags of `preview`, `up`, `refresh` and `destroy`: which command has which. */
import { type Command, Option } from "commander";
import { collect, configFileFlag, parseInteger, stackFlag, truth, yesFlag } from "./flags.ts";
import type { GlobalOptions } from "./session.ts";

export interface OperationOptions extends GlobalOptions {
  yes?: boolean;
  skipPreview?: boolean;
  previewOnly?: boolean;
  parallel?: number;
  refresh?: boolean;
  target: string[];
  exclude: string[];
  replace: string[];
  targetReplace: string[];
  targetDependents?: boolean;
  excludeProtected?: boolean;
  expectNoChanges?: boolean;
  continueOnError?: boolean;
  runProgram?: boolean;
  suppressOutputs?: boolean;
  suppressProgress?: boolean;
  message?: string;
  config: string[];
  execKind?: string;
  execAgent?: string;
  client?: string;
  eventLog?: string;
  clearPendingCreates?: boolean;
}

export const noLists = { target: [], exclude: [], replace: [], targetReplace: [], config: [] };

/** Flags of all four commands. */
export function commonFlags(command: Command): Command {
  command
    .option(...stackFlag)
    .option("-m, --message <text>", "a message for the history")
    .option("-c, --config <key=value>", "set configuration first, and keep it; may be repeated", collect)
    .option(...configFileFlag)
    .option("-p, --parallel <n>", "how many operations at the same time", parseInteger)
    .option("-t, --target <urn>", "only this resource; * and ** match any; may be repeated", collect)
    .option("--target-dependents", "also what depends on the targets")
    .addOption(
      new Option("-x, --exclude <urn>", "all but this resource; may be repeated")
        .argParser(collect)
        .conflicts("target"),
    )
    .option("--run-program", "run the program, so that providers get the current configuration")
    .option("--suppress-outputs", "do not show what the program exports")
    .option("--suppress-progress", "print nothing while the operation waits")
    .option("--event-log <target>", "write events to a file, or to tcp://<address>");
  for (const [flags, description] of [
    ["--exec-kind <kind>", "what runs the command: cli, auto.local or auto.inline"],
    ["--exec-agent <agent>", "a name for the history"],
    ["--client <address>", "the program runs at this address"],
  ] as const)
    command.addOption(new Option(flags, description).helpGroup("Flags of the Automation API:"));
  return command;
}

/** Flags of the commands that run the program to update. */
export function programFlags(command: Command): Command {
  return command
    .option("-r, --refresh", "read every resource first")
    .option("--replace <urn>", "replace this resource; may be repeated", collect)
    .option("--target-replace <urn>", "only this resource, and replace it", collect)
    .option("--expect-no-changes", "fail if anything changes");
}

/** Flags of the commands that change something. */
export function runFlags(command: Command): Command {
  return command.option(...yesFlag).option("-f, --skip-preview", "no preview first");
}

/** The value of a switch; where the command line does not set it, a variable of the environment does. */
export function switched(value: boolean | undefined, variable: string | undefined): boolean {
  return value ?? truth(variable ?? "") ?? false;
}
