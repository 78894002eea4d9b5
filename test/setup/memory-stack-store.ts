/** The tags of one stack in memory, and the state of a test. */
import type { StackStore } from "../../provider/unfinished/stack-store.ts";

export class MemoryStackStore implements StackStore {
  readonly entries = new Map<string, string>();
  /** Why nothing can be written; undefined: it can. */
  refusal: string | undefined;
  /** Runs before each command of Pulumi. */
  onCommand = (): void => undefined;
  readonly #userIds: () => Iterable<string>;

  /** @param userIds of the OrgUsers in the state */
  constructor(userIds: () => Iterable<string> = () => []) {
    this.#userIds = userIds;
  }

  async tags(): Promise<ReadonlyMap<string, string>> {
    this.onCommand();
    return new Map(this.entries);
  }

  async setTag(_stack: string, name: string, value: string): Promise<void> {
    this.onCommand();
    if (this.refusal !== undefined) throw new Error(this.refusal);
    this.entries.set(name, value);
  }

  async removeTag(_stack: string, name: string): Promise<void> {
    if (this.refusal !== undefined) throw new Error(this.refusal);
    this.entries.delete(name);
  }

  async userIdsIn(): Promise<ReadonlySet<string>> {
    return new Set(this.#userIds());
  }
}
