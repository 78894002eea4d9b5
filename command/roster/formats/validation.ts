/** The errors of a file that people write, with their places: all of them at once. */

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
/** With so many issues the reading of a file stops: they say nothing new, and could fill the memory. */
const MOST_ISSUES = 1000;

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
  const count = `${counted(issues.length, "error")}${issues.length < MOST_ISSUES ? "" : " or more"}`;
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
  readonly #text: string;
  /** Where each line begins. */
  #starts: Uint32Array | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** @returns line and column, both from 1, of the character at `offset`, which counts from 0 */
  at(offset: number): { line: number; column: number } {
    this.#starts ??= startsOfLines(this.#text);
    let [line, above] = [0, this.#starts.length];
    while (above - line > 1) {
      const middle = (line + above) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) line = middle;
      else above = middle;
    }
    return { line: line + 1, column: offset - (this.#starts[line] ?? 0) + 1 };
  }
}

const [LF, CR] = [10, 13];

/** By their codes, because a file can consist of millions of empty lines. */
function startsOfLines(text: string): Uint32Array {
  const isEnd = (index: number): boolean => {
    const code = text.charCodeAt(index);
    return code === LF || (code === CR && text.charCodeAt(index + 1) !== LF);
  };
  let count = 1;
  for (let index = 0; index < text.length; index++) if (isEnd(index)) count += 1;
  const starts = new Uint32Array(count);
  for (let [index, line] = [0, 1]; index < text.length; index++) if (isEnd(index)) starts[line++] = index + 1;
  return starts;
}

/** The values of a row, or of a header, with their positions. */
interface Fields<Name extends string> {
  readonly cells: ReadonlyMap<Name, { readonly start: number }>;
  readonly start: number;
}

/** What to do about a file that is too long. */
export const SPLIT = "Split the roster into several files in a folder, or remove what does not belong in it";

/** Collects the issues of one text by their positions. */
export class IssueCollector {
  readonly found: ValidationIssue[] = [];
  readonly lines: Lines;
  readonly #file: string;
  readonly #most: number;

  /** @param file the name of the text in messages @param most with how many issues the reading stops */
  constructor(text: string, file: string, most = MOST_ISSUES) {
    this.lines = new Lines(text);
    this.#file = file;
    this.#most = most;
  }

  /** @throws RosterError with all issues if these are too many */
  add(offset: number, text: string, field?: string): void {
    this.found.push({ ...this.lines.at(offset), ...(field === undefined ? {} : { field }), text });
    if (this.found.length >= this.#most) this.throwFound();
  }

  /** For an issue after which nothing more can be read. @throws RosterError */
  stop(offset: number, text: string): never {
    this.add(offset, text);
    throw new RosterError(this.#file, this.found);
  }

  /** @throws RosterError if there is an issue */
  throwFound(): void {
    if (this.found.length > 0) throw new RosterError(this.#file, this.found);
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
