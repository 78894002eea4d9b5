/**
 * Records of creations of managed users. No call finds a managed user, and two may share names: a creation whose
 * response was lost, with the provider process or with the state, would be repeated. So each creation is recorded in a
 * file before it is sent. The record is removed when the service refuses, or when a later run finds the user in the state.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { idSchema } from "./api/schemas.ts";
import type { CreationAttempt, Creations, ManagedUser, RecordedCreation } from "./resources/creations.ts";
import { parseJson } from "./util/json.ts";

const VERSION = 1;
const SUFFIX = ".json";

/** One file: JSON of this shape. It holds no secret. */
const recordSchema = z.strictObject({
  version: z.literal(VERSION),
  organizationId: idSchema,
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  /** When the creation was sent, an instant. */
  time: z.string(),
  /** Of `orgseat` the run, else the provider process. */
  run: z.string(),
  /** The stack, where the environment names it. */
  stack: z.string().optional(),
  /** The user that the service answered; undefined where no answer is recorded. */
  userId: idSchema.optional(),
});
type Content = z.output<typeof recordSchema>;

/** A record with the file that it is in. */
export interface CreationRecord extends Omit<Content, "version"> {
  readonly file: string;
}

/**
 * All records of a folder, those with a response first, then by age. Managed users of the same names take them in this
 * order, in a preview as in the run. None where there is no folder.
 * @throws where one cannot be read
 */
export function readCreations(folder: string): CreationRecord[] {
  return namesIn(folder)
    .flatMap((name) => readRecord(join(folder, name)) ?? [])
    .toSorted((a, b) => Number(isOpen(a)) - Number(isOpen(b)) || (a.time < b.time ? -1 : 1));
}

/** Writes a record completely and synchronizes it to disk. @returns its file */
export function writeCreation(folder: string, record: Omit<CreationRecord, "file">, file?: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = file ?? join(folder, `${randomUUID()}${SUFFIX}`);
  const draft = `${target}.new`;
  const content: Content = { version: VERSION, ...record };
  const descriptor = openSync(draft, "w", 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify(content)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, target);
  // A new record must survive a crash of the machine; for a lost answer, a person decides.
  if (file === undefined) synchronize(folder);
  return target;
}

export function removeCreation(file: string): void {
  rmSync(file, { force: true });
}

/** Whether both have the same organization and names: nothing else distinguishes managed users. */
export function isSameUser(one: ManagedUser, other: ManagedUser): boolean {
  return (
    one.organizationId === other.organizationId &&
    one.firstName === other.firstName &&
    one.lastName === other.lastName
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Undefined where another process has removed it. */
function readRecord(file: string): CreationRecord | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const parsed = recordSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new Error(
      `cannot read ${file}, the record of an earlier creation of a managed user. Check in the service whether that user exists, then delete the file.`,
    );
  }
  const { version: _version, ...record } = parsed.data;
  return { ...record, file };
}

function synchronize(folder: string): void {
  // Windows opens no folders.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

export interface CreationsOptions {
  readonly folder: string;
  /** The run that `orgseat` named, shared by all its provider processes; undefined: this process is a run. */
  readonly run: string | undefined;
  readonly stack: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The records as one provider process uses them. */
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

function isOpen({ userId }: CreationRecord): boolean {
  return userId === undefined;
}

function keyOf(organizationId: string, userId: string): string {
  return `${organizationId}/${userId}`;
}
