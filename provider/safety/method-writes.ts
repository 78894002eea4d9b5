/**
 * The writes of each method: what it may send, and what it has sent. A method of a run with approved changes sends the
 * operations of its entry of the plan alone.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Observer, SentWrite, Write } from "../api/client/observer.ts";
import { serviceOperation } from "../resources/actions.ts";
import { NotApproved } from "./approval.ts";

/** One method that changes something. */
export interface MethodWrites {
  /** Undefined: any. */
  approved?: readonly string[];
  readonly sent: Pick<SentWrite, "name" | "id" | "outcome" | "at">[];
}

export class WritesByMethod implements Observer {
  readonly #current = new AsyncLocalStorage<MethodWrites>();

  run<T>(writes: MethodWrites, work: () => T): T {
    return this.#current.run(writes, work);
  }

  /** Sets the operations that the current method may send. */
  approve(operations: readonly string[] | undefined): void {
    const writes = this.#current.getStore();
    if (writes !== undefined && operations !== undefined) writes.approved = operations;
  }

  /** The operations that the current method may send; undefined: any. */
  get approved(): readonly string[] | undefined {
    return this.#current.getStore()?.approved;
  }

  /** Whether the current method may have changed something: what it waits for then decides what the state has. */
  get mayHaveWritten(): boolean {
    return this.#current.getStore()?.sent.some(({ outcome }) => outcome !== "refused") ?? false;
  }

  /** @throws NotApproved if the plan does not have the operation */
  beforeSend({ name, id }: Write): undefined {
    const { approved } = this.#current.getStore() ?? {};
    if (
      approved === undefined ||
      approved.some((one) => one === name || serviceOperation(one)?.repair === name)
    )
      return;
    throw new NotApproved(
      `cannot ${name}${id === undefined ? "" : ` of ${id}`}: the preview did not show this operation. Nothing was sent. Run \`pulumi up\` again and check its preview`,
    );
  }

  afterSend({ name, id, outcome, at }: SentWrite): void {
    this.#current.getStore()?.sent.push({ name, id, outcome, at });
  }
}
