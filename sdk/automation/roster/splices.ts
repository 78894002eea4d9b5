/** Changes to a text that leave every other character alone, and what they look like to a reader. */

import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";

export interface Splice {
  readonly start: number;
  readonly end: number;
  /** What stands there instead of `start` to `end`. */
  readonly text: string;
}

export function insert(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** @param splices do not overlap; those at one place go in their order */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = "";
  let at = 0;
  for (const splice of sorted(splices)) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

function sorted(splices: readonly Splice[]): Splice[] {
  return splices.toSorted((a, b) => a.start - b.start);
}

/** @returns the line end that the text has; `\n` where it has none */
export function lineEndOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
}

/** @returns where the line of `at` ends, before its line break */
export function endOfLine(text: string, at: number): number {
  const breaks = /[\r\n]/g;
  breaks.lastIndex = at;
  return breaks.exec(text)?.index ?? text.length;
}

/** @returns where the line after the one of `at` begins; the end of the text where there is none */
export function nextLine(text: string, at: number): number {
  const end = endOfLine(text, at);
  return Math.min(text.length, end + (text.startsWith("\r\n", end) ? 2 : 1));
}

/** @returns where the line of `at` begins */
export function startOfLine(text: string, at: number): number {
  let start = at;
  while (start > 0 && !/[\r\n]/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Lines around a change that show where it is. */
const CONTEXT = 3;

/** @returns the diff, with the file's name above it; empty where nothing changes */
export function unifiedDiff(text: string, splices: readonly Splice[], file: string): string {
  const before = withPlainLineEnds(text);
  const after = withPlainLineEnds(spliced(text, splices));
  const patch = structuredPatch(file, file, before, after, undefined, undefined, { context: CONTEXT });
  return patch.hunks.length === 0 ? "" : formatPatch(patch, FILE_HEADERS_ONLY);
}

/** Line ends are those of the file, so a diff does not show them. */
function withPlainLineEnds(text: string): string {
  return text.replace(/\r\n|\r/g, "\n").replace(/(?<=[^\n])$/, "\n");
}
