/** The command line: the part of the Pulumi CLI's that the emulator has. */
import { userInfo } from "node:os";
import { Command, CommanderError } from "commander";
import { breakLocks } from "../backend/locks.ts";
import { engineVersion } from "../deployment/checkpoint.ts";
import { messageOf, pulumiExitCodes, UserError } from "../errors.ts";
import { addConfigCommands } from "./config.ts";
import { addGlobalFlags, jsonFlag, readArguments, stackFlag, yesFlag } from "./flags.ts";
import { addOperationCommands } from "./operations.ts";
import { addRefusedCommands, flagRefusal } from "./refused.ts";
import { type ActionWrapper, type GlobalOptions, Session, type Streams } from "./session.ts";
import { addStackCommands } from "./stack/stack.ts";
import { addStateCommands } from "./stack/state.ts";

/** What `version` prints: the CLI whose behavior the emulator follows, marked as another one. */
const emulatorVersion = `${engineVersion}-orgseat`;

/** All commands. `off` names the switches that the command line sets to false. */
export function buildProgram(env: NodeJS.ProcessEnv, streams: Streams, off: ReadonlySet<string>): Command {
  const program = new Command("pulumi")
    .description(
      "An emulator of the Pulumi CLI, for trying and testing: it runs Node programs with dynamic resources on a file backend.",
    )
    .version(emulatorVersion, "--version", "print the version")
    .exitOverride()
    .enablePositionalOptions()
    .helpCommand("help [command]", "show what a command does, and its flags")
    .helpOption("-h, --help", "show what it does, and its flags")
    .configureOutput({ writeOut: streams.out, outputError: () => {} });
  const act: ActionWrapper =
    (action) =>
    async (...all) => {
      const command = all.at(-1);
      if (!(command instanceof Command)) throw new Error("an action was called without its command");
      refuseUnknownCommand(command);
      refuseForeign(command);
      const given = { ...command.optsWithGlobals() };
      for (const name of off) given[name] = false;
      const session = new Session(given, env, streams);
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
  const groups = groupsOf(program);
  addRefusedCommands(program);
  addGlobalFlags(program);
  for (const group of groups) {
    group.allowExcessArguments();
    if (group.name() !== "config") showHelp(group);
  }
  return program;
}

interface CancelOptions extends GlobalOptions {
  yes?: boolean;
}

/** Commands about the tool itself and the backend. */
function addGeneralCommands(program: Command, act: ActionWrapper): void {
  program
    .command("version")
    .description("print the version")
    .action(act((session) => session.line(emulatorVersion)));
  program
    .command("whoami")
    .description("print the user of the backend")
    .option(...jsonFlag)
    .action(act<GlobalOptions & { json?: boolean }>(printUser));
  program
    .command("cancel [stack]")
    .description("delete the stack's locks, after an update was killed")
    .option(...stackFlag)
    .option(...yesFlag)
    .action(act<CancelOptions>(cancel));
}

function printUser(session: Session, { json }: { json?: boolean }): void {
  const { username: user } = userInfo();
  session.line(json ? JSON.stringify({ user, url: session.backendUrl }, null, 2) : user);
}

async function cancel(session: Session, { yes }: CancelOptions, [named]: string[]): Promise<void> {
  const name = session.stack(named);
  if (!yes && session.interactive) {
    const warning = `This will irreversibly cancel the currently running update for '${name.stack}'!`;
    await session.confirm(warning, name.stack);
  }
  breakLocks(session.backend, name, session.warn);
  session.line(`The currently running update for '${name.stack}' has been canceled!`);
}

/** The commands that have subcommands, the program first. */
function groupsOf(command: Command): Command[] {
  return command.commands.length > 0 ? [command, ...command.commands.flatMap(groupsOf)] : [];
}

/** A group of commands without its own action prints its help and fails, as the Pulumi CLI does. */
function showHelp(group: Command): void {
  group.action(() => {
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
  const path = pathOf(group);
  throw new UserError(`unknown command "${word}" for "${path}"\nRun '${path} --help' for usage.`);
}

/** Refuses a flag before the subcommand that the subcommand does not have: no flag is ignored. */
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

/** The message about an invalid command line, in the words of the Pulumi CLI if it has some. */
function usageError({ code, message }: CommanderError): string {
  const text = message.replace(/^error: /, "");
  const quoted = /'([^']+)'/.exec(text)?.[1] ?? "";
  if (code === "commander.unknownOption") {
    const refused = flagRefusal(quoted);
    if (refused) return refused.message;
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
      return pulumiExitCodes.error;
    }
    const expected = error instanceof UserError;
    // An unexpected error is printed with its stack.
    if (messageOf(error) !== "") {
      const text = expected || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
      streams.err(`error: ${text}\n`);
    }
    return expected ? error.exitCode : pulumiExitCodes.internal;
  }
}
