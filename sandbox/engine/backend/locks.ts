/** One lock file per running update, in Pulumi's format: the emulator and the Pulumi CLI respect each other's locks. */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { JournalContent } from "../deployment/journal.ts";
import { messageOf, UserError } from "../errors.ts";
import { type Backend, listFolder, type StackName, writeAtomically } from "./backend.ts";
import { currentCheckpoint, mergeJournal, readJournals } from "./journals.ts";
import { describeOwner, isDead, type Owner, ownerSchema, thisProcess } from "./owner.ts";

/** Another process works on the stack. */
export class LockedError extends UserError {
  override name = "LockedError";
}

export interface StackLock {
  readonly id: string;
  readonly owner: Owner;
  readonly release: () => void;
}

type Warn = (text: string) => void;

/** A process that works on the stack or did, known from its lock, its journal or both. */
interface Holder {
  id: string;
  owner: Owner;
  lock: string | undefined;
  journal: JournalContent | undefined;
}

const suffix = ".json";

function holdersOf(backend: Backend, name: StackName): Holder[] {
  const journals = readJournals(backend, name);
  const locks = readLocks(backend, name);
  const withLock = locks.map((one): Holder => ({ ...one, journal: journals.get(one.id) }));
  const known = new Set(locks.map(({ id }) => id));
  // The lock of a running process may have been deleted.
  const without = [...journals].filter(([id]) => !known.has(id));
  return [
    ...withLock,
    ...without.map(([id, journal]) => ({ id, owner: journal.start.owner, lock: undefined, journal })),
  ];
}

function readLocks(backend: Backend, name: StackName): { id: string; owner: Owner; lock: string }[] {
  const folder = backend.lockFolder(name);
  const files = listFolder(folder).filter((file) => file.endsWith(suffix));
  return files.flatMap((entry) => {
    const lock = join(folder, entry);
    try {
      const owner = ownerSchema.parse(JSON.parse(readFileSync(lock, "utf8")));
      return [{ id: entry.slice(0, -suffix.length), owner, lock }];
    } catch {
      // Another process has just deleted the file, or is writing it.
      return [];
    }
  });
}

function refuse(holders: readonly Holder[]): never {
  const lines = holders.map(
    ({ owner, lock, journal }) => `\n  file://${lock ?? journal?.file}: created by ${describeOwner(owner)}`,
  );
  throw new LockedError(
    `the stack is currently locked by ${holders.length} lock(s). Either wait for the other process(es) to end or ` +
      `delete the lock file with \`pulumi cancel\`.${lines.join("")}`,
  );
}

/**
 * Takes the stack's lock. Merges the journals of dead processes of this host into the state and removes their locks,
 * which the Pulumi CLI leaves to `pulumi cancel`; `warn` reports it.
 */
export function takeLock(backend: Backend, name: StackName, warn: Warn): StackLock {
  const alive = holdersOf(backend, name).filter(({ owner }) => !isDead(owner));
  if (alive.length > 0) refuse(alive);
  const id = randomUUID();
  const owner = thisProcess();
  const file = join(backend.lockFolder(name), `${id}${suffix}`);
  // The temporary file is elsewhere: the Pulumi CLI reads every file in the folder as a lock.
  writeAtomically(file, JSON.stringify(owner), join(backend.journalFolder(name), `${id}.tmp`));
  const release = () => {
    try {
      rmSync(file, { force: true });
    } catch (error) {
      warn(
        `there was a problem deleting the lock at ${file}, manual clean up may be required: ${messageOf(error)}`,
      );
    }
  };
  try {
    const others = holdersOf(backend, name).filter((holder) => holder.id !== id);
    const working = others.filter((holder) => !isDead(holder.owner));
    if (working.length > 0) refuse(working);
    for (const holder of others) recover(backend, name, holder, warn);
  } catch (error) {
    release();
    throw error;
  }
  return { id, owner, release };
}

function recover(backend: Backend, name: StackName, { owner, lock, journal }: Holder, warn: Warn): void {
  const recorded = journal && mergeJournal(backend, name, journal);
  if (lock === undefined) {
    warn(`merged what process ${owner.pid}, which no longer runs, had recorded: ${recorded}`);
    return;
  }
  rmSync(lock, { force: true });
  const detail =
    recorded === undefined
      ? ": its update was interrupted"
      : `, and merged what it had recorded: ${recorded}`;
  warn(`took the lock of process ${owner.pid}, which no longer runs${detail}`);
}

/** The stack's checkpoint with all journals. Merges those of dead processes into the file. */
export function readCurrentCheckpoint(backend: Backend, name: StackName, warn: Warn): string | undefined {
  if (holdersOf(backend, name).some(({ owner }) => isDead(owner))) {
    try {
      takeLock(backend, name, warn).release();
    } catch (error) {
      // The process that works on the stack merges the journal, or the next command does.
      if (!(error instanceof LockedError)) throw error;
    }
  }
  return currentCheckpoint(backend, name);
}

/** Deletes every lock of a stack, after it merges their journals. */
export function breakLocks(backend: Backend, name: StackName, warn: Warn): void {
  for (const { owner, journal } of holdersOf(backend, name)) {
    if (journal)
      warn(`merged what process ${owner.pid} had recorded: ${mergeJournal(backend, name, journal)}`);
  }
  rmSync(backend.lockFolder(name), { recursive: true, force: true });
}
