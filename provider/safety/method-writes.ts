/** The writes of each method: what it has sent so far. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Observer, SentWrite } from "../api/client/observer.ts";

/** The attempts that one method has sent. */
export type MethodWrites = Pick<SentWrite, "name" | "id" | "outcome" | "at">[];

export class WritesByMethod implements Observer {
  readonly #current = new AsyncLocalStorage<MethodWrites>();

  run<T>(sent: MethodWrites, work: () => T): T {
    return this.#current.run(sent, work);
  }

  /** Whether the current method may have changed something: what it waits for then decides what the state has. */
  get mayHaveWritten(): boolean {
    return this.#current.getStore()?.some(({ outcome }) => outcome !== "refused") ?? false;
  }

  afterSend({ name, id, outcome, at }: SentWrite): void {
    this.#current.getStore()?.push({ name, id, outcome, at });
  }
}
