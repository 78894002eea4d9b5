/** The command `orgseat`. Every verb loads its code only when it runs. */

import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { CodedError, codeOf } from "../../provider/util/error-codes.ts";
import { nearest } from "../../provider/util/nearest.ts";
import { absolutePaths } from "../../provider/util/pulumi-command.ts";
import { messageOf } from "../../provider/util/text.ts";
import { addSecretsOfEnvironment } from "../engine/masked.ts";
import type { TakenVariables } from "../stacks/variables.ts";
import { helpOf } from "./line/help.ts";
import { addHelp, helpForm } from "./line/layout.ts";
import { hideExpertOptions } from "./line/options.ts";
import { addList, addReport, addToken } from "./line/read-verbs.ts";
import {
  addAdopt,
  addDestroy,
  addOffboard,
  addPreview,
  addRenew,
  addRotate,
  addUp,
} from "./line/run-verbs.ts";
import { addAdd, addDoctor, addInit, addReclaim, addRemove } from "./line/setup-verbs.ts";
import { failureText, print, printFailure, printJson, printNote, secrets } from "./output.ts";

/** Runs one command line and sets `process.exitCode`. @param argv as `process.argv` */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.length <= 2) return commandLine().outputHelp();
  const isWhole = argv[2] === "help" && argv.includes("--all");
  if (isWhole && argv.length === 4) return wholeHelp();
  try {
    await commandLine(isWhole).parseAsync(argv.filter((word) => !isWhole || word !== "--all"));
  } catch (error) {
    if (argv.includes("--json")) printJson(failureInJson(error));
    else printFailure(error);
    process.exitCode ||= 1;
  }
}

/** The help of all verbs, with the flags of experts. */
function wholeHelp(): void {
  const line = commandLine(true);
  for (const command of [line, ...line.commands]) {
    if (command !== line) print("");
    command.outputHelp();
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

/** The verbs of every day, those that begin, and the others. */
const groups: Readonly<Record<string, readonly ((program: Command) => void)[]>> = {
  "Everyday:": [addPreview, addUp, addOffboard, addRotate, addList],
  "Setup:": [addInit, addAdopt, addDoctor],
  "More:": [...[addAdd, addRemove, addReclaim, addRenew, addToken, addReport, addDestroy]],
};

/** All verbs with their flags. @param showsExpert whether the help has the flags of experts too */
export function commandLine(showsExpert = false): Command {
  const program = new Command("orgseat")
    .version(versionOf(), "-V, --version", "Print the version of this package")
    .helpOption("-h, --help", "Print this help")
    .description(
      "Manage the members, seats, and tokens of an organization from a list of people, with Pulumi: preview every change of the list, apply exactly the previewed plan, and refuse a plan that looks like an accident.",
    )
    .option("-C, --cwd <folder>", "Run in this folder")
    .option("--no-env-file", "Do not read orgseat.env next to the roster")
    .hook("preAction", async (command, verb) => {
      const { cwd, envFile } = command.opts<{ cwd?: string; envFile: boolean }>();
      if (cwd !== undefined) enter(cwd);
      if (envFile) verb.setOptionValue("taken", await loadBeside(verb.opts<{ roster?: string }>().roster));
    })
    .configureHelp(helpForm)
    .configureOutput({
      writeOut: (text) => print(text.replace(/\n$/, "")),
      writeErr: (text) => printNote(text.replace(/\n$/, "")),
      outputError: (text, write) => write(`${failureText(wrongLine(text))}\n`),
    })
    .showHelpAfterError("(orgseat --help lists all commands)")
    .on("command:*", ([verb = ""]: string[]) => program.error(unknownVerb(verb, program)));
  for (const [heading, verbs] of Object.entries(groups)) {
    program.commandsGroup(heading);
    for (const add of verbs) add(program);
  }
  program.helpCommand("help [command]", "Print help for a command, or all; --all adds expert flags");
  hideExpertOptions(program.commands, !showsExpert);
  for (const command of [program, ...program.commands]) addHelp(command, helpOf[command.name()]);
  return program;
}

/** An error of commander, which begins in its own way. */
function wrongLine(text: string): CodedError {
  return new CodedError("invalid-flag", text.replace(/^error: /, "").trimEnd());
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

/** The variables beside the roster of the verb, which are hidden like those of the environment. */
async function loadBeside(roster = "people"): Promise<TakenVariables | undefined> {
  const { loadVariables } = await import("../stacks/variables.ts");
  const taken = loadVariables(dirname(resolve(roster)), process.env);
  addSecretsOfEnvironment(secrets, process.env);
  return taken;
}

/** Verbs of similar tools, with the verb of this one. */
const synonyms: Readonly<Record<string, string>> = {
  new: "init",
  create: "init",
  apply: "up",
  plan: "preview",
  diff: "preview",
  delete: "offboard",
  import: "adopt",
  ls: "list",
  get: "list",
  show: "list",
  check: "preview",
  validate: "preview",
};

function unknownVerb(verb: string, { commands }: Command): string {
  const verbs = commands.map((command) => command.name());
  const meant = synonyms[verb] ?? nearest(verb, verbs);
  return `unknown command \`${verb}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`;
}

function versionOf(): string {
  const { version }: { version: string } = createRequire(import.meta.url)("orgseat/package.json");
  return version;
}
