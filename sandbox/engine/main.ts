/** The stand-in's `pulumi` command. Imported by bin/pulumi. */
import { runCli } from "./cli/program.ts";

/** Runs one command with this process's arguments and ends the process with its exit code. */
export async function main(): Promise<void> {
  const streams = {
    out: (text: string) => void process.stdout.write(text),
    err: (text: string) => void process.stderr.write(text),
  };
  const code = await runCli(process.argv.slice(2), process.env, streams);
  // What was printed has to arrive first; connections that linger must not hold the process.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}
