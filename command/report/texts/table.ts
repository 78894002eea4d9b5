/** A table: in columns for a person, separated by tabs for a program, or as CSV for a spreadsheet. */
import Table from "cli-table3";
import { csvLine, type FieldValue, isFormula } from "../../roster/write.ts";

export interface TableForm {
  /** The width of the terminal in characters: longer rows lose the end of their first cell. Default: no limit. */
  readonly columns?: number | undefined;
  /** Whether rows are complete, separated by tabs, without a heading, as `gh` prints them into a pipe. Default: false. */
  readonly tsv?: boolean | undefined;
}

export type Align = "left" | "right";

const GAP = "  ";
/** A first cell keeps so many characters, however narrow the terminal is. */
const NARROWEST = 12;
const none = Object.fromEntries(
  ["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"]
    .concat(["left", "left-mid", "mid", "mid-mid", "right", "right-mid"])
    .map((place) => [place, ""]),
);

/** @param aligns one for each column. Default: left */
export function tableText(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { columns = Number.POSITIVE_INFINITY, tsv = false }: TableForm = {},
  aligns: readonly Align[] = [],
): string {
  if (tsv) return rows.map((row) => row.map(printable).join("\t")).join("\n");
  const all = [head, ...rows.map((row) => row.map(printable))];
  const others = head.slice(1).reduce((sum, _, index) => sum + GAP.length + widthOf(all, index + 1), 0);
  const widest = Math.max(NARROWEST, columns - others);
  const table = new Table({
    colAligns: head.map((_, index) => aligns[index] ?? "left"),
    chars: { ...none, middle: GAP },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...all.map(([first = "", ...cells]) => [shortened(first, widest), ...cells]));
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
export function csvText(
  head: readonly string[],
  rows: readonly (readonly (FieldValue | null | undefined)[])[],
): string {
  return `\ufeff${[head, ...rows.map((row) => row.map(harmless))].map((row) => `${csvLine(row)}\n`).join("")}`;
}

function harmless<Value>(value: Value): Value | string {
  return typeof value === "string" && isFormula(value) ? `'${value}` : value;
}
