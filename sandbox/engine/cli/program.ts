/** The command line: what is understood of Pulumi's own. */
import { Command, CommanderError } from "commander";
import { exitCodes, messageOf, UserError } from "../errors.ts";
import { addAboutCommand } from "./about.ts";
import { addConfigCommands } from "./config.ts";
import { addGlobalFlags, optionsFromEnvironment, readArguments } from "./flags.ts";
import { addGeneralCommands, standInVersion } from "./general.ts";
import { addOperationCommands } from "./operations.ts";
import { addRefusedCommands } from "./refused.ts";
import { type Action, Session, type Streams } from "./session.ts";
import { addStackCommands } from "./stack.ts";
import { addStateCommands } from "./state.ts";

/** Everything the command line understands. `off` will name the switches that are turned off in so many words. */
export function buildProgram(env: NodeJS.ProcessEnv, streams: Streams, off: ReadonlySet<string>): Command {
  const program = new Command("pulumi")
    .description(
      "A stand-in for the Pulumi CLI, for trying and testing: it runs Node programs with dynamic resources on a file backend.",
    )
    .version(standInVersion, "--version", "print the version")
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand(false)
    .helpOption("-h, --help", "show what it does, and its flags")
    .configureOutput({ writeOut: streams.out, outputError: () => {} });
  const act: Action =
    (action) =>
    async (...all) => {
      const command = all.at(-1);
      if (!(command instanceof Command)) throw new Error("an action was called without its command");
      refuseUnknownCommand(command);
      refuseForeign(command);
      optionsFromEnvironment(command, env);
      const given = { ...command.optsWithGlobals() };
      for (const name of off) given[name] = false;
      const session = new Session(given, env, streams, givenFlags(command));
      await action(session, given as never, command.args);
    };
  program.commandsGroup("Stack commands:");
  addStackCommands(program, act);
  addConfigCommands(program, act);
  addStateCommands(program, act);
  program.commandsGroup("Deployment commands:");
  addOperationCommands(program, act);
  program.commandsGroup("Other commands:");
  addGeneralCommands(program, act);
  addAboutCommand(program, act);
  addHelpCommand(program);
  addRefusedCommands(program);
  addGlobalFlags(program);
  showHelp(program);
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    group.allowExcessArguments();
    if (group.name() === "state") showHelp(group);
  }
  return program;
}

function addHelpCommand(program: Command): void {
  program
    .command("help [command...]")
    .description("show what a command does, and its flags")
    .action((words: string[]) => {
      let command = program;
      for (const word of words) {
        const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
        if (!child) throw new UserError(`Unknown help topic: ${words.join(" ")}`);
        command = child;
      }
      command.outputHelp();
    });
}

/** A group of commands that does nothing by itself shows what there is, and fails, as Pulumi's own. */
function showHelp(group: Command): void {
  group.allowExcessArguments().action(() => {
    refuseUnknownCommand(group);
    group.outputHelp();
    throw new UserError("");
  });
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function refuseUnknownCommand(group: Command): void {
  const [word] = group.args;
  if (group.commands.length === 0 || word === undefined) return;
  const root = group.parent ?? group;
  const meant = [root, ...root.commands]
    .flatMap(({ commands }) => commands)
    .filter((command) => command.name() === word || command.aliases().includes(word))
    .map((command) => `\t${pathOf(command)}\n`);
  const suggestion = meant.length > 0 ? `\n\nDid you mean this?\n${meant.join("")}` : "";
  throw new UserError(
    `unknown command "${word}" for "${pathOf(group)}"${suggestion}\nRun '${pathOf(group)} --help' for usage.`,
  );
}

/** A flag before the subcommand has to be one of the subcommand: nothing is ignored. */
function refuseForeign(command: Command): void {
  const own = new Set(command.options.map((option) => option.attributeName()));
  for (let parent = command.parent; parent; parent = parent.parent) {
    for (const option of parent.options) {
      const key = option.attributeName();
      if (parent.getOptionValueSource(key) === "cli" && !own.has(key))
        throw new UserError(`unknown flag: ${option.long}`);
    }
  }
}

/** The names of the flags on the command line: the history keeps them. */
function givenFlags(command: Command): Map<string, "true" | "set"> {
  const flags = new Map<string, "true" | "set">();
  for (let one: Command | null = command; one; one = one.parent) {
    for (const option of one.options) {
      if (one.getOptionValueSource(option.attributeName()) !== "cli") continue;
      flags.set(option.name(), option.isBoolean() ? "true" : "set");
    }
  }
  return flags;
}

/** What is wrong with a command line, in the words of Pulumi's own where it has some. */
function usageError({ code, message }: CommanderError): string {
  const text = message.replace(/^error: /, "");
  const quoted = /'([^']+)'/.exec(text)?.[1] ?? "";
  if (code === "commander.unknownOption") {
    return quoted.startsWith("--") || quoted.length < 2
      ? `unknown flag: ${quoted}`
      : `unknown shorthand flag: '${quoted.slice(1, 2)}' in ${quoted}`;
  }
  if (code === "commander.optionMissingArgument") return `flag needs an argument: ${quoted}`;
  return text;
}

/** Runs the command line and returns the exit code. */
export async function runCli(given: string[], env: NodeJS.ProcessEnv, streams: Streams): Promise<number> {
  const off = new Set<string>();
  const program = buildProgram(env, streams, off);
  try {
    await program.parseAsync(readArguments(given, program, off), { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      streams.err(`error: ${usageError(error)}\n`);
      return exitCodes.error;
    }
    const expected = error instanceof UserError;
    // A message of its own line by line; anything unexpected with its stack, to find the fault.
    if (messageOf(error) !== "") {
      const text = expected || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
      streams.err(`error: ${text}\n`);
    }
    return expected ? error.exitCode : exitCodes.internal;
  }
}
