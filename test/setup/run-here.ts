/** Runs a command of the emulator in the test's own process, which spares the start of one. */
import { runCli } from "../../sandbox/engine/cli/program.ts";
import type { Streams } from "../../sandbox/engine/cli/session.ts";

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
  /** Both streams, in the order they came. */
  output: string;
}

/** @param terminal where someone can be asked */
export async function runHere(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal?: Streams["terminal"],
): Promise<CommandResult> {
  const said = { stdout: "", stderr: "", output: "" };
  const hear = (stream: "stdout" | "stderr") => (text: string) => {
    said[stream] += text;
    said.output += text;
  };
  const streams = { out: hear("stdout"), err: hear("stderr"), ...(terminal && { terminal }) };
  return { code: await runCli([...args], environment, streams), ...said };
}
