/** Changes to a text that leave every other character alone, and their unified diff. */

import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";

export interface Splice {
  readonly start: number;
  readonly end: number;
  /** Replaces `start` to `end`. */
  readonly text: string;
}

export function insert(at: number, text: string): Splice {
  return { start: at, end: at, text };
}

/** @param splices do not overlap; those at one place go in their order */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = "";
  let at = 0;
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, splice.start) + splice.text;
    at = splice.end;
  }
  return result + text.slice(at);
}

/** The line end of the text; `\n` if it has none. */
export function lineEndOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
}

/** The end of the line of `at`, before its line break. */
export function endOfLine(text: string, at: number): number {
  const breaks = /[\r\n]/g;
  breaks.lastIndex = at;
  return breaks.exec(text)?.index ?? text.length;
}

/** The start of the next line; the end of the text if there is none. */
export function nextLine(text: string, at: number): number {
  const end = endOfLine(text, at);
  return Math.min(text.length, end + (text.startsWith("\r\n", end) ? 2 : 1));
}

export function startOfLine(text: string, at: number): number {
  let start = at;
  while (start > 0 && !/[\r\n]/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Unchanged lines around a change. */
const CONTEXT = 3;

/** A diff with the name of the file; empty if nothing changes. */
export function unifiedDiff(before: string, after: string, file: string): string {
  const [old, changed] = [withPlainLineEnds(before), withPlainLineEnds(after)];
  const patch = structuredPatch(file, file, old, changed, undefined, undefined, { context: CONTEXT });
  return patch.hunks.length === 0 ? "" : formatPatch(patch, FILE_HEADERS_ONLY);
}

/** Line ends are those of the file, so a diff does not show them. */
function withPlainLineEnds(text: string): string {
  return text.replace(/\r\n|\r/g, "\n").replace(/(?<=[^\n])$/, "\n");
}
