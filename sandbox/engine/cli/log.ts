/** What `-v` asks for: a log of what the engine does. It holds names and times, never a value. */
import { appendFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent } from "../events.ts";

export class Log {
  readonly #level: number;
  readonly #write: (text: string) => void;

  constructor(level: number, write: ((text: string) => void) | undefined) {
    this.#level = level;
    const file = join(tmpdir(), `pulumi.${process.pid}.log`);
    this.#write = write ?? ((text) => appendFileSync(file, text, { mode: 0o600 }));
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
