/** The command as a process with a person in front of it: its streams say that they are a terminal. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { temporaryFile } from "../../setup/temporary.ts";

const PROGRAM = `
import { WriteStream } from "node:tty";
const { clearLine, cursorTo, moveCursor } = WriteStream.prototype;
Object.assign(process.stderr, { columns: 80, clearLine, cursorTo, moveCursor });
for (const stream of [process.stdin, process.stdout, process.stderr]) stream.isTTY = true;
if (process.env.ORGSEAT_TEST_COLORS) process.stdout.hasColors = () => true;
const { main } = await import(process.env.ORGSEAT_TEST_MAIN);
await main(["node", "orgseat", ...process.argv.slice(2)]);
`;

export interface Answered {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * @param main the module of the command, in the repository. Default: that of `orgseat`
 * @param answers one for each question, given as soon as it is asked
 * @param isColored whether the terminal has colors
 */
export function attended(
  args: readonly string[],
  {
    folder,
    environment,
    main = "command/cli/main.ts",
    answers = [],
    isColored = false,
  }: {
    folder: string;
    environment: Readonly<Record<string, string>>;
    main?: string;
    answers?: readonly string[];
    isColored?: boolean;
  },
): Promise<Answered> {
  // Without CI, which has no terminal.
  const { CI: _, ...inherited }: NodeJS.ProcessEnv = { ...process.env, TERM: "xterm", ...environment };
  // In a file: the processes that the command starts inherit Node's own options.
  const file = temporaryFile("attended.mjs");
  writeFileSync(file, PROGRAM);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: {
      ...inherited,
      ORGSEAT_TEST_MAIN: join(packageRoot, main),
      ...(isColored && { ORGSEAT_TEST_COLORS: "1" }),
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  let given = 0;
  // The length of what was shown at the last question.
  let asked = 0;
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text;
      const shown = stripVTControlCharacters(said.stderr);
      if (given === answers.length || shown.length === asked || !/[\]:] $/.test(shown)) return;
      asked = shown.length;
      child.stdin.write(`${answers[given]}\n`);
      given++;
      if (given === answers.length) child.stdin.end();
    });
  }
  return new Promise((resolve) => void child.once("close", (code) => resolve({ code, ...said })));
}
