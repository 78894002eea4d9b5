/** One writer at a time among the provider processes of one machine. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, processMark } from "../util/running-process.ts";

const PAUSE_MS = 50;
/** A process that takes the file writes its mark into it within this time. */
const WRITE_MS = 10_000;

/** Waits for the process that holds the file; one that has ended holds nothing. @throws where it cannot be written */
export async function withLockFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  while (!isTaken(file)) {
    const holder = holderOf(file);
    if (holder === undefined || isRunning(holder)) await sleep(PAUSE_MS);
    else await withLockFile(`${file}.dead`, async () => removeLockOf(holder, file));
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

/** By one process at a time: a second one that found the same dead holder would remove the lock of the first. */
function removeLockOf(holder: string, file: string): void {
  if (holderOf(file) === holder) rmSync(file, { force: true });
}
