/** The lines of a CSV file (RFC 4180) with the position of every cell, which edits and error messages need. */
import { grouped } from "../../../provider/util/text.ts";
import { type Cell, MOST_CHARACTERS } from "./layout.ts";
import { endOfLine, nextLine } from "./splices.ts";
import { type IssueCollector, SPLIT } from "./validation.ts";

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
/** Of a file, with its lines of comments. */
const MOST_CELLS = 700_000;
/** Of a row. Spreadsheets write empty ones too. */
const MOST_COLUMNS = 1000;

/** The first line of a file for spreadsheets: it names the delimiter. */
const SEPARATOR = /^("?)sep=([,;\t|])\1[ \t]*(\r\n|\n|\r)/i;

/** @param whole without a byte order mark */
export function readLines(whole: string, issues: IssueCollector): CsvLines {
  const [separator = "", , named] = SEPARATOR.exec(whole) ?? [];
  // As a blank line: places stay the same.
  const text = separator.replace(/[^\r\n]/g, " ") + whole.slice(separator.length);
  const delimiter = named ?? delimiterOf(text);
  const records: CsvRecord[] = [];
  const comments: Cell[] = [];
  // A spreadsheet writes a million empty rows.
  const blank = new RegExp(`^[\\s${delimiter}]*$`);
  let count = 0;
  for (let start = 0, end = 0; start < text.length; start = nextLine(text, end)) {
    end = endOfLine(text, start);
    const line = text.slice(start, end);
    if (blank.test(line)) continue;
    if (count >= MOST_CELLS) issues.stop(start, `more than ${grouped(MOST_CELLS)} cells. ${SPLIT}`);
    count += 1;
    if (/^\s*#/.test(line)) {
      comments.push({ text: line, start, end });
      continue;
    }
    const { cells, wrong } = readRecord(text, start, delimiter);
    count += cells.length;
    if (wrong !== undefined) {
      issues.add(wrong.start, wrong.issue);
      if (wrong.isLost) break;
      continue;
    }
    end = cells.at(-1)?.next ?? end;
    const [first, ...more] = cells;
    if (cells.every((cell) => cell.text === "")) continue;
    // A spreadsheet puts a comment with a delimiter in quotes. An address can begin with # too.
    if (/^#(?!\S*@\S*$)/.test(first?.text ?? "") && more.every((cell) => cell.text === ""))
      comments.push({ text: text.slice(start, end), start, end });
    else records.push({ start, end, cells });
  }
  return { records, comments, delimiter, begin: separator.length };
}

/** The first line without a comment has the column names, which contain no delimiter. */
function delimiterOf(text: string): string {
  const isNone = (line: string): boolean => /^\s*("?#.*)?$/.test(line);
  let start = 0;
  while (start < text.length && isNone(text.slice(start, endOfLine(text, start))))
    start = nextLine(text, start);
  const line = text.slice(start, endOfLine(text, start));
  const counts = DELIMITERS.map((delimiter) => ({ delimiter, count: countOf(line, delimiter) }));
  return counts.toSorted((a, b) => b.count - a.count)[0]?.delimiter ?? ",";
}

/** How often a text contains another one. */
export function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

interface ReadCell extends Cell {
  /** Where the delimiter or the line's end follows. */
  readonly next: number;
}

interface Wrong {
  readonly start: number;
  readonly issue: string;
  /** Whether the value and the text that follows cannot be separated. */
  readonly isLost: boolean;
}

function readRecord(
  text: string,
  start: number,
  delimiter: string,
): { readonly cells: readonly ReadCell[]; readonly wrong?: Wrong } {
  const cells: ReadCell[] = [];
  for (let at = start; ; at += 1) {
    const cell = readCell(text, at, delimiter);
    if ("issue" in cell) return { cells, wrong: cell };
    cells.push(cell);
    at = cell.next;
    if (text[at] !== delimiter) return { cells };
    if (cells.length < MOST_COLUMNS) continue;
    const issue = `more than ${grouped(MOST_COLUMNS)} cells in a row. Remove the columns that the file does not need`;
    return { cells, wrong: { start, issue, isLost: false } };
  }
}

function readCell(text: string, start: number, delimiter: string): ReadCell | Wrong {
  const open = skipBlanks(text, start, delimiter);
  if (text[open] === '"') {
    const close = closingQuote(text, open + 1);
    if (close < 0)
      return { start: open, issue: "the quote opened here is never closed. Close it", isLost: true };
    const next = skipBlanks(text, close + 1, delimiter);
    const value = unquoted(text.slice(open + 1, close));
    if (next === cellEnd(text, next, delimiter))
      return { text: value.trim(), start: open, end: close + 1, next };
    const issue = "unexpected text after the closing quote. Double each quote inside a value in quotes";
    return { start: open, issue, isLost: true };
  }
  const next = cellEnd(text, start, delimiter);
  const raw = text.slice(start, next);
  const from = start + raw.length - raw.trimStart().length;
  if (!raw.includes('"')) return { text: raw.trim(), start: from, end: from + raw.trim().length, next };
  const issue =
    "a quote inside a value without quotes. Put the whole value in quotes, and double each quote inside it";
  return { start: from, issue, isLost: false };
}

/** What is too long for a value stays as it is: it is refused, and could be the whole file. */
function unquoted(text: string): string {
  return text.length > 2 * MOST_CHARACTERS ? text : text.replaceAll('""', '"');
}

/** In a file whose delimiter is the tab, white space is more than white space. */
function skipBlanks(text: string, at: number, delimiter: string): number {
  if (delimiter === "\t") return at;
  const other = /[^\t\v\f \u00a0]/g;
  other.lastIndex = at;
  return other.exec(text)?.index ?? text.length;
}

/** The closing quote of a value; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at >= 0 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

function cellEnd(text: string, from: number, delimiter: string): number {
  const ends = new RegExp(`[${delimiter}\r\n]`, "g");
  ends.lastIndex = from;
  return ends.exec(text)?.index ?? text.length;
}
