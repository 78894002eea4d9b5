/**
 * What all provider processes of one run must know: who lost access, which resource owns what, which approved changes
 * are used up. Each Provider of the packaged plugin is a separate process: their facts are lines of a file, and each
 * process applies them in the order of the file, so all decide alike without a lock. The dynamic resources of a program
 * share one process, whose memory has the facts.
 */

import { z } from "zod";
import type { RunMap } from "../resources/resource.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import { RunFile } from "./run-file.ts";

const changeSchema = z.strictObject({
  map: z.string(),
  key: z.string(),
  value: z.string(),
  /** Whether a value that the key has already stays. */
  keep: z.boolean(),
});
type Change = z.output<typeof changeSchema>;

export class RunFacts {
  readonly #folder: string;
  readonly #engine: string | undefined;
  #file: RunFile | undefined;
  #failure: string | undefined;
  readonly #maps = new Map<string, Map<string, string>>();

  /** @param folder of the file @param engine the address of Pulumi's engine; without one, no other process has facts */
  constructor(folder = "", engine = "") {
    this.#folder = folder;
    this.#engine = /:\d+$/.test(engine) ? engine : undefined;
  }

  /** Why this process does not know what the others do: it must not change anything. */
  get failure(): string | undefined {
    this.#sync();
    return this.#failure;
  }

  map(name: string): RunMap {
    const read = () => {
      this.#sync();
      return this.#valuesOf(name);
    };
    const write = (key: string, value: string, keep: boolean) => {
      this.#sync({ map: name, key, value, keep });
      return this.#valuesOf(name).get(key) ?? value;
    };
    return {
      get: (key) => read().get(key),
      has: (key) => read().has(key),
      size: () => read().size,
      entries: () => read().entries(),
      set: (key, value) => {
        if (read().get(key) !== value) write(key, value, false);
      },
      add: (key, value) => read().get(key) ?? write(key, value, true),
    };
  }

  /** Makes a change, after those of other processes that are before it. After a failure, in memory alone. */
  #sync(change?: Change): void {
    if (this.#engine === undefined || this.#failure !== undefined) {
      this.#apply(change);
      return;
    }
    try {
      this.#file ??= new RunFile(this.#folder, this.#engine);
      if (change !== undefined) this.#file.append(change);
      for (const line of this.#file.read()) this.#apply(changeSchema.safeParse(line).data);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const reason = "code" in error ? error.code : error.message;
      this.#failure = `the Providers of this run cannot share ${this.#folder} (${reason}), so orgseat cannot enforce the removal limit. Make the folder writable, or set ORGSEAT_WORK_DIR to another folder, ${THEN_RUN_AGAIN}`;
      this.#apply(change);
    }
  }

  #apply(change: Change | undefined): void {
    if (change === undefined) return;
    const values = this.#valuesOf(change.map);
    if (!change.keep || !values.has(change.key)) values.set(change.key, change.value);
  }

  #valuesOf(name: string): Map<string, string> {
    const values = this.#maps.get(name) ?? new Map<string, string>();
    this.#maps.set(name, values);
    return values;
  }
}
