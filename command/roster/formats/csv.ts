/** CSV: a header in comment lines, a line of column names, one row a person. */
import { type CsvRecord, countOf, readLines } from "./csv-records.ts";
import {
  type Cell,
  describeUnknownName,
  knownName,
  type Layout,
  type Names,
  nearName,
  type Row,
} from "./layout.ts";
import { type IssueCollector, quoteValue } from "./validation.ts";

export interface CsvLayout<HeaderName extends string, Name extends string> extends Layout<HeaderName, Name> {
  readonly form: "csv";
  readonly delimiter: string;
  /** Where a first line of the file may be added. */
  readonly begin: number;
  /** The line of column names; undefined if it is missing. */
  readonly columns: CsvRecord | undefined;
  /** The field of each column; undefined for a column without a name. */
  readonly names: readonly (Name | undefined)[];
  /** The rows of people again, with all their cells. */
  readonly records: readonly CsvRecord[];
  /** All comment lines; those above the column names are the header. */
  readonly comments: readonly Cell[];
}

/** Of a file whose comments are no settings. */
export const noHeader: Names<never> = { all: [], noun: "header", plural: "headers" };

/** `# name: value`; a spreadsheet may quote the line. */
const SETTING = /^(([A-Za-z][A-Za-z _-]{0,40}?)\s*[:=]\s*)(.*)$/s;

/** @param text without a byte order mark */
export function parseCsv<HeaderName extends string, Name extends string>(
  text: string,
  header: Names<HeaderName>,
  columnNames: Names<Name>,
  issues: IssueCollector,
): CsvLayout<HeaderName, Name> {
  const { records, comments, delimiter, begin } = readLines(text, issues);
  const isReadable = issues.found.length === 0;
  for (const comment of comments) refuseSwallowedRows(comment, 1, delimiter, issues);
  const [columns, ...rest] = records;
  const isAbove = ({ start }: Cell): boolean => columns === undefined || start < columns.start;
  const above = comments.filter(isAbove);
  refuseBelow(
    comments.filter((comment) => !isAbove(comment)),
    header,
    issues,
  );
  const settings = readSettings(above, header, issues);
  const layout = { header: settings, mark: "# ", form: "csv", delimiter, begin, columns, comments } as const;
  if (columns === undefined) {
    if (isReadable) {
      issues.add(text.length, `no line of column names (expected, for example, ${sample(columnNames)})`);
    }
    return { ...layout, names: [], rows: [], records: [] };
  }
  const names = readColumns(columns, columnNames, issues);
  const isPartial = columns.cells.some(({ text: name }, place) => name !== "" && names[place] === undefined);
  for (const cell of rest.flatMap(({ cells }) => cells)) {
    refuseSwallowedRows(cell, columns.cells.length, delimiter, issues);
  }
  const complete = rest.filter((record) => hasAllCells(record, columns, issues));
  const rows = complete.map((record) => ({
    start: record.start,
    cells: readCells(record, columns, names, issues),
    isPartial,
  }));
  return { ...layout, names, rows, records: complete };
}

function sample({ all }: Names<string>): string {
  return all.slice(0, 5).join(",");
}

interface Setting {
  readonly name: string;
  readonly value: Cell;
}

/** The setting in a comment; undefined for any other comment. */
export function settingOf(comment: Cell): Setting | undefined {
  const content = contentOf(comment);
  const [, before = "", name, text] = SETTING.exec(content.text) ?? [];
  if (name === undefined || text === undefined) return undefined;
  const start = content.start + before.length;
  return { name, value: { text: text.trim(), start, end: start + text.length } };
}

/**
 * A comment without its `#`, the quotes around it, and the delimiters with which a spreadsheet pads the line. In linear time, unlike an
 * expression for the whole line.
 */
export function contentOf({ text, start }: Cell): Cell {
  const mark = /^\s*"?\s*#+\s*/.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > mark && /[\s,;]/.test(text.charAt(end - 1))) end -= 1;
  if (end > mark && text[end - 1] === '"') end -= 1;
  return { text: text.slice(mark, end), start: start + mark, end: start + end };
}

function readSettings<Name extends string>(
  comments: readonly Cell[],
  names: Names<Name>,
  issues: IssueCollector,
): Map<Name, Cell> {
  const settings = new Map<Name, Cell>();
  for (const comment of comments) {
    const setting = settingOf(comment);
    const name = setting && knownName(setting.name, names);
    if (setting !== undefined && name === undefined && nearName(setting.name, names) !== undefined) {
      issues.add(comment.start, describeUnknownName(setting.name, names));
    }
    if (setting === undefined || name === undefined) continue;
    const first = settings.get(name);
    if (first === undefined) settings.set(name, setting.value);
    else issues.addDuplicate(comment.start, name, first.start, name);
  }
  return settings;
}

/** A header that is not read would be worse than one that is refused. */
function refuseBelow(comments: readonly Cell[], names: Names<string>, issues: IssueCollector): void {
  for (const comment of comments) {
    const name = knownName(settingOf(comment)?.name ?? "", names);
    if (name === undefined) continue;
    issues.add(
      comment.start,
      `${name} is below the column names, where orgseat does not read it. Move it to the top`,
      name,
    );
  }
}

function readColumns<Name extends string>(
  columns: CsvRecord,
  names: Names<Name>,
  issues: IssueCollector,
): (Name | undefined)[] {
  const read: (Name | undefined)[] = [];
  for (const { text, start } of columns.cells) {
    const name = text === "" ? undefined : knownName(text, names);
    if (text !== "" && name === undefined && !names.hasOthers) {
      issues.add(start, describeUnknownName(text, names));
    }
    if (name !== undefined && read.includes(name)) {
      issues.add(start, `duplicate column ${name}. Keep one of them`, name);
    }
    read.push(name);
  }
  return read;
}

/**
 * Two forgotten quotes make one value of all rows between them, and their people would be gone. Such a value has line
 * breaks, and at least as many delimiters as a row.
 */
function refuseSwallowedRows(
  { text, start, end }: Cell,
  columns: number,
  delimiter: string,
  issues: IssueCollector,
): void {
  if (!/[\r\n]/.test(text) || countOf(text, delimiter) + 1 < columns) return;
  const { line } = issues.lines.at(end);
  issues.add(
    start,
    `the quote opened here closes only on line ${line}, with other rows inside. Close it on its own line`,
  );
}

function hasAllCells(record: CsvRecord, columns: CsvRecord, issues: IssueCollector): boolean {
  const [is, wanted] = [record.cells.length, columns.cells.length];
  if (is === wanted) return true;
  const remedy =
    is < wanted
      ? "Write a delimiter for each empty cell too"
      : "Put a value that contains a delimiter in quotes, or remove the extra cells";
  issues.add(record.start, `expected ${wanted} cells, found ${is}. ${remedy}`);
  return false;
}

function readCells<Name extends string>(
  record: CsvRecord,
  columns: CsvRecord,
  names: readonly (Name | undefined)[],
  issues: IssueCollector,
): Row<Name>["cells"] {
  const cells = new Map<Name, Cell>();
  for (const [place, cell] of record.cells.entries()) {
    const name = names[place];
    if (name !== undefined && !cells.has(name)) cells.set(name, cell);
    if (cell.text !== "" && columns.cells[place]?.text === "") {
      issues.add(
        cell.start,
        `${quoteValue(cell.text)}: no column name above this cell. Name the column, or clear the cell`,
      );
    }
  }
  return cells;
}
