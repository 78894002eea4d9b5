/** Distinguishes a process from a later one with the same pid, and from processes of other machines. */
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/**
 * The machine whose processes this one sees, for names of files: with another mark, a pid says nothing. Containers can have
 * the same host name and a folder in common, so on Linux the mark has the number of the PID namespace.
 */
export function machineMark(): string {
  return `${hostname()}.${namespaceOf()}`.replace(/[^\w.-]/g, "_").replace(/\.$/, "");
}

function namespaceOf(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
  } catch {
    return "";
  }
}

/** `1234@5678`: the pid and, if /proc reports it, when the process started. */
export function processMark(pid: number): string {
  return `${pid}@${startOf(pid)}`;
}

/** Whether the process of a mark still runs. Without /proc, any process with its pid counts. */
export function isRunning(mark: string): boolean {
  const pid = Number.parseInt(mark, 10);
  return isPidInUse(pid) && processMark(pid) === mark;
}

/** Whether a process has this pid. */
function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** In ticks since the machine started; empty if it is unknown. */
function startOf(pid: number): string {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, in parentheses, may contain spaces.
    return status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
