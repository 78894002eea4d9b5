/** The command as a process with a person in front of it: its streams say that they are a terminal. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { packageRoot } from "../../../sandbox/start/package-root.ts";
import { temporaryFile } from "../../setup/temporary.ts";

const PROGRAM = `
import { WriteStream } from "node:tty";
const { clearLine, cursorTo, moveCursor } = WriteStream.prototype;
Object.assign(process.stderr, { columns: 80, clearLine, cursorTo, moveCursor });
for (const stream of [process.stdin, process.stdout, process.stderr]) stream.isTTY = true;
const { main } = await import(${JSON.stringify(join(packageRoot, "sdk/command/main.ts"))});
await main(["node", "orgseat", ...process.argv.slice(2)]);
`;

export interface Answered {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param answer is given as soon as something is asked */
export function attended(
  args: readonly string[],
  {
    folder,
    environment,
    answer,
  }: { folder: string; environment: Readonly<Record<string, string>>; answer?: string },
): Promise<Answered> {
  const { CI: _, ...inherited } = process.env;
  // In a file: the processes that the command starts inherit Node's own options.
  const file = temporaryFile("attended.mjs");
  writeFileSync(file, PROGRAM);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...inherited, TERM: "xterm", ...environment },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
      if (answer !== undefined && said.stderr.includes("] ")) child.stdin.end(`${answer}\n`);
    });
  }
  return new Promise((resolve) => void child.once("close", (code) => resolve({ code, ...said })));
}
