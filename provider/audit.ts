/**
 * The audit log: one JSON line for each write sent to the service, without token requests, appended to the file of
 * `ORGSEAT_AUDIT`. Several processes may share it: a line is one write of an O_APPEND file. It contains no secret and no
 * email. If it cannot be written, no write is sent.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Observer, SentWrite } from "./api/observer.ts";
import type { Settings } from "./settings.ts";

/** The fields of every line besides those of the write. */
type Source = Omit<NonNullable<Settings["audit"]>, "file">;

export class Audit implements Observer {
  readonly #file: string;
  readonly #source: Source;
  readonly #warn: (text: string) => void;
  /** Lines of sent writes that are not in the file yet. */
  #pending = "";

  constructor({ file, ...source }: NonNullable<Settings["audit"]>, warn: (text: string) => void) {
    this.#file = file;
    this.#source = source;
    this.#warn = warn;
  }

  beforeSend(): string | undefined {
    const error = this.#append("");
    if (error === undefined) return undefined;
    return `cannot write the audit log ${this.#file} (${error}). Make it writable, or set ORGSEAT_AUDIT to another file, then run the command again`;
  }

  afterSend({ at, ...write }: SentWrite): void {
    const { call, name, method, organizationId, id, names, status, outcome } = write;
    const time = new Date(at).toISOString();
    const line = { time, call, name, method, organizationId, id, names, status, outcome, ...this.#source };
    const error = this.#append(`${JSON.stringify(line)}\n`);
    if (error === undefined) return;
    this.#warn(
      `cannot write the audit log ${this.#file} (${error}): the line for "${name}" (outcome: ${outcome}) is missing. orgseat sends no more writes until the file is writable.`,
    );
  }

  /** Appends the pending lines and this one, in one write. @returns the error code of a failure */
  #append(line: string): string | undefined {
    this.#pending += line;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      const file = openSync(this.#file, "a", 0o600);
      try {
        this.#write(file);
      } finally {
        closeSync(file);
      }
      return undefined;
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    }
  }

  #write(file: number): void {
    if (this.#pending === "") return;
    const written = writeSync(file, this.#pending);
    if (written < Buffer.byteLength(this.#pending)) {
      // The file ends in a partial line; the next write starts a new one.
      this.#pending = `\n${this.#pending.trimStart()}`;
      throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
    }
    this.#pending = "";
  }
}
