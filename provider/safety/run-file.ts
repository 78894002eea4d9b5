/**
 * The file in which the provider processes of one run share facts: lines that each process appends, and reads in the
 * order that the kernel gives them. The engine's address, which all processes of a run get, names the file. Ports are
 * used again, so a file can also have lines of earlier runs, whose processes have ended.
 */
import { fstatSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseJson } from "../util/json.ts";
import { isRunning, machineMark, processMark } from "../util/running-process.ts";

const NEWLINE = 10;
/** No run lets that much time pass between two lines. */
const KEEP_MS = 7 * 86_400_000;

/** The first line of a process: its mark, and where the lines of its run begin. */
const joinSchema = z.strictObject({ process: z.string(), from: z.int() });

export class RunFile {
  readonly #descriptor: number;
  #offset = 0;

  /** @param engine the address of Pulumi's engine @throws if the file cannot be written */
  constructor(folder: string, engine: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeOld(folder);
    this.#descriptor = openSync(join(folder, nameOf(engine)), "a+", 0o600);
    const joined = this.read().flatMap((line) => joinSchema.safeParse(line).data ?? []);
    const isSameRun = joined.some(({ process }) => isRunning(process));
    // Two processes that both find only ended ones read up to the same place, or one of them finds the other.
    const from = isSameRun ? Math.max(...joined.map((one) => one.from)) : this.#offset;
    this.append({ process: processMark(process.pid), from });
    this.#offset = from;
  }

  /** Appends a line in one write, which no other line divides. @throws if it cannot */
  append(line: unknown): void {
    // The first line break ends a partial line of a killed process.
    const bytes = Buffer.from(`\n${JSON.stringify(line)}\n`);
    if (writeSync(this.#descriptor, bytes) < bytes.length) throw new Error("the disk is full");
  }

  /** The lines that were appended since the last call, including those of this process. */
  read(): readonly unknown[] {
    const bytes = Buffer.alloc(fstatSync(this.#descriptor).size - this.#offset);
    readSync(this.#descriptor, bytes, 0, bytes.length, this.#offset);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.#offset += end;
    return bytes
      .toString("utf8", 0, end)
      .split("\n")
      .flatMap((line) => parseJson(line) ?? []);
  }
}

/** Another machine that shares the folder can have an engine with the same address. */
function nameOf(engine: string): string {
  return `${machineMark()}-${engine.replaceAll(/[^\w.-]/g, "_")}`;
}

function removeOld(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const status = lstatSync(file, { throwIfNoEntry: false });
    if (status !== undefined && Date.now() - status.mtimeMs > KEEP_MS) rmSync(file, { force: true });
  }
}
