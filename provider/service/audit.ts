/**
 * The audit log: one JSON line for each write sent to the service, without token requests, appended to the file of
 * `ORGSEAT_AUDIT_LOG`. Several processes may share it: a line is one write of an O_APPEND file. It contains no secret and no
 * email. If it cannot be written, no write is sent.
 */

import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Observer, SentWrite } from "../api/client/observer.ts";
import type { Settings } from "../config/settings.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";

/** The fields of every line besides those of the write. */
type Source = Omit<NonNullable<Settings["audit"]>, "file">;
type Line = Readonly<Record<string, unknown>>;

export class Audit implements Observer {
  readonly #file: string;
  readonly #source: Source;
  readonly #warn: (text: string) => void;
  /** Of sent writes that are not in the file yet. */
  #pending: Line[] = [];

  constructor({ file, ...source }: NonNullable<Settings["audit"]>, warn: (text: string) => void) {
    this.#file = file;
    this.#source = source;
    this.#warn = warn;
  }

  beforeSend(): string | undefined {
    const error = this.#append();
    if (error === undefined) return undefined;
    const step = error === "ENOSPC" ? "Free some space on its disk" : "Make it writable";
    return `cannot write the audit log ${this.#file} (${error}). ${step}, or set ORGSEAT_AUDIT_LOG to another file, ${THEN_RUN_AGAIN}`;
  }

  afterSend({ at, ...write }: SentWrite): void {
    const { name, outcome } = write;
    this.#pending.push({ time: new Date(at).toISOString(), ...write, ...this.#source });
    const error = this.#append();
    if (error === undefined) return;
    this.#warn(
      `cannot write the audit log ${this.#file} (${error}): the line for "${name}" (outcome: ${outcome}) is missing. orgseat makes no more changes in the service until it can write the file.`,
    );
  }

  /** Appends the pending lines in one write. @returns the error code of a failure */
  #append(): string | undefined {
    try {
      appendAuditLines(this.#file, this.#pending);
      this.#pending = [];
      return undefined;
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    }
  }
}

/** Appends entries in one write, to a line of their own: a kill, or a full disk, may have cut off the last one. @throws Error of the file system */
export function appendAuditLines(path: string, entries: readonly Line[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, "a+", 0o600);
  try {
    if (entries.length === 0) return;
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    const text = `${isPartial(file) ? "\n" : ""}${lines.join("")}`;
    if (writeSync(file, text) < Buffer.byteLength(text))
      throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
  } finally {
    closeSync(file);
  }
}

/** Whether the line break of the last line is missing: the line is cut off. */
function isPartial(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return false;
  const last = Buffer.alloc(1);
  return readSync(file, last, 0, 1, size - 1) === 1 && last.toString() !== "\n";
}
