/** Child processes of this process's terminal. */
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { constants } from "node:os";

/** @returns the exit code, 128 and the signal's number for one that a signal ended. */
export function runInTerminal(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env"> = {},
): Promise<number> {
  return endOf(spawn(command, args, { ...options, stdio: "inherit" }));
}

/** Waits for a child to end: Ctrl-C reaches the whole process group. @returns as `runInTerminal` */
export async function endOf(child: ChildProcess): Promise<number> {
  const ignore = (): void => {};
  const pass = (signal: NodeJS.Signals): boolean => child.kill(signal);
  process.on("SIGINT", ignore);
  process.on("SIGTERM", pass);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    process.off("SIGINT", ignore);
    process.off("SIGTERM", pass);
  }
}
