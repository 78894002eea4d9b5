/** The command line: what is understood of Pulumi's own. */
import { Command, CommanderError, Option } from "commander";
import { exitCodes, messageOf, UserError } from "../errors.ts";
import { addConfigCommands } from "./config.ts";
import { addGeneralCommands, standInVersion } from "./general.ts";
import { addOperationCommands } from "./operations.ts";
import { type Act, Session, type Streams } from "./session.ts";
import { addStackCommands } from "./stack.ts";

function globalOptions(program: Command): void {
  program
    .option("-C, --cwd <folder>", "run as if started in this folder")
    .option("--non-interactive", "never ask")
    .option("--color <when>", "always, never, raw or auto", "auto")
    .option("-e, --emoji", "accepted, without effect");
  for (const flags of [
    "--logtostderr",
    "--logflow",
    "-v, --verbose <level>",
    "--tracing <target>",
    "--otel-traces <target>",
    "--profiling <name>",
    "--memprofilerate <rate>",
    "--disable-integrity-checking",
    "--fully-qualify-stack-names",
  ]) {
    program.addOption(new Option(flags, "accepted, without effect").hideHelp());
  }
}

function buildProgram(env: NodeJS.ProcessEnv, streams: Streams): Command {
  const program = new Command("pulumi")
    .description(
      "A stand-in for the Pulumi CLI, for trying and testing: it runs Node programs with dynamic resources on a file backend.",
    )
    .version(standInVersion, "--version", "print the version")
    .exitOverride()
    .configureOutput({ writeOut: streams.out, writeErr: streams.err })
    .showSuggestionAfterError();
  globalOptions(program);
  const act: Act =
    (action) =>
    async (...all) => {
      const command = all.at(-1);
      if (!(command instanceof Command)) throw new Error("an action was called without its command");
      const options = command.optsWithGlobals();
      await action(new Session(options, env, streams), options as never, command.args);
    };
  addGeneralCommands(program, act);
  addStackCommands(program, act);
  addConfigCommands(program, act);
  addOperationCommands(program, act);
  return program;
}

/** Runs the command line and returns the exit code. */
export async function runCli(args: string[], env: NodeJS.ProcessEnv, streams: Streams): Promise<number> {
  try {
    await buildProgram(env, streams).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.error;
    const expected = error instanceof UserError;
    // A message of its own line by line; anything unexpected with its stack, to find the fault.
    if (messageOf(error) !== "") {
      const text = expected || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
      streams.err(`error: ${text}\n`);
    }
    return expected ? error.exitCode : exitCodes.internal;
  }
}
