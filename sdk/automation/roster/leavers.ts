/**
 * The leaver list: people who were offboarded while the roster still has their rows. No run brings them back. It is a CSV
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

/** Has at least one of key, email and user id. */
export interface Leaver extends Identity {
  /** An instant in UTC. */
  readonly leftAt: string;
  /** Who offboarded the person. */
  readonly by?: string | undefined;
}

const COLUMNS = ["key", "email", "user_id", "left_at", "by"] as const;
type Column = (typeof COLUMNS)[number];
const columnNames: Names<Column> = { all: COLUMNS, noun: "column of a leaver list", plural: "columns" };
const noHeader: Names<never> = { all: [], noun: "header", plural: "headers" };

/** @returns `people.leavers.csv` for `people.yaml`, in the same folder */
export function leaversFile(roster: string): string {
  const { dir, name } = parsePath(roster);
  return join(dir, `${name}.leavers.csv`);
}

const rowSchema = z.object({
  key: personFields.key.schema.optional(),
  email: personFields.email.schema.optional(),
  user_id: personFields.user_id.schema.optional(),
  left_at: dateSchema.optional(),
  by: z.string().optional(),
} satisfies Record<Column, z.ZodType>);

/**
 * @param file of `leaversFile`; a missing one is an empty list
 * @throws RosterError with all issues: an invalid list does not count as empty
 */
export async function readLeavers(file: string): Promise<Leaver[]> {
  const text = await textOf(file);
  return text === undefined ? [] : parseLeavers(text, file).leavers;
}

/**
 * Adds at the end, also while another run does. Does not list a leaver twice.
 * @throws RosterError as `readLeavers`; then nothing is added
 */
export async function addLeavers(file: string, leavers: readonly Leaver[]): Promise<void> {
  if (leavers.length === 0) return;
  const fresh = [COLUMNS.join(","), ...leavers.map((leaver) => lineOf(leaver, COLUMNS, ","))];
  if (await createText(file, `${fresh.join("\n")}\n`)) return;
  const handle = await open(file, constants.O_RDWR | constants.O_APPEND);
  try {
    const { text, layout, leavers: listed } = parseLeavers(await readText(file), file);
    const missing = leavers.filter((leaver) => !listed.some((other) => isSame(leaver, other)));
    const lineEnd = lineEndOf(text);
    const lines = missing.map((leaver) => lineOf(leaver, layout.names, layout.delimiter) + lineEnd);
    if (missing.length === 0) return;
    await handle.appendFile((/[\r\n]$/.test(text) ? "" : lineEnd) + lines.join(""));
    await handle.sync();
    // Another run may have replaced the file just before.
    if (await isReplaced(file, handle)) await addLeavers(file, leavers);
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
export async function dropLeavers(file: string, gone: readonly Leaver[]): Promise<void> {
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

async function rewriteWithout(file: string, gone: readonly Leaver[]): Promise<void> {
  const handle = await open(file, constants.O_RDONLY);
  try {
    const before = await readText(file);
    const { text, mark, layout, leavers } = parseLeavers(before, file);
    const rows = layout.records.filter((_, row) => {
      const leaver = leavers[row];
      return leaver !== undefined && gone.some((other) => isSame(leaver, other));
    });
    if (rows.length === 0) return;
    const splices = rows.map(({ start, end }) => ({ start, end: nextLine(text, end), text: "" }));
    await writeText(file, mark + spliced(text, splices));
    // Another run may have added to the old file meanwhile.
    const after = parseLeavers(await handle.readFile("utf8"), file).leavers;
    await addLeavers(file, after.slice(leavers.length));
  } finally {
    await handle.close();
  }
}

/** The entries with a row in the roster. The others may be dropped once a run has removed the people. */
export function withoutSettled(leavers: readonly Leaver[], people: Iterable<Identity>): Leaver[] {
  return leavers.filter(among(people));
}

function isSame(one: Leaver, other: Leaver): boolean {
  const email = one.email?.toLowerCase() === other.email?.toLowerCase();
  return one.key === other.key && email && one.userId === other.userId;
}

async function isReplaced(file: string, handle: FileHandle): Promise<boolean> {
  const [there, held] = [await stat(file).catch(() => undefined), await handle.stat()];
  return there === undefined || there.ino !== held.ino || there.dev !== held.dev;
}

async function textOf(file: string): Promise<string | undefined> {
  try {
    // A link to a file that is not there is no empty list.
    await lstat(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  }
  return readText(file);
}

function lineOf(leaver: Leaver, columns: readonly (Column | undefined)[], delimiter: string): string {
  const values: Readonly<Record<Column, string | undefined>> = {
    key: leaver.key,
    email: leaver.email,
    user_id: leaver.userId,
    left_at: leaver.leftAt,
    by: leaver.by,
  };
  return csvLine(
    columns.map((column) => column && values[column]),
    delimiter,
  );
}

interface LeaverList {
  readonly mark: string;
  /** Without the mark. */
  readonly text: string;
  readonly layout: CsvLayout<never, Column>;
  /** One for each record of the layout. */
  readonly leavers: Leaver[];
}

function parseLeavers(whole: string, file: string): LeaverList {
  const { mark, text } = splitByteOrderMark(whole);
  const issues = new IssueCollector(text);
  const layout = parseCsv(text, noHeader, columnNames, issues);
  for (const column of COLUMNS) {
    if (layout.columns === undefined || layout.names.includes(column)) continue;
    issues.add(layout.columns.start, `missing column ${column} (the columns are ${COLUMNS.join(",")})`);
  }
  const leavers = layout.rows.map(({ cells, start }): Leaver => {
    const { key, email, user_id: userId, left_at: leftAt, by } = readFields(cells, rowSchema, issues);
    if ((["key", "email", "user_id"] as const).every((column) => !isGiven(cells, column))) {
      issues.add(start, "no key, email or user id. Write one of them");
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
  return { mark, text, layout, leavers };
}
