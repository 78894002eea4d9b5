/**
 * The offboarded list: people who were offboarded while the roster still has their rows. No run brings them back. It is a CSV
 * file in the folder of the roster, with the columns key, email, user_id, left_at, by, and keep_member.
 */

import { constants, type FileHandle, lstat, open, rm, stat } from "node:fs/promises";
import { join, parse as parsePath } from "node:path";
import { z } from "zod";
import { INSTANT_FORM } from "../../provider/util/instants.ts";
import { folded } from "../../provider/util/text.ts";
import { dateSchema } from "./field-forms.ts";
import { personSchema } from "./fields.ts";
import { type CsvLayout, noHeader, parseCsv } from "./formats/csv.ts";
import { isGiven, type Names, readFields } from "./formats/layout.ts";
import { lineEndOf, nextLine, spliced } from "./formats/splices.ts";
import { createText, readText, splitByteOrderMark, writeText } from "./formats/text-file.ts";
import { IssueCollector } from "./formats/validation.ts";
import { among, type Identity } from "./roster.ts";
import { csvLine } from "./write.ts";

/** Has at least one of key, email, and user id. */
export interface OffboardedPerson extends Identity {
  /** A timestamp in UTC. */
  readonly leftAt: string;
  /** Who offboarded the person. */
  readonly by?: string | undefined;
  /** Whether the person loses the token alone. A run that was interrupted leaves that to the next one. */
  readonly keepMember?: true | undefined;
}

const COLUMNS = ["key", "email", "user_id", "left_at", "by", "keep_member"] as const;
type Column = (typeof COLUMNS)[number];
const columnNames: Names<Column> = { all: COLUMNS, noun: "column of an offboarded list", plural: "columns" };

/** @returns `people.offboarded.csv` for `people.yaml`, in the same folder */
export function offboardedFile(roster: string): string {
  const { dir, name } = parsePath(roster);
  return join(dir, `${name}.offboarded.csv`);
}

/** `since 2026-11-21T18:22:00Z, by ticket 4711`. */
export function describeOffboarded({ leftAt, by }: Pick<OffboardedPerson, "leftAt" | "by">): string {
  return `since ${leftAt}${by === undefined ? "" : `, by ${by}`}`;
}

const rowSchema = z.object({
  // A program can have other keys than a roster.
  key: z.string().optional(),
  email: personSchema.shape.email,
  user_id: personSchema.shape.user_id,
  left_at: dateSchema.optional(),
  by: z.string().optional(),
  keep_member: personSchema.shape.protected,
} satisfies Record<Column, z.ZodType>);

/**
 * @param file of `offboardedFile`; a missing one is an empty list
 * @throws RosterError with all issues: an invalid list does not count as empty
 */
export async function readOffboarded(file: string): Promise<OffboardedPerson[]> {
  const text = await textOf(file);
  return text === undefined ? [] : parseOffboarded(text, file).offboarded;
}

/** With the entries that others added since `known` was read. */
export async function withLater(
  known: readonly OffboardedPerson[],
  file: string,
): Promise<readonly OffboardedPerson[]> {
  const later = (await readOffboarded(file)).filter(
    (person) => !known.some((other) => isSame(person, other)),
  );
  return [...known, ...later];
}

/**
 * Adds at the end, even while another run does. Lists a person again only if the last entry says otherwise about the
 * membership.
 * @throws RosterError as `readOffboarded`; then nothing is added
 */
export async function addOffboarded(file: string, offboarded: readonly OffboardedPerson[]): Promise<void> {
  if (offboarded.length === 0) return;
  const fresh = [COLUMNS.join(","), ...offboarded.map((person) => lineOf(person, COLUMNS, ","))];
  if (await createText(file, `${fresh.join("\n")}\n`)) return;
  const handle = await open(file, constants.O_RDWR | constants.O_APPEND);
  try {
    const { text, layout, offboarded: listed } = parseOffboarded(await readText(file), file);
    const missing = offboarded.filter((person) => {
      const last = listed.findLast((other) => isSamePerson(person, other));
      return last === undefined || last.keepMember !== person.keepMember;
    });
    const lineEnd = lineEndOf(text);
    const lines = missing.map((person) => lineOf(person, layout.names, layout.delimiter) + lineEnd);
    if (missing.length === 0) return;
    await handle.appendFile((/[\r\n]$/.test(text) ? "" : lineEnd) + lines.join(""));
    await handle.sync();
    // Another run may have replaced the file just before.
    if (await isReplaced(file, handle)) await addOffboarded(file, offboarded);
  } finally {
    await handle.close();
  }
}

/** The age of a lock whose run has died. */
const STALE_MS = 60_000;

