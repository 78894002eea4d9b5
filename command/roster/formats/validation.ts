/** The errors of a file that people write, with their places: all of them at once. */

import { LineCounter } from "yaml";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { holdsPrivateKey } from "../../../provider/util/recipients.ts";
import { counted, cut, visible } from "../../../provider/util/text.ts";

export interface ValidationIssue {
  /** In a roster of several files, the one it is in. */
  readonly file?: string;
  /** From 1; 0 if the issue is the file itself, such as a missing one. */
  readonly line: number;
  /** In characters, from 1; 0 as for `line`. */
  readonly column: number;
  /** The field or column it is about. */
  readonly field?: string;
  /** The issue, and what to write instead. */
  readonly text: string;
}

/** How many issues a message lists. */
const SHOWN = 50;

/** A file with issues. Its message has one line for each of the first 50; `issues` has all. */
export class RosterError extends CodedError {
  override readonly name = "RosterError";
  /** As the caller named it. */
  readonly file: string;
  /** In the order of the files and their lines; never empty. */
  readonly issues: readonly ValidationIssue[];

  constructor(file: string, issues: readonly ValidationIssue[]) {
    const sorted = issues.toSorted(
      (a, b) => (a.file ?? "").localeCompare(b.file ?? "") || a.line - b.line || a.column - b.column,
    );
    super("invalid-roster", messageOf(file, sorted));
    this.file = file;
    this.issues = sorted;
  }
}

function messageOf(file: string, issues: readonly ValidationIssue[]): string {
  const [only] = issues;
  if (issues.length === 1 && only?.line === 0) return `${file}: ${only.text}`;
  const count = counted(issues.length, "error");
  const lines = issues.map((issue) => `  ${placeOf(issue)}: ${issue.text}`);
  return [`${file} is invalid (${count}):`, ...cut(lines, SHOWN)].join("\n");
}

/** `line 7, column 5 (email)`, after the file in a roster of several. */
export function placeOf({ file, line, column, field }: ValidationIssue): string {
  if (line === 0) return file ?? "the file";
  const place = `line ${line}, column ${column}${field === undefined ? "" : ` (${field})`}`;
  return file === undefined ? place : `${file}, ${place}`;
}

/** The lines of a text, in any of the three line ends. */
export class Lines {
  readonly #starts = new LineCounter();

  constructor(text: string) {
    this.#starts.addNewLine(0);
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) this.#starts.addNewLine(index + end.length);
  }

  /** @returns line and column, both from 1, of the character at `offset`, which counts from 0 */
  at(offset: number): { line: number; column: number } {
    const { line, col: column } = this.#starts.linePos(offset);
    return { line, column };
  }
}

/** The values of a row, or of a header, with their positions. */
interface Fields<Name extends string> {
  readonly cells: ReadonlyMap<Name, { readonly start: number }>;
  readonly start: number;
}

/** Collects the issues of one text by their positions. */
export class IssueCollector {
  readonly found: ValidationIssue[] = [];
  readonly lines: Lines;

  constructor(text: string) {
    this.lines = new Lines(text);
  }

  add(offset: number, text: string, field?: string): void {
    this.found.push({ ...this.lines.at(offset), ...(field === undefined ? {} : { field }), text });
  }

  /** An issue of a field: where its value is, or where its row begins. */
  addOf<Name extends string>({ cells, start }: Fields<Name>, field: Name, text: string): void {
    this.add(cells.get(field)?.start ?? start, text, field);
  }

  /** @param first the offset of the first occurrence */
  addDuplicate(offset: number, what: string, first: number, field: string): void {
    const { line } = this.lines.at(first);
    this.add(offset, `duplicate ${what} (first on line ${line}). Keep one of them`, field);
  }
}

const SHOWN_CHARACTERS = 60;

/** A value as a message shows it: in quotes, on one line, not too long. */
export function quoteValue(text: string): string {
  if (holdsPrivateKey(text)) return "[a private key]";
  return visible(
    JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text),
  );
}
