/** The command `orgseat`. Every verb loads its code only when it runs. */
import { createRequire } from "node:module";
import { Command } from "commander";
import { newNameOf, refuseFormerNames } from "../../provider/config/setting-values.ts";
import { nearest } from "../../provider/util/nearest.ts";
import { type CommonOptions, ROSTERS } from "./options.ts";
import { print, printFailure, printJson, printNote } from "./output.ts";
import { addOrganizationCommands } from "./verbs.ts";

/** Runs one command line and sets `process.exitCode`. @param argv as `process.argv` */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.length <= 2) return commandLine().outputHelp();
  try {
    await commandLine().parseAsync([...argv]);
  } catch (error) {
    if (argv.includes("--json")) printJson(failureInJson(error));
    else printFailure(error);
    process.exitCode = 1;
  }
}

/** Ends the process after an error that nothing caught: Node's own message would go past the filter of the output. */
export function endWith(error: Error): never {
  printNote(error.stack ?? String(error));
  process.exit(1);
}

/** The form of `--json` for a command that could not start. */
function failureInJson(error: unknown) {
  const issues = error instanceof Error && "issues" in error ? error.issues : [];
  return { status: "failed", error: error instanceof Error ? error.message : String(error), issues };
}

/** All verbs with their flags. */
export function commandLine(): Command {
  const program = new Command("orgseat")
    .version(versionOf(), "-V, --version", "the version of this package")
    .description(
      "Manages the members, seats and tokens of an organization from a list of people, with Pulumi: previews every change of the list, applies exactly the previewed plan, and refuses a plan that looks like an accident.",
    )
    .option("-C, --cwd <folder>", "run in this folder")
    .hook("preAction", (command) => {
      const { cwd } = command.opts<{ cwd?: string }>();
      if (cwd !== undefined) enter(cwd);
    })
    .addHelpText("after", EXAMPLES)
    .configureOutput({
      writeOut: (text) => print(text.replace(/\n$/, "")),
      writeErr: (text) => printNote(text.replace(/\n$/, "")),
      outputError: (text, write) => write(withNewName(text)),
    })
    .showHelpAfterError("(orgseat --help lists all verbs)")
    .hook("preAction", (_, command) => {
      // The doctor reports them with everything else.
      if (command.name() !== "doctor") refuseFormerNames(process.env);
    })
    .on("command:*", ([verb = ""]: string[]) => program.error(unknownVerb(verb, program)));
  addOrganizationCommands(program);
  program
    .command("doctor")
    .description("check the configuration and the connection, with reads and token requests only")
    .option(
      "--roster <file>",
      `the list of people; default: the first of ${ROSTERS.join(", ")} that exists, or none`,
    )
    .option(
      "--stack <name>",
      "the stack whose configuration to use; default: people with a roster, else the selected stack",
    )
    .option("--json", "print the report as JSON")
    .action(async (options: Pick<CommonOptions, "roster" | "stack" | "json">) =>
      (await import("./verbs/doctor.ts")).doctorVerb(options),
    );
  program
    .command("version")
    .description("print the version of this package")
    .action(() => print(versionOf()));
  return program;
}

function enter(folder: string): void {
  try {
    process.chdir(folder);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `cannot run in ${folder}: ${reason.replace(/^(\w+: [^,]*).*$/s, "$1")}. Pass an existing folder to --cwd`,
    );
  }
}

/** Verbs of similar tools, with the verb of this one. */
const synonyms: Readonly<Record<string, string>> = {
  apply: "up",
  plan: "preview",
  diff: "preview",
  remove: "offboard",
  delete: "offboard",
  import: "adopt",
  ls: "list",
  get: "show",
  check: "validate",
};

function unknownVerb(verb: string, { commands }: Command): string {
  const verbs = commands.map((command) => command.name());
  const meant = synonyms[verb] ?? nearest(verb, verbs);
  return `error: unknown command \`${verb}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`;
}

/** The error for an unknown flag, with the new name of a former one. */
function withNewName(error: string): string {
  const flag = /^error: unknown option '(--[\w-]+)/.exec(error)?.[1] ?? "";
  const newName = newNameOf(flag);
  return newName === undefined ? error : `error: ${flag} is now ${newName}: pass ${newName}\n`;
}

function versionOf(): string {
  const { version }: { version: string } = createRequire(import.meta.url)("orgseat/package.json");
  return version;
}

const EXAMPLES = `
Examples:
  orgseat preview                     show the changes: additions, removals, renewals; writes nothing
  orgseat up                          apply exactly these changes
  orgseat offboard bob@acme.example   revoke Bob's token immediately, then remove seat and membership
  orgseat report --html report.html   seats, tokens by days left, joiners and leavers

Exit codes: 0 succeeded, or no changes; 1 failed or cancelled; 2 changes (preview --exit-code); 3 blocked by a guard.`;