/**
 * Drops entries; the others stay as they are written. If another run replaces the file at this moment, nothing is
 * dropped: an extra entry does no harm, and the next run drops it.
 */
export async function dropOffboarded(file: string, gone: readonly OffboardedPerson[]): Promise<void> {
  if (gone.length === 0 || (await textOf(file)) === undefined) return;
  const lock = `${file}.lock`;
  if (await createText(lock, "")) {
    try {
      await rewriteWithout(file, gone);
    } finally {
      await rm(lock, { force: true });
    }
    return;
  }
  const held = await stat(lock).catch(() => undefined);
  if (held !== undefined && Date.now() - held.mtimeMs > STALE_MS) await rm(lock, { force: true });
}

async function rewriteWithout(file: string, gone: readonly OffboardedPerson[]): Promise<void> {
  const handle = await open(file, constants.O_RDONLY);
  try {
    const { mark, text, layout, offboarded } = parseOffboarded(await readText(file), file);
    const rows = layout.records.filter((_, row) => {
      const person = offboarded[row];
      return person !== undefined && gone.some((other) => isSame(person, other));
    });
    if (rows.length === 0) return;
    const splices = rows.map(({ start, end }) => ({ start, end: nextLine(text, end), text: "" }));
    await writeText(file, mark + spliced(text, splices));
    // Another run may have added to the old file meanwhile.
    const after = parseOffboarded(await handle.readFile("utf8"), file).offboarded;
    await addOffboarded(file, after.slice(offboarded.length));
  } finally {
    await handle.close();
  }
}

/** What becomes of the membership and the seat of a person: the last entry of this person decides. */
export function onDeleteOf(
  offboarded: readonly OffboardedPerson[],
): (somebody: Identity) => "delete" | "retain" | undefined {
  const isOffboarded = among(offboarded);
  return (somebody) => {
    if (!isOffboarded(somebody)) return undefined;
    return lastEntryOf(somebody, offboarded)?.keepMember ? "retain" : "delete";
  };
}

export function lastEntryOf(
  somebody: Identity,
  offboarded: readonly OffboardedPerson[],
): OffboardedPerson | undefined {
  return offboarded.findLast((person) => among([person])(somebody));
}

function isSame(one: OffboardedPerson, other: OffboardedPerson): boolean {
  return isSamePerson(one, other) && one.keepMember === other.keepMember;
}

function isSamePerson(one: Identity, other: Identity): boolean {
  const email = folded(one.email ?? "") === folded(other.email ?? "");
  return one.key === other.key && email && one.userId === other.userId;
}

async function isReplaced(file: string, handle: FileHandle): Promise<boolean> {
  const [there, held] = [await stat(file).catch(() => undefined), await handle.stat()];
  return there === undefined || there.ino !== held.ino || there.dev !== held.dev;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    // A link to a missing file is not an empty list.
    await lstat(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  }
  return readText(file);
}

function lineOf(
  person: OffboardedPerson,
  columns: readonly (Column | undefined)[],
  delimiter: string,
): string {
  const values: Readonly<Record<Column, string | undefined>> = {
    key: person.key,
    email: person.email,
    user_id: person.userId,
    left_at: person.leftAt,
    by: person.by,
    keep_member: person.keepMember && "yes",
  };
  return csvLine(
    columns.map((column) => column && values[column]),
    delimiter,
  );
}

interface OffboardedList {
  readonly mark: string;
  /** Without the mark. */
  readonly text: string;
  readonly layout: CsvLayout<never, Column>;
  /** One for each record of the layout. */
  readonly offboarded: OffboardedPerson[];
}

function parseOffboarded(whole: string, file: string): OffboardedList {
  const { mark, text } = splitByteOrderMark(whole);
  const issues = new IssueCollector(text, file);
  const layout = parseCsv(text, noHeader, columnNames, issues);
  for (const column of COLUMNS) {
    if (layout.columns === undefined || layout.names.includes(column)) continue;
    issues.add(layout.columns.start, `missing column ${column} (the columns are ${COLUMNS.join(",")})`);
  }
  const offboarded = layout.rows.map((row): OffboardedPerson => {
    const { cells, start } = row;
    const read = readFields(cells, rowSchema, issues);
    const { key, email, user_id: userId, left_at: leftAt, by, keep_member: keepMember } = read;
    if ((["key", "email", "user_id"] as const).every((column) => !isGiven(cells, column)))
      issues.add(start, "no key, email, or user id. Add one of them");
    if (!isGiven(cells, "left_at"))
      issues.addOf(row, "left_at", `missing left_at (expected ${INSTANT_FORM})`);
    return { key, email, userId, leftAt: leftAt ?? "", by, ...(keepMember && { keepMember }) };
  });
  issues.throwFound();
  return { mark, text, layout, offboarded };
}
