/** One writer at a time among the provider processes of one machine. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { isRunning, processMark } from "../util/running-process.ts";

const PAUSE_MS = 50;
/** A process that takes the file writes its mark into it within this time. */
const WRITE_MS = 10_000;
/** A holder runs one command of Pulumi, for 60 seconds at most. */
const MOST_WAIT_MS = 75_000;

/** For tests. */
interface Clock {
  /** Monotonic, in milliseconds. */
  now(): number;
  sleep(ms: number): Promise<unknown>;
}
const systemClock: Clock = { now: () => performance.now(), sleep: setTimeout };

/**
 * Waits for the process that holds the file; one that has ended holds nothing.
 * @throws where it cannot be written, or one process holds it too long
 */
export async function withLockFile<T>(file: string, work: () => Promise<T>, clock = systemClock): Promise<T> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  let wait = { taking: takingOf(file), since: clock.now() };
  while (!isTaken(file)) {
    const holder = holderOf(file);
    const taking = takingOf(file);
    if (taking !== wait.taking) wait = { taking, since: clock.now() };
    if (clock.now() - wait.since > MOST_WAIT_MS) throw heldTooLong(file, holder);
    if (holder === undefined || isRunning(holder)) await clock.sleep(PAUSE_MS);
    else await withLockFile(`${file}.dead`, async () => removeLockOf(holder, file), clock);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function isTaken(file: string): boolean {
  try {
    writeFileSync(file, processMark(process.pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Undefined if the file is free by now, or another process is about to write it. */
function holderOf(file: string): string | undefined {
  try {
    const holder = readFileSync(file, "utf8");
    return holder === "" && statSync(file).mtimeMs + WRITE_MS > Date.now() ? undefined : holder;
  } catch {
    return undefined;
  }
}

/** Differs each time that a process takes the file. */
function takingOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function heldTooLong(file: string, holder: string | undefined): Error {
  const who = holder === undefined ? "another process" : `process ${Number.parseInt(holder, 10)}`;
  return new Error(
    `cannot lock ${file}: ${who} has held it for more than ${MOST_WAIT_MS / 1_000} seconds. If that process hangs, end it, then run the command again`,
  );
}

/** By one process at a time: a second one that found the same dead holder would remove the lock of the first. */
function removeLockOf(holder: string, file: string): void {
  if (holderOf(file) === holder) rmSync(file, { force: true });
}
