/**
 * The offboarded list: people who were offboarded while the roster still has their rows. No run brings them back. It is a CSV
 * file in the folder of the roster: key, email, user_id, left_at, by.
 */

import { constants, type FileHandle, lstat, open, rm, stat } from "node:fs/promises";
import { join, parse as parsePath } from "node:path";
import { z } from "zod";
import { INSTANT_FORM } from "../../../provider/util/instants.ts";
import { dateSchema } from "./field-forms.ts";
import { personFields } from "./fields.ts";
import { type CsvLayout, parseCsv } from "./formats/csv.ts";
import { isGiven, type Names, readFields } from "./formats/layout.ts";
import { lineEndOf, nextLine, spliced } from "./formats/splices.ts";
import { createText, readText, splitByteOrderMark, writeText } from "./formats/text-file.ts";
import { IssueCollector, RosterError } from "./formats/validation.ts";
import { among, type Identity } from "./roster.ts";
import { csvLine } from "./write.ts";

/** Has at least one of key, email, and user id. */
export interface OffboardedPerson extends Identity {
  /** A timestamp in UTC. */
  readonly leftAt: string;
  /** Who offboarded the person. */
  readonly by?: string | undefined;
}

const COLUMNS = ["key", "email", "user_id", "left_at", "by"] as const;
type Column = (typeof COLUMNS)[number];
const columnNames: Names<Column> = { all: COLUMNS, noun: "column of an offboarded list", plural: "columns" };
const noHeader: Names<never> = { all: [], noun: "header", plural: "headers" };

/** @returns `people.offboarded.csv` for `people.yaml`, in the same folder */
export function offboardedFile(roster: string): string {
  const { dir, name } = parsePath(roster);
  return join(dir, `${name}.offboarded.csv`);
}

const rowSchema = z.object({
  // A program can have other keys than a roster.
  key: z.string().optional(),
  email: personFields.email.schema.optional(),
  user_id: personFields.user_id.schema.optional(),
  left_at: dateSchema.optional(),
  by: z.string().optional(),
} satisfies Record<Column, z.ZodType>);

/**
 * @param file of `offboardedFile`; a missing one is an empty list
 * @throws RosterError with all issues: an invalid list does not count as empty
 */
export async function readOffboarded(file: string): Promise<OffboardedPerson[]> {
  const text = await textOf(file);
  return text === undefined ? [] : parseOffboarded(text, file).offboarded;
}

/**
 * Adds at the end, even while another run does. Does not list a person twice.
 * @throws RosterError as `readOffboarded`; then nothing is added
 */
export async function addOffboarded(file: string, offboarded: readonly OffboardedPerson[]): Promise<void> {
  if (offboarded.length === 0) return;
  const fresh = [COLUMNS.join(","), ...offboarded.map((person) => lineOf(person, COLUMNS, ","))];
  if (await createText(file, `${fresh.join("\n")}\n`)) return;
  const handle = await open(file, constants.O_RDWR | constants.O_APPEND);
  try {
    const { text, layout, offboarded: listed } = parseOffboarded(await readText(file), file);
    const missing = offboarded.filter((person) => !listed.some((other) => isSame(person, other)));
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
 * Drops entries; the others stay as they are written. If another run does the same at this moment, nothing is dropped: an
 * extra entry does no harm, and the next run drops it.
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
    const before = await readText(file);
    const { text, mark, layout, offboarded } = parseOffboarded(before, file);
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

/** The entries with a row in the roster. The others may be dropped once a run has removed the people. */
export function withoutSettled(
  offboarded: readonly OffboardedPerson[],
  people: Iterable<Identity>,
): OffboardedPerson[] {
  return offboarded.filter(among(people));
}

function isSame(one: OffboardedPerson, other: OffboardedPerson): boolean {
  const email = one.email?.toLowerCase() === other.email?.toLowerCase();
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
  const issues = new IssueCollector(text);
  const layout = parseCsv(text, noHeader, columnNames, issues);
  for (const column of COLUMNS) {
    if (layout.columns === undefined || layout.names.includes(column)) continue;
    issues.add(layout.columns.start, `missing column ${column} (the columns are ${COLUMNS.join(",")})`);
  }
  const offboarded = layout.rows.map(({ cells, start }): OffboardedPerson => {
    const { key, email, user_id: userId, left_at: leftAt, by } = readFields(cells, rowSchema, issues);
    if ((["key", "email", "user_id"] as const).every((column) => !isGiven(cells, column))) {
      issues.add(start, "no key, email, or user id. Add one of them");
    }
    if (!isGiven(cells, "left_at")) {
      issues.add(
        cells.get("left_at")?.start ?? start,
        `missing left_at (expected ${INSTANT_FORM})`,
        "left_at",
      );
    }
    return { key, email, userId, leftAt: leftAt ?? "", by };
  });
  if (issues.found.length > 0) throw new RosterError(file, issues.found);
  return { mark, text, layout, offboarded };
}
