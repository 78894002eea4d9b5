/** The command `orgseat`. Every verb loads its code only when it runs. */

import { createRequire } from "node:module";
import { Command } from "commander";
import { CodedError, codeOf } from "../../provider/util/error-codes.ts";
import { nearest } from "../../provider/util/nearest.ts";
import { absolutePaths } from "../../provider/util/pulumi-command.ts";
import { messageOf } from "../../provider/util/text.ts";
import { helpOf } from "./line/help.ts";
import { addHelp } from "./line/layout.ts";
import { addReadVerbs } from "./line/read-verbs.ts";
import { addRunVerbs } from "./line/run-verbs.ts";
import { addOtherVerbs, addSetupVerbs } from "./line/setup-verbs.ts";
import { print, printFailure, printJson, printNote } from "./output.ts";

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
  const text = messageOf(error);
  return { status: "failed", error: text, code: codeOf(error) ?? null, issues };
}

/** All verbs with their flags. */
export function commandLine(): Command {
  const program = new Command("orgseat")
    .version(versionOf(), "-V, --version", "Print the version of this package")
    .helpOption("-h, --help", "Print this help")
    .description(
      "Manage the members, seats, and tokens of an organization from a list of people, with Pulumi: preview every change of the list, apply exactly the previewed plan, and refuse a plan that looks like an accident.",
    )
    .option("-C, --cwd <folder>", "Run in this folder")
    .hook("preAction", (command) => {
      const { cwd } = command.opts<{ cwd?: string }>();
      if (cwd !== undefined) enter(cwd);
    })
    .configureOutput({
      writeOut: (text) => print(text.replace(/\n$/, "")),
      writeErr: (text) => printNote(text.replace(/\n$/, "")),
    })
    .showHelpAfterError("(orgseat --help lists all commands)")
    .on("command:*", ([verb = ""]: string[]) => program.error(unknownVerb(verb, program)));
  addHelp(program, helpOf.orgseat);
  addSetupVerbs(program);
  addRunVerbs(program);
  addReadVerbs(program);
  addOtherVerbs(program, versionOf());
  return program;
}

function enter(folder: string): void {
  // Paths in variables are those of the folder where the command was started.
  Object.assign(process.env, absolutePaths(process.env));
  try {
    process.chdir(folder);
  } catch (error) {
    const reason = messageOf(error);
    throw new CodedError(
      "invalid-flag",
      `cannot run in ${folder}: ${reason.replace(/^(\w+: [^,]*).*$/s, "$1")}. Pass an existing folder to --cwd`,
    );
  }
}

/** Verbs of similar tools, with the verb of this one. */
const synonyms: Readonly<Record<string, string>> = {
  new: "init",
  create: "init",
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

function versionOf(): string {
  const { version }: { version: string } = createRequire(import.meta.url)("orgseat/package.json");
  return version;
}
