/** A table: in columns for a person, separated by tabs for a program, or as CSV for a spreadsheet. */
import Table from "cli-table3";
import { csvLine, type FieldValue, isFormula } from "../../roster/write.ts";
import type { Band } from "../schema.ts";

export interface TableForm {
  /** The width of the terminal in characters: longer rows lose the end of their first cell. Default: no limit. */
  readonly columns?: number | undefined;
  /** Whether rows are complete, separated by tabs, without a heading, as `gh` prints them into a pipe. Default: false. */
  readonly tsv?: boolean | undefined;
}

/** One column of a table for a person. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => string;
  /** A name is a text of someone else, and numbers are aligned on the right. Default: a text of ours. */
  readonly kind?: "name" | "number" | "date";
  /** On a page: the days left, as a color. */
  readonly band?: (row: Row) => Band | undefined;
  /** On a page: a second line; empty for none. */
  readonly detail?: (row: Row) => string;
}

/** The columns of CSV, by their names. */
export type Fields<Row> = Readonly<Record<string, (row: Row) => FieldValue | null | undefined>>;

const GAP = "  ";
/** A first cell keeps so many characters, however narrow the terminal is. */
const NARROWEST = 12;
const none = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((place) => [place, ""]),
);

export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { columns: width = Number.POSITIVE_INFINITY, tsv = false }: TableForm = {},
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => printable(cell(row))));
  if (tsv) return cells.map((row) => row.join("\t")).join("\n");
  const head = columns.map((column) => column.head);
  const all = [head, ...cells];
  const others = head.slice(1).reduce((sum, _, index) => sum + GAP.length + widthOf(all, index + 1), 0);
  const widest = Math.max(NARROWEST, width - others);
  const table = new Table({
    colAligns: columns.map(({ kind }) => (kind === "number" ? "right" : "left")),
    chars: { ...none, middle: GAP },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...all.map(([first = "", ...others]) => [shortened(first, widest), ...others]));
  return table
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

function widthOf(rows: readonly (readonly string[])[], column: number): number {
  return Math.max(...rows.map((row) => [...(row[column] ?? "")].length));
}

function shortened(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}

/** Without characters that move the cursor, color the terminal or reverse the line. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}");
}

/**
 * UTF-8 with a byte order mark, by which spreadsheets recognize it. A text that a spreadsheet would evaluate as a formula
 * gets an apostrophe in front.
 */
export function csvText<Row>(fields: Fields<Row>, rows: readonly Row[]): string {
  const cells = rows.map((row) => Object.values(fields).map((read) => harmless(read(row))));
  return `\ufeff${[Object.keys(fields), ...cells].map((row) => `${csvLine(row)}\n`).join("")}`;
}

function harmless<Value>(value: Value): Value | string {
  return typeof value === "string" && isFormula(value) ? `'${value}` : value;
}
