/** Where a run's state goes: what happens into its journal, and at its end all of it into the stack's checkpoint. */
import { type Backend, qualifiedName, type StackName } from "./backend.ts";
import { checkpointText } from "./deployment/checkpoint.ts";
import { JournalWriter } from "./deployment/journal.ts";
import type { Beginning, Journal } from "./deployment/snapshots.ts";
import { hashOf, journalFile } from "./journals.ts";
import type { StackLock } from "./locks.ts";

export class Recorder implements Journal {
  readonly #backend: Backend;
  readonly #name: StackName;
  readonly #lock: StackLock;
  /** The checkpoint that the run begins with. */
  readonly #base: string;
  readonly #backup: string;
  #writer: JournalWriter | undefined;

  /** Keeps a backup of the checkpoint. */
  constructor(backend: Backend, name: StackName, lock: StackLock) {
    this.#backend = backend;
    this.#name = name;
    this.#lock = lock;
    this.#base = hashOf(backend.readCheckpoint(name) ?? "");
    this.#backup = backend.backUp(name);
  }

  begin({ secretsProviders, pendingOperations }: Beginning): void {
    const first = JSON.stringify({
      owner: this.#lock.owner,
      base: this.#base,
      backup: this.#backup,
      secrets_providers: secretsProviders,
    });
    this.#writer = new JournalWriter(
      journalFile(this.#backend, this.#name, this.#lock.id),
      `${first.slice(0, -1)},"pending_operations":[${pendingOperations.join(",")}]}`,
    );
  }

  append(lines: readonly string[]): void {
    this.#writer?.append(lines);
  }

  /** Writes the whole state. The journal goes when the checkpoint says all that it says. */
  save(deployment: string): void {
    const checkpoint = checkpointText(qualifiedName(this.#name), deployment);
    this.#writer?.seal(hashOf(checkpoint));
    this.#backend.writeCheckpoint(this.#name, checkpoint);
    this.#writer?.remove();
  }
}
