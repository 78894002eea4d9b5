/** Processes the engine has started: none outlives it, however it ends (but for kill -9). */
import type { ChildProcess } from "node:child_process";

const alive = new Set<ChildProcess>();

/** Ends the process with the engine, should nobody have done so before. */
export function adopt(child: ChildProcess): void {
  if (alive.size === 0) process.once("exit", endAll);
  alive.add(child);
  child.once("close", () => {
    alive.delete(child);
    if (alive.size === 0) process.off("exit", endAll);
  });
}

function endAll(): void {
  for (const child of alive) child.kill("SIGKILL");
}
