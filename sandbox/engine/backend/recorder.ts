/** Stores a run's state: each operation in the journal, and at the end the whole state in the stack's checkpoint. */

import { checkpointText } from "../deployment/checkpoint.ts";
import { JournalWriter } from "../deployment/journal.ts";
import type { Beginning, Journal } from "../deployment/snapshots.ts";
import { type Backend, qualifiedName, type StackName } from "./backend.ts";
import { checkpointHash, journalFile } from "./journals.ts";
import type { StackLock } from "./locks.ts";

export class Recorder implements Journal {
  readonly #backend: Backend;
  readonly #name: StackName;
  readonly #lock: StackLock;
  /** SHA-256 of the checkpoint at the start of the run. */
  readonly #base: string;
  readonly #backup: string;
  #writer: JournalWriter | undefined;

  /** Copies the checkpoint to the backups. */
  constructor(backend: Backend, name: StackName, lock: StackLock) {
    this.#backend = backend;
    this.#name = name;
    this.#lock = lock;
    this.#base = checkpointHash(backend.readCheckpoint(name) ?? "");
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

  /** Writes the whole state, then deletes the journal. */
  save(deployment: string): void {
    const checkpoint = checkpointText(qualifiedName(this.#name), deployment);
    this.#writer?.seal(checkpointHash(checkpoint));
    this.#backend.writeCheckpoint(this.#name, checkpoint);
    this.#writer?.remove();
  }
}
