/** Edits as a unified diff, the form that reviewers know. */
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from "diff";
import { type Splice, spliced } from "./splices.ts";

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
