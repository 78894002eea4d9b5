/**
 * The creation journal: one file of JSON lines per provider process, in the folder of the creation records. A line is
 * appended before a creation is sent, after its response, and when it is closed or the state has its object. Files of
 * ended processes are read once, at the first need. A file is removed when all its creations are closed.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Entry, filesIn, headOf, inUse, type Line, readEntries, SUFFIX } from "./journal-files.ts";
import type { Attempt, CreationSubject, Journal, RecordedAttempt } from "./resources/journal.ts";

interface JournalOptions {
  readonly folder: string;
  readonly stack: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export class CreationJournal implements Journal {
  readonly #options: JournalOptions;
  readonly #file: string;
  /** The open creations of each file, by name. */
  readonly #pending = new Map<string, Map<string, Entry>>();
  /** The open creations that `settle` and `earlier` seek, by kind, organization, and key or id. */
  readonly #index = new Map<string, Set<Entry>>();
  readonly #created = new Map<string, string[]>();
  #isRead = false;
  #begun = 0;
  /** Of its own file, while that exists. */
  #descriptor: number | undefined;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#file = join(options.folder, `${randomUUID()}${SUFFIX}`);
  }

  earlier(subject: CreationSubject): RecordedAttempt | undefined {
    this.#readOnce();
    const found = [...(this.#index.get(indexKey(subject, subject.key)) ?? [])].find(
      ({ file, key }) => file !== this.#file && key === subject.key,
    );
    if (found === undefined) return undefined;
    const { time, before, id } = found;
    return {
      ...{ time, before, id },
      close: () => this.#close(found),
      take: (taken) => {
        this.begin(subject, before).succeeded(taken);
        this.#close(found);
      },
    };
  }

  begin(subject: CreationSubject, before: readonly string[]): Attempt {
    const { kind, organizationId, key } = subject;
    const name = String(++this.#begun);
    const time = new Date(this.#options.now()).toISOString();
    const entry: Entry = { kind, organizationId, key, before, time, name, file: this.#file, id: undefined };
    this.#append(this.#file, { begin: name, kind, organizationId, key, before: [...before], time });
    this.#add(entry);
    return {
      succeeded: (id) => {
        entry.id = id;
        this.#seek(entry, id);
        const created = indexKey(subject, subject.key);
        this.#created.set(created, [...(this.#created.get(created) ?? []), id]);
        this.#tryAppend(this.#file, { succeed: name, id });
      },
      close: () => this.#close(entry),
    };
  }

  created(subject: CreationSubject): readonly string[] {
    return this.#created.get(indexKey(subject, subject.key)) ?? [];
  }

  settle(kind: CreationSubject["kind"], organizationId: string, object: string): void {
    // A later run settles what cannot be read now.
    tryTo(() => this.#readOnce());
    const entries = this.#index.get(indexKey({ kind, organizationId }, object));
    for (const entry of [...(entries ?? [])]) this.#close(entry);
  }

  /** Other processes may use the file then. */
  close(): void {
    inUse.delete(this.#file);
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #add(entry: Entry): void {
    const entries = this.#pending.get(entry.file) ?? new Map<string, Entry>();
    this.#pending.set(entry.file, entries.set(entry.name, entry));
    this.#seek(entry, entry.key);
  }

  #seek(entry: Entry, object: string): void {
    const key = indexKey(entry, object);
    this.#index.set(key, (this.#index.get(key) ?? new Set()).add(entry));
  }

  #close(entry: Entry): void {
    for (const object of [entry.key, entry.id ?? entry.key])
      this.#index.get(indexKey(entry, object))?.delete(entry);
    const entries = this.#pending.get(entry.file);
    if (!entries?.delete(entry.name)) return;
    if (entries.size > 0) this.#tryAppend(entry.file, { close: entry.name });
    else this.#remove(entry.file);
  }

  #remove(file: string): void {
    if (file === this.#file) this.close();
    // A file that stays is read by a later run, which finds its objects in the state.
    tryTo(() => rmSync(file, { force: true }));
  }

  #append(file: string, line: Line): void {
    const { folder } = this.#options;
    try {
      const text = `${JSON.stringify(line)}\n`;
      if (file === this.#file) appendFileSync(this.#open(), text);
      // After a partial line of a killed process.
      else appendFileSync(file, `\n${text}`);
    } catch (error) {
      if (!(error instanceof Error && "code" in error)) throw error;
      throw new Error(
        `cannot record a creation in ${folder} (${error.code}). Make it writable, or set ORGSEAT_CREATIONS to another folder`,
      );
    }
  }

  /** A missing line makes the next run look at the service for something that the state has. */
  #tryAppend(file: string, line: Line): void {
    tryTo(() => this.#append(file, line));
  }

  /** Creates its own file at the first use. */
  #open(): number {
    if (this.#descriptor !== undefined) return this.#descriptor;
    const { folder, stack } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    inUse.add(this.#file);
    this.#descriptor = openSync(this.#file, "a", 0o600);
    appendFileSync(this.#descriptor, `${JSON.stringify(headOf(stack))}\n`);
    return this.#descriptor;
  }

  #readOnce(): void {
    if (this.#isRead) return;
    const { folder, stack } = this.#options;
    const found = filesIn(folder)
      .filter((file) => file !== this.#file)
      .map((file) => ({ file, entries: readEntries(file, stack) }));
    this.#isRead = true;
    for (const { file, entries } of found) {
      for (const entry of entries ?? []) {
        this.#add(entry);
        if (entry.id !== undefined) this.#seek(entry, entry.id);
      }
      if (entries?.length === 0) this.#remove(file);
    }
  }
}

function tryTo<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function indexKey({ kind, organizationId }: Omit<CreationSubject, "key">, object: string): string {
  return `${kind} ${organizationId}/${object}`;
}
