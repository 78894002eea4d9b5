/** The lines of a CSV file with the position of every cell, which the parser does not give. */
import { type CsvError, parse } from "csv-parse/sync";
import type { Cell } from "./layout.ts";
import type { IssueCollector } from "./validation.ts";

/** One line of cells; a line break inside quotes makes several lines of it. */
export interface CsvRecord {
  /** Where its line begins. */
  readonly start: number;
  /** Where its last cell ends, before the line's end. */
  readonly end: number;
  readonly cells: readonly Cell[];
}

interface CsvLines {
  /** Without those whose quotes are wrong. */
  readonly records: readonly CsvRecord[];
  /** Comment lines as they are written. */
  readonly comments: readonly Cell[];
  readonly delimiter: string;
  /** Where the lines begin, after one that only names the delimiter. */
  readonly begin: number;
}

const DELIMITERS = [",", ";", "\t"] as const;
const LINE_BREAK = /\r\n|\n|\r/g;

interface FoundCell {
  readonly text: string;
  /** Its place in its line, from 0. */
  readonly index: number;
  /** In bytes. */
  readonly end: number;
}

/** The first line of a file for spreadsheets: it names the delimiter. */
const SEPARATOR = /^("?)sep=([,;\t|])\1[ \t]*(\r\n|\n|\r)/i;

/** @param whole without a byte order mark */
export function readLines(whole: string, issues: IssueCollector): CsvLines {
  const [separator = "", , named] = SEPARATOR.exec(whole) ?? [];
  // As a blank line: places stay the same.
  const text = separator.replace(/[^\r\n]/g, " ") + whole.slice(separator.length);
  const delimiter = named ?? delimiterOf(text);
  const found: FoundCell[] = [];
  const wrong = new Map<number, string>();
  // After a quote that closes too early, the value and the following text cannot be separated.
  let isLost = false;
  parse(Buffer.from(text), {
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    comment: "#",
    comment_no_infix: true,
    skip_empty_lines: true,
    relax_column_count: true,
    // In a file whose delimiter is the tab, white space is more than white space.
    trim: delimiter !== "\t",
    cast: (value, { index, bytes: end }) => {
      if (!isLost) found.push({ text: value, index, end });
      return value;
    },
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) => {
      if (!isLost) wrong.set(found.length, quoteIssue(error?.code));
      isLost ||= error?.code !== "INVALID_OPENING_QUOTE";
      return undefined;
    },
  });
  const report = (place: number, offset: number): boolean => {
    const issue = wrong.get(place);
    if (issue !== undefined) issues.add(offset, issue);
    return issue !== undefined;
  };
  return { ...placed(text, delimiter, found, report), delimiter, begin: separator.length };
}

/** The first line without a comment has the column names, which contain no delimiter. */
function delimiterOf(text: string): string {
  const line = text.split(LINE_BREAK).find((one) => !/^\s*("?#.*)?$/.test(one)) ?? "";
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: line.split(delimiter).length }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.delimiter ?? ",";
}

function quoteIssue(code: string | undefined): string {
  if (code === "CSV_QUOTE_NOT_CLOSED") return "the quote opened here is never closed. Close it";
  if (code === "INVALID_OPENING_QUOTE")
    return "a quote inside a value without quotes. Put the whole value in quotes, and double each quote inside it";
  return "unexpected text after the closing quote. Double each quote inside a value in quotes";
}

interface OpenLine {
  readonly start: number;
  readonly cells: Cell[];
  isWrong: boolean;
}

/** Finds the start of each cell: after the delimiter, or after blank lines and comments. */
function placed(
  text: string,
  delimiter: string,
  found: readonly FoundCell[],
  report: (place: number, offset: number) => boolean,
): { records: CsvRecord[]; comments: Cell[] } {
  const gaps = new Gaps(text);
  const lines: (OpenLine & { end: number })[] = [];
  let end = 0;
  let line: (OpenLine & { end: number }) | undefined;
  const ends = endsInCharacters(text, found);
  for (const [place, cell] of found.entries()) {
    const cellEnd = ends[place] ?? end;
    let start = end + 1;
    if (cell.index === 0 || line === undefined) {
      start = gaps.skip(line === undefined ? 0 : gaps.behindBreak(end), cellEnd);
      line = { start, cells: [], isWrong: false, end: cellEnd };
      lines.push(line);
    }
    const placedCell = trimmed(cell.text, text, start, cellEnd);
    line.cells.push(placedCell);
    if (report(place, placedCell.start)) line.isWrong = true;
    end = line.end = cellEnd;
  }
  const isCut = line !== undefined && text.startsWith(delimiter, end);
  const rest = isCut ? end + 1 : gaps.skip(line === undefined ? 0 : gaps.behindBreak(end));
  if (report(found.length, rest) && isCut && line !== undefined) line.isWrong = true;
  return sorted(
    text,
    lines.filter(({ isWrong }) => !isWrong),
    gaps.comments,
  );
}

/** Separates records from blank lines and quoted comments. */
function sorted(
  text: string,
  lines: readonly CsvRecord[],
  comments: readonly Cell[],
): { records: CsvRecord[]; comments: Cell[] } {
  const records: CsvRecord[] = [];
  const quoted: Cell[] = [];
  for (const line of lines) {
    const [first, ...more] = line.cells;
    if (line.cells.every((cell) => cell.text === "")) continue;
    // A spreadsheet puts a comment with a delimiter in quotes.
    if (first?.text.startsWith("#") && more.every((cell) => cell.text === "")) {
      quoted.push({ text: text.slice(line.start, line.end), start: line.start, end: line.end });
    } else {
      records.push({ start: line.start, end: line.end, cells: line.cells });
    }
  }
  return { records, comments: [...comments, ...quoted].toSorted((a, b) => a.start - b.start) };
}

/** Skips blank lines and comments between records, and keeps the comments. */
class Gaps {
  readonly comments: Cell[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * @param at where a line begins
   * @param cellEnd where the next line's first cell ends; without it, there is none
   * @returns where that line begins; the end of the text if there is none
   */
  skip(at: number, cellEnd = Number.POSITIVE_INFINITY): number {
    for (let start = at; ; start = this.behindBreak(this.#lineEnd(start))) {
      const end = this.#lineEnd(start);
      const text = this.#text.slice(start, end);
      const isComment = /^\s*#/.test(text);
      if (end >= cellEnd || !(isComment || text.trim() === "")) return start;
      if (isComment) this.comments.push({ text, start, end });
      if (end === this.#text.length) return end;
    }
  }

  behindBreak(at: number): number {
    return Math.min(this.#text.length, at + (this.#text.startsWith("\r\n", at) ? 2 : 1));
  }

  #lineEnd(from: number): number {
    const breaks = /[\r\n]/g;
    breaks.lastIndex = from;
    return breaks.exec(this.#text)?.index ?? this.#text.length;
  }
}

function trimmed(value: string, text: string, start: number, end: number): Cell {
  const raw = text.slice(start, end);
  const before = raw.length - raw.trimStart().length;
  return { text: value.trim(), start: start + before, end: start + before + raw.trim().length };
}

/** The parser counts bytes. */
function endsInCharacters(text: string, found: readonly FoundCell[]): number[] {
  const bytes = Buffer.from(text);
  let byte = 0;
  let character = 0;
  return found.map(({ end }) => {
    character += bytes.length === text.length ? end - byte : bytes.toString("utf8", byte, end).length;
    byte = end;
    return character;
  });
}
