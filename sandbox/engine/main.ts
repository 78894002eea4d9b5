/** The emulator's `pulumi` command. Imported by bin/pulumi. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { runCli } from "./cli/program.ts";
import type { Terminal } from "./cli/session.ts";
import { UserError } from "./errors.ts";

const { stdin, stdout, stderr } = process;

/** Runs one command with this process's arguments and ends the process with its exit code. */
export async function main(platform: NodeJS.Platform = process.platform): Promise<void> {
  if (platform === "win32") {
    stderr.write("error: the Pulumi emulator does not run on Windows: install the Pulumi CLI, or use WSL\n");
    process.exitCode = 1;
    return;
  }
  const streams = {
    out: (text: string) => void stdout.write(text),
    err: (text: string) => void stderr.write(text),
    ...(stdin.isTTY && stdout.isTTY && process.env.TERM !== "dumb" && { terminal }),
  };
  const code = await runCli(process.argv.slice(2), process.env, streams);
  // After all output is written; open connections must not keep the process running.
  stdout.write("", () => stderr.write("", () => process.exit(code)));
}

const terminal: Terminal = {
  ask: async (question, hidden = false) => {
    let silent = false;
    const output = new Writable({
      // Unbuffered, so that the question is shown and a hidden answer is not.
      write: (chunk, _, done) => {
        if (!silent) stdout.write(chunk);
        done();
      },
    });
    const lines = createInterface({ input: stdin, output, terminal: true });
    const interrupted = new Promise<never>((_, reject) => {
      lines.once("SIGINT", () => reject(new UserError("the question was interrupted: nothing was done")));
    });
    try {
      const answer = lines.question(question);
      silent = hidden;
      return await Promise.race([answer, interrupted]);
    } finally {
      if (hidden) stdout.write("\n");
      lines.close();
    }
  },
};
