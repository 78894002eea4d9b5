/**
 * The creation journal: one file of JSON lines per provider process, in the folder of the creation records. A line is
 * appended before a creation is sent, after its response, and when it is closed or the state has its object. Files of
 * ended processes are read once, at the first need. A file is removed when all its creations are closed.
 */
import { randomUUID } from "node:crypto";
import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { idSchema } from "./api/schemas.ts";
import type { Attempt, CreationSubject, Journal, RecordedAttempt } from "./resources/journal.ts";
import { parseJson } from "./util/json.ts";

const SUFFIX = ".jsonl";

/** The first line of a file. */
const headSchema = z.strictObject({
  version: z.literal(1),
  host: z.string(),
  pid: z.int(),
  /** The stack, where the environment names it. */
  stack: z.string().optional(),
});
const lineSchema = z.union([
  z.strictObject({
    begin: z.string(),
    kind: z.enum(["user", "seat", "token"]),
    organizationId: idSchema,
    key: z.string(),
    before: z.array(idSchema),
    time: z.string(),
  }),
  z.strictObject({ succeed: z.string(), id: idSchema }),
  z.strictObject({ close: z.string() }),
]);
type Line = z.output<typeof lineSchema>;

interface Entry extends CreationSubject {
  readonly file: string;
  readonly name: string;
  readonly time: string;
  readonly before: readonly string[];
  id: string | undefined;
}

interface JournalOptions {
  readonly folder: string;
  readonly stack: string | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The files of journals in use in this process. */
const inUse = new Set<string>();

export class CreationJournal implements Journal {
  readonly #options: JournalOptions;
  readonly #file: string;
  /** The open creations of each file, by name. */
  readonly #open = new Map<string, Map<string, Entry>>();
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
    this.#readOnce();
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
    const entries = this.#open.get(entry.file) ?? new Map<string, Entry>();
    this.#open.set(entry.file, entries.set(entry.name, entry));
    this.#seek(entry, entry.key);
  }

  #seek(entry: Entry, object: string): void {
    const key = indexKey(entry, object);
    this.#index.set(key, (this.#index.get(key) ?? new Set()).add(entry));
  }

  #close(entry: Entry): void {
    for (const object of [entry.key, entry.id ?? entry.key])
      this.#index.get(indexKey(entry, object))?.delete(entry);
    const entries = this.#open.get(entry.file);
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
      if (file === this.#file) this.#descriptor ??= this.#start();
      const target = file === this.#file ? this.#descriptor : undefined;
      appendFileSync(target ?? file, `${JSON.stringify(line)}\n`);
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

  #start(): number {
    const { folder, stack } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    inUse.add(this.#file);
    const head = {
      version: 1,
      host: hostname(),
      pid: process.pid,
      ...(stack === undefined ? {} : { stack }),
    };
    const descriptor = openSync(this.#file, "a", 0o600);
    appendFileSync(descriptor, `${JSON.stringify(head)}\n`);
    return descriptor;
  }

  #readOnce(): void {
    if (this.#isRead) return;
    this.#isRead = true;
    const { folder, stack } = this.#options;
    for (const file of filesIn(folder)) {
      if (file === this.#file) continue;
      const entries = readEntries(file, stack);
      for (const entry of entries ?? []) {
        this.#add(entry);
        if (entry.id !== undefined) this.#seek(entry, entry.id);
      }
      if (entries?.length === 0) this.#remove(file);
    }
  }
}

/** The open creations of a file; undefined where it is of another stack, or of a process that still runs. */
function readEntries(file: string, stack: string | undefined): Entry[] | undefined {
  const lines = (readText(file) ?? "").split("\n");
  // A killed process may leave a partial line, whose request it has not sent.
  lines.pop();
  const [first, ...rest] = lines;
  if (first === undefined) return undefined;
  const head = headSchema.safeParse(parseJson(first));
  if (!head.success) throw unreadable(file);
  if (head.data.stack !== stack) return undefined;
  // The lock of a named stack says that its earlier runs have ended.
  if (stack === undefined && isRunning(file, head.data)) return undefined;
  const open = new Map<string, Entry>();
  for (const text of rest) {
    const parsed = lineSchema.safeParse(parseJson(text));
    if (!parsed.success) throw unreadable(file);
    const line = parsed.data;
    if ("begin" in line) {
      const { begin: name, kind, organizationId, key, before, time } = line;
      open.set(name, { file, name, kind, organizationId, key, before, time, id: undefined });
    } else if ("succeed" in line) {
      const entry = open.get(line.succeed);
      if (entry) entry.id = line.id;
    } else open.delete(line.close);
  }
  return [...open.values()];
}

function unreadable(file: string): Error {
  return new Error(
    `cannot read ${file}, a journal of earlier creations. Upgrade orgseat if a newer release wrote it; otherwise run \`pulumi refresh\`, compare the organization with the state, and delete the file`,
  );
}

/** Whether the process of a file may still write to it. One of another machine counts as ended. */
function isRunning(file: string, { host, pid }: z.output<typeof headSchema>): boolean {
  if (pid === process.pid) return inUse.has(file);
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

function filesIn(folder: string): string[] {
  return (tryTo(() => readdirSync(folder)) ?? [])
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => join(folder, name));
}

/** Undefined where another process has removed it. */
function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
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
