/** The verbs that prepare a folder, check it, or are about the command itself. Each loads its code only when it runs. */
import { Argument, type Command, Option } from "commander";
import { print } from "../output.ts";
import type { InitFlags } from "./flags.ts";
import { helpOf } from "./help.ts";
import { addHelp } from "./layout.ts";
import {
  type CommonOptions,
  newRosterFormats,
  PLAIN,
  ROSTERS,
  type Shell,
  shells,
  withCommonOptions,
} from "./options.ts";

export function addSetupVerbs(program: Command): void {
  program.commandsGroup("Setup:");
  addInit(program);
  addDoctor(program);
  addValidate(program);
}

export function addOtherVerbs(program: Command, version: string): void {
  program.commandsGroup("Other:").helpCommand("help [command]", "Print help for a command");
  const completion = program
    .command("completion")
    .description("Print a script that completes commands, flags, and values in a shell")
    .addArgument(new Argument("<shell>", "The shell").choices(shells));
  addHelp(completion, helpOf.completion).action(async (shell: Shell) =>
    (await import("../completion/completion.ts")).completionVerb(shell, program),
  );
  const versionVerb = program.command("version").description("Print the version of this package");
  addHelp(versionVerb, helpOf.version).action(() => print(version));
}

function addInit(program: Command): void {
  const command = program
    .command("init")
    .description("Write a roster without people, and a .gitignore, in the current folder")
    .option(
      "--organization <id>",
      "Write this organization ID (default: ORGSEAT_ORGANIZATION_ID; in a terminal, the command asks)",
    )
    .addOption(
      new Option(
        "--format <format>",
        "Write the roster in this format (default: csv; in a terminal, the command asks)",
      ).choices(newRosterFormats),
    )
    .option("-y, --yes", "Use the defaults without asking")
    .option("--json", "Print only the result, as JSON, without asking");
  addHelp(command, helpOf.init).action(async (options: InitFlags) =>
    (await import("../verbs/roster/init.ts")).initVerb(options),
  );
}

function addDoctor(program: Command): void {
  const command = program
    .command("doctor")
    .description("Check the configuration and the connection, with reads and token requests only")
    .option(
      "--roster <file>",
      `Read this list of people (default: the first of ${ROSTERS.join(", ")} that exists, or none)`,
    )
    .option(
      "-s, --stack <name>",
      "Use the configuration of this stack (default: people with a roster, or the selected stack)",
    )
    .option("--json", "Print the report as JSON");
  addHelp(command, helpOf.doctor).action(async (options: Pick<CommonOptions, "roster" | "stack" | "json">) =>
    (await import("../verbs/doctor.ts")).doctorVerb(options),
  );
}

function addValidate(program: Command): void {
  const command = program
    .command("validate")
    .description("Check the roster alone, without Pulumi or the service");
  const without = ["stack", "parallel", "audit", "verbose", ...PLAIN] as const;
  addHelp(withCommonOptions(command, without), helpOf.validate).action(async (options: CommonOptions) =>
    (await import("../verbs/roster/validate.ts")).validateVerb(options),
  );
}
