/** A process with everything that it started, ended as a crash or a pulled plug would end it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hangMs } from "./limits.ts";

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** `T`: stopped; `Z`: ended, and no one has asked how. */
  readonly state: string;
  readonly command: string;
}

async function processes(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], {
    maxBuffer: 2 ** 26,
  });
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [pid = "", parent = "", state = "", ...command] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), state, command: command.join(" ") };
    });
}

/** Halts one process, its children not. Resolves when it stands. */
export async function halt(pid: number): Promise<void> {
  process.kill(pid, "SIGSTOP");
  await until(async () => (await processes()).some((one) => one.pid === pid && one.state.startsWith("T")));
}

/** `kill -9` for a process and its descendants. Resolves when none of them runs. */
export async function killTree(root: number): Promise<void> {
  await killAll(descendants(root, await processes()));
}

/** The same for those of its descendants alone whose command line matches. */
export async function killBelow(root: number, command: RegExp): Promise<void> {
  const tree = await pidsBelow(root, command);
  if (tree.length === 0) throw new Error(`no process below ${root} matches ${command}`);
  await killAll(tree);
}

/** Its descendants whose command line matches. */
export async function pidsBelow(root: number, command = /^/): Promise<number[]> {
  const all = await processes();
  const below = descendants(root, all).slice(1);
  return below.filter((pid) => all.some((one) => one.pid === pid && command.test(one.command)));
}

/** The command lines of a process and its descendants. */
export async function commandsOf(root: number): Promise<string[]> {
  const all = await processes();
  const tree = descendants(root, all);
  return all.filter(({ pid }) => tree.includes(pid)).map(({ command }) => command);
}

/** The one among its descendants whose command line matches, the first if several do. */
export async function pidBelow(root: number, command: RegExp): Promise<number> {
  const [found] = await pidsBelow(root, command);
  if (found === undefined) throw new Error(`no process below ${root} matches ${command}`);
  return found;
}

/** `kill -9` for processes that may have ended. Resolves when none of them runs. */
export async function killAll(tree: readonly number[]): Promise<void> {
  for (const pid of tree) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // It ended by itself in between.
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
    }
  }
  await until(async () => {
    const left = await processes();
    return !left.some(({ pid, state }) => tree.includes(pid) && !state.startsWith("Z"));
  });
}

function descendants(root: number, all: readonly Process[]): number[] {
  const tree = [root];
  for (const pid of tree) tree.push(...all.filter(({ parent }) => parent === pid).map((one) => one.pid));
  return tree;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + hangMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error("the processes did not stop");
  }
}

/** Resolves when the process has ended. */
export function gone(pid: number): Promise<void> {
  return until(async () => !(await processes()).some((one) => one.pid === pid && !one.state.startsWith("Z")));
}
