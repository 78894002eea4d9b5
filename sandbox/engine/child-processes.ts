/** Processes that the engine has started. They end with the engine, except after kill -9. */
import type { ChildProcess } from "node:child_process";

const alive = new Set<ChildProcess>();

/** Ends the process with the engine. The process must lead a process group. */
export function endWithEngine(child: ChildProcess): void {
  if (alive.size === 0) process.once("exit", endAll);
  alive.add(child);
  child.once("close", () => {
    alive.delete(child);
    if (alive.size === 0) process.off("exit", endAll);
  });
}

/** Signals the process and those it has started: many plugins are shell scripts around another process. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended already.
  }
}

function endAll(): void {
  for (const child of alive) signalGroup(child, "SIGKILL");
}
