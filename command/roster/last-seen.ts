/** When people last used the organization: a CSV file of emails and dates, such as an export of the identity provider. */
import { z } from "zod";
import { CodedError } from "../../provider/util/error-codes.ts";
import { DAY_MS, INSTANT_FORM, instantMs } from "../../provider/util/instants.ts";
import { THEN_RUN_AGAIN } from "../../provider/util/text.ts";
import { dateSchema } from "./field-forms.ts";
import { personSchema } from "./fields.ts";
import { type CsvLayout, noHeader, parseCsv } from "./formats/csv.ts";
import { isGiven, type Names, type Row, readFields } from "./formats/layout.ts";
import { readText, splitByteOrderMark } from "./formats/text-file.ts";
import { IssueCollector, quoteValue } from "./formats/validation.ts";

/** The last use by email in lower case, a timestamp in UTC; null: never. */
export type LastSeen = ReadonlyMap<string, string | null>;

const COLUMNS = ["email", "last_seen"] as const;
type Column = (typeof COLUMNS)[number];
const columnNames: Names<Column> = {
  all: COLUMNS,
  noun: "column",
  plural: "columns",
  aliases: new Map(["lastused", "lastuse", "lastlogin", "lastactivity"].map((name) => [name, "last_seen"])),
  hasOthers: true,
};

const rowSchema = z.object({
  email: personSchema.shape.email,
  last_seen: dateSchema.optional(),
} satisfies Record<Column, z.ZodType>);

/** How far ahead of the clock a date can be: it is the end of its day in UTC, and the day may be that of another time zone. */
const AHEAD_MS = 2 * DAY_MS;

/**
 * Of several lines of one person, the latest use counts. Columns with other names are not read.
 * @param now milliseconds since 1970; a later use is an issue, because the column has other dates then
 * @throws RosterError with all issues
 */
export async function readLastSeen(file: string, now: number): Promise<LastSeen> {
  const { text } = splitByteOrderMark(await readText(file));
  const issues = new IssueCollector(text, file);
  const layout = parseCsv(text, noHeader, columnNames, issues);
  requireColumns(layout, issues);
  const seen = new Map<string, string | null>();
  for (const row of layout.rows) {
    const { email, last_seen: at } = readFields(row.cells, rowSchema, issues);
    checkRow(row, layout, at, now, issues);
    if (email === undefined) continue;
    const known = seen.get(email);
    if (known === undefined || known === null || (at !== undefined && at > known))
      seen.set(email, at ?? null);
  }
  issues.throwFound();
  return seen;
}

/** The age of the newest last use, in days, from which on the file says nothing about today. */
const MOST_DAYS = 7;

/**
 * Why a file of last uses is too old to judge by; undefined if it is not. Everybody in it counts, in the roster or not. A date
 * that is ahead of the clock as far as `readLastSeen` accepts it is new.
 */
export function staleness(seen: LastSeen, now: number): string | undefined {
  const newest = [...seen.values()].flatMap((at) => at ?? []).reduce((a, b) => (a > b ? a : b), "");
  if (newest === "") return "it has no last use of anyone";
  const days = (now - instantMs(newest)) / DAY_MS;
  if (days <= MOST_DAYS) return undefined;
  return `its newest last use is ${Math.floor(days)} days old (${newest}), and the limit is ${MOST_DAYS} days`;
}

/** @throws Error that says how old the file is, and what to do */
export function requireFresh(file: string, seen: LastSeen, now: number): void {
  const reason = staleness(seen, now);
  if (reason === undefined) return;
  throw new CodedError(
    "file-error",
    `cannot judge seats by ${file}: ${reason}. Export the last uses of everyone again from the identity provider, ${THEN_RUN_AGAIN}`,
  );
}

function requireColumns({ columns, names }: CsvLayout<never, Column>, issues: IssueCollector): void {
  if (columns === undefined) return;
  for (const column of COLUMNS) {
    if (names.includes(column)) continue;
    const found = columns.cells.map(({ text }) => text).filter((text) => text !== "");
    issues.add(
      columns.start,
      `missing column ${column} (found ${found.join(", ")}). Name one column ${column}`,
    );
  }
}

function checkRow(
  row: Row<Column>,
  { names }: CsvLayout<never, Column>,
  at: string | undefined,
  now: number,
  issues: IssueCollector,
): void {
  if (names.includes("email") && !isGiven(row.cells, "email"))
    issues.addOf(row, "email", "missing email. Add it, or remove the line");
  if (at === undefined || instantMs(at) <= now + AHEAD_MS) return;
  const { text = "" } = row.cells.get("last_seen") ?? {};
  issues.addOf(
    row,
    "last_seen",
    `${quoteValue(text)}: in the future. Write when the person was last seen (${INSTANT_FORM}), or leave it empty for never`,
  );
}
