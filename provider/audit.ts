/**
 * The audit: one JSON line for each write that was sent to the service, token requests aside, appended to the file of
 * `ORGSEAT_AUDIT`. Several processes may share it: a line is one write of an O_APPEND file. It holds no secret and no
 * email. Where it cannot be written nothing is sent.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Observer, SentWrite } from "./api/observer.ts";
import type { Settings } from "./settings.ts";

/** What every line says beside its write. */
type Source = Omit<NonNullable<Settings["audit"]>, "file">;

export class Audit implements Observer {
  readonly #file: string;
  readonly #source: Source;
  readonly #warn: (text: string) => void;
  /** Lines of writes that were sent and could not be noted down. */
  #missing = "";

  constructor({ file, ...source }: NonNullable<Settings["audit"]>, warn: (text: string) => void) {
    this.#file = file;
    this.#source = source;
    this.#warn = warn;
  }

  beforeSend(): string | undefined {
    const fault = this.#append("");
    if (fault === undefined) return undefined;
    return `the audit file ${this.#file} cannot be written (${fault}), so nothing is sent; make it writable, or name another one in ORGSEAT_AUDIT, and run the command again`;
  }

  afterSend({ at, ...write }: SentWrite): void {
    const { call, name, method, organizationId, id, status, outcome } = write;
    const time = new Date(at).toISOString();
    const line = { time, call, name, method, organizationId, id, status, outcome, ...this.#source };
    const fault = this.#append(`${JSON.stringify(line)}\n`);
    if (fault === undefined) return;
    this.#warn(
      `call ${call} (${name}) was sent (${outcome}), and the audit file ${this.#file} could not be written (${fault}): its line is missing there. Nothing more is sent as long as that lasts.`,
    );
  }

  /** Appends what is missing and the line, in one write. @returns why it could not */
  #append(line: string): string | undefined {
    this.#missing += line;
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
    if (this.#missing === "") return;
    const written = writeSync(file, this.#missing);
    if (written < Buffer.byteLength(this.#missing)) {
      // What is there is no line; the next write begins a new one.
      this.#missing = `\n${this.#missing.trimStart()}`;
      throw Object.assign(new Error("the disk is full"), { code: "ENOSPC" });
    }
    this.#missing = "";
  }
}
