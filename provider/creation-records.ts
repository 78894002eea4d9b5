/** The creation records (creations.ts) as one provider process uses them. */
import { randomUUID } from "node:crypto";
import {
  type CreationRecord,
  isOpen,
  isSameUser,
  readCreations,
  removeCreation,
  writeCreation,
} from "./creations.ts";
import type { CreationAttempt, Creations, ManagedUser, RecordedCreation } from "./resources/creations.ts";

interface CreationsOptions {
  readonly folder: string;
  /** The run that `orgseat` named, shared by all its provider processes; undefined: this process is a run. */
  readonly run: string | undefined;
  readonly stack: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class CreationRecords implements Creations {
  readonly #options: CreationsOptions;
  readonly #run: string;
  /** Files that this process wrote, or whose user it has taken into the state. */
  readonly #own = new Set<string>();
  /** Files of records with a user, by organization and user id: those found first, and this process's own. */
  #answered: Map<string, string> | undefined;

  constructor(options: CreationsOptions) {
    this.#options = options;
    this.#run = options.run ?? randomUUID();
  }

  begin(user: ManagedUser): RecordedCreation | CreationAttempt {
    const earlier = this.#translateErrors("cannot read the creation records", () => this.#earlier(user));
    const known = earlier.find((record) => this.#isLost(record));
    if (known?.userId !== undefined) {
      this.#own.add(known.file);
      return { kind: "known", userId: known.userId, time: known.time };
    }
    const [open] = earlier;
    if (open !== undefined) return { kind: "open", ...open };
    return this.#attempt(user);
  }

  decide(user: ManagedUser, userId: string): void {
    const records = this.#readAll().filter((record) => isSameUser(record, user));
    const decided = records.find((record) => record.userId === userId) ?? records.find(isOpen);
    if (decided !== undefined) removeCreation(decided.file);
  }

  /** A later run retries what cannot be removed now. */
  settle(organizationId: string, userId: string): void {
    const key = keyOf(organizationId, userId);
    try {
      this.#answered ??= this.#answers();
      const file = this.#answered.get(key);
      if (file === undefined) return;
      removeCreation(file);
      this.#answered.delete(key);
    } catch {
      this.#answered ??= new Map();
    }
  }

  #answers(): Map<string, string> {
    return new Map(
      this.#readAll().flatMap(({ organizationId, userId, file }) =>
        userId === undefined ? [] : [[keyOf(organizationId, userId), file]],
      ),
    );
  }

  #attempt(user: ManagedUser): CreationAttempt {
    const { folder, now, stack } = this.#options;
    const { organizationId, firstName, lastName } = user;
    const time = new Date(now()).toISOString();
    const record = { organizationId, firstName, lastName, time, run: this.#run, stack };
    const file = this.#translateErrors("cannot record the creation of a managed user", () =>
      writeCreation(folder, record),
    );
    this.#own.add(file);
    return {
      kind: "begun",
      succeeded: (userId) => {
        this.#translateErrors(`cannot record that user ${userId} was created`, () =>
          writeCreation(folder, { ...record, userId }, file),
        );
        this.#answered?.set(keyOf(organizationId, userId), file);
      },
      refused: () => removeCreation(file),
    };
  }

  /** Conflicting records of other processes. A user of another stack of this run is a different user. */
  #earlier(user: ManagedUser): CreationRecord[] {
    const { stack } = this.#options;
    return this.#readAll().filter(
      (record) =>
        isSameUser(record, user) &&
        !this.#own.has(record.file) &&
        !(
          record.run === this.#run &&
          record.stack !== undefined &&
          stack !== undefined &&
          record.stack !== stack
        ),
    );
  }

  /**
   * Whether the state certainly lacks the user: an ended run created it in this stack, and this run has not seen it.
   * Within one run the state may have it without having been read yet.
   */
  #isLost({ userId, run, stack }: CreationRecord): boolean {
    return userId !== undefined && run !== this.#run && stack === this.#options.stack;
  }

  #readAll(): CreationRecord[] {
    return readCreations(this.#options.folder);
  }

  #translateErrors<T>(cannot: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      throw new Error(
        `${cannot} in ${this.#options.folder} (${error.code}). Make it writable, or set ORGSEAT_CREATIONS to another folder`,
      );
    }
  }
}

function keyOf(organizationId: string, userId: string): string {
  return `${organizationId}/${userId}`;
}
