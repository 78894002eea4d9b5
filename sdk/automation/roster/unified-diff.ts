/** Edits as a unified diff, the form that reviewers know. */

import { nextLine, type Splice, spliced, startOfLine } from "./splices.ts";
import { Lines } from "./validation.ts";

/** Lines around a change that show where it is. */
const CONTEXT = 3;

/** Lines that change together. */
interface Change {
  /** The first of them in the old text, from 0. */
  readonly from: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** @returns the diff, with the file's name above it; empty where nothing changes */
export function unifiedDiff(text: string, splices: readonly Splice[], file: string): string {
  const lines = linesOf(text);
  const hunks = together(changesOf(text, splices));
  if (hunks.length === 0) return "";
  let shift = 0;
  const written = hunks.flatMap((changes) => {
    const hunk = hunkOf(lines, changes, shift);
    for (const { before, after } of changes) shift += after.length - before.length;
    return hunk;
  });
  return [`--- ${file}`, `+++ ${file}`, ...written, ""].join("\n");
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function changesOf(text: string, splices: readonly Splice[]): Change[] {
  const places = new Lines(text);
  const blocks: { start: number; end: number; splices: Splice[] }[] = [];
  for (const splice of splices.toSorted((a, b) => a.start - b.start)) {
    const { start, end } = wholeLines(text, splice);
    const last = blocks.at(-1);
    if (last !== undefined && start <= last.end) {
      last.end = Math.max(last.end, end);
      last.splices.push(splice);
    } else {
      blocks.push({ start, end, splices: [splice] });
    }
  }
  return blocks.flatMap(({ start, end, splices: inside }) => {
    const moved = inside.map((one) => ({ ...one, start: one.start - start, end: one.end - start }));
    const old = text.slice(start, end);
    return changeOf(places.at(start).line - 1, linesOf(old), linesOf(spliced(old, moved)));
  });
}

function wholeLines(text: string, splice: Splice): { start: number; end: number } {
  const start = startOfLine(text, splice.start);
  const isWhole = start === splice.start && startOfLine(text, splice.end) === splice.end;
  return { start, end: isWhole ? splice.end : nextLine(text, splice.end) };
}

/** @returns what differs, without the lines that are the same before and after it */
function changeOf(at: number, before: readonly string[], after: readonly string[]): Change[] {
  let first = 0;
  while (first < before.length && before[first] === after[first]) first += 1;
  let last = 0;
  const most = Math.min(before.length, after.length) - first;
  while (last < most && before.at(-1 - last) === after.at(-1 - last)) last += 1;
  const change = {
    from: at + first,
    before: before.slice(first, before.length - last),
    after: after.slice(first, after.length - last),
  };
  return change.before.length + change.after.length === 0 ? [] : [change];
}

/** Changes whose surroundings meet stand in one hunk. */
function together(changes: readonly Change[]): Change[][] {
  const hunks: Change[][] = [];
  for (const change of changes) {
    const last = hunks.at(-1)?.at(-1);
    const isNear = last !== undefined && change.from - last.from - last.before.length <= 2 * CONTEXT;
    if (isNear) hunks.at(-1)?.push(change);
    else hunks.push([change]);
  }
  return hunks;
}

/** @param shift by how many lines the hunks before have moved the text */
function hunkOf(lines: readonly string[], changes: readonly Change[], shift: number): string[] {
  const start = Math.max(0, (changes[0]?.from ?? 0) - CONTEXT);
  const written: string[] = [];
  let at = start;
  for (const { from, before, after } of changes) {
    written.push(...lines.slice(at, from).map((line) => ` ${line}`));
    written.push(...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`));
    at = from + before.length;
  }
  written.push(...lines.slice(at, at + CONTEXT).map((line) => ` ${line}`));
  const count = (other: string): number => written.filter((line) => !line.startsWith(other)).length;
  return [`@@ -${range(start, count("+"))} +${range(start + shift, count("-"))} @@`, ...written];
}

function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}
