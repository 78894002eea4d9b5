/** What `-v` asks for: a log of what the engine does. It holds names and times, never a value. */
import { appendFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent } from "../events.ts";

/** What the names of the folders begin with that hold logs. */
export const LOG_FOLDERS = join(tmpdir(), "pulumi-log-");

export class Log {
  readonly #level: number;
  #folder: string | undefined;
  readonly #write: (text: string) => void;

  constructor(level: number, write: ((text: string) => void) | undefined) {
    this.#level = level;
    this.#write = write ?? ((text) => appendFileSync(this.#file(), text, { mode: 0o600 }));
  }

  /** In a folder that is made for it: another user of the machine can put no file of the name there before. */
  #file(): string {
    this.#folder ??= mkdtempSync(LOG_FOLDERS);
    return join(this.#folder, `pulumi.${process.pid}.log`);
  }

  write(level: number, text: string): void {
    if (level <= this.#level) this.#write(`${new Date().toISOString()} ${text}\n`);
  }

  /** Steps from level 1, calls of providers from level 5. */
  listener = (event: EngineEvent): void => {
    if (event.kind === "pre") this.write(1, `step begins: ${event.step.op} ${event.step.urn}`);
    else if (event.kind === "outputs") this.write(1, `step is done: ${event.op} ${event.step.urn}`);
    else if (event.kind === "failed") this.write(1, `step failed: ${event.step.op} ${event.step.urn}`);
    else if (event.kind === "call") {
      const { method, subject, milliseconds, failed } = event;
      this.write(
        5,
        `provider call: ${method} ${subject} ${failed ? "failed" : "answered"} in ${milliseconds} ms`,
      );
    } else if (event.kind === "summary") this.write(1, `changes: ${JSON.stringify(event.changes)}`);
  };
}
