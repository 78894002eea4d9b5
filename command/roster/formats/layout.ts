/** The named texts of a file with their positions, before they are interpreted. The same for CSV, YAML, and JSON. */

import type { z } from "zod";
import { nearest } from "../../../provider/util/nearest.ts";
import { holdsPrivateKey, PRIVATE_KEY_ISSUE } from "../../../provider/util/recipients.ts";
import { actingCharacterIn, grouped } from "../../../provider/util/text.ts";
import { type IssueCollector, quoteValue } from "./validation.ts";

/** A value as it is written, without its quotes and the white space around it. An empty value counts as missing. */
export interface Cell {
  readonly text: string;
  /** Where the value begins in the file's text, quotes included. */
  readonly start: number;
  readonly end: number;
}

/** One person's fields, by the names of the table. */
export interface Row<Name extends string> {
  readonly start: number;
  readonly cells: ReadonlyMap<Name, Cell>;
  /** Whether the row has more that is unreadable, which is an issue already. */
  readonly isPartial: boolean;
}

export interface Layout<HeaderName extends string, Name extends string> {
  readonly header: ReadonlyMap<HeaderName, Cell>;
  readonly rows: readonly Row<Name>[];
  /** The text before the name of a field of the header. */
  readonly mark: "# " | "";
}

/** The names that one place of a file may use. */
export interface Names<Name extends string> {
  readonly all: readonly Name[];
  /** The noun for one of them in messages, and its plural. */
  readonly noun: string;
  readonly plural: string;
  /** Other words for them, in lower case without spaces, `_` and `-`. Default: none. */
  readonly aliases?: ReadonlyMap<string, Name>;
  /** Those whose value may be a list; its texts become one, with spaces. Default: none. */
  readonly lists?: ReadonlySet<Name>;
  /** Whether the place may have other names, which are not read. Default: they are issues. */
  readonly hasOthers?: boolean;
}

/** @returns the known name that is meant: letter case, spaces, `_` and `-` aside */
export function knownName<Name extends string>(
  given: string,
  { all, aliases }: Names<Name>,
): Name | undefined {
  const meant = plain(given);
  return all.find((name) => plain(name) === meant) ?? aliases?.get(meant);
}

export function describeUnknownName<Name extends string>(given: string, names: Names<Name>): string {
  const { all, noun, plural } = names;
  const near = nearName(given, names);
  const hint = near === undefined ? `the ${plural} are ${all.join(", ")}` : `did you mean ${near}?`;
  return `unknown ${noun} ${quoteValue(given)} (${hint})`;
}

/** @returns the known name that `given` misspells */
export function nearName<Name extends string>(given: string, { all }: Names<Name>): Name | undefined {
  const near = nearest(plain(given), all.map(plain));
  return all.find((name) => plain(name) === near);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]+/g, "");
}

/** Of one value. Ten post-quantum keys have as many. */
export const MOST_CHARACTERS = 20_000;

/** @returns the fields that can be read; the others are issues */
export function readFields<Read>(
  cells: ReadonlyMap<string, Cell>,
  schema: z.ZodType<Read>,
  issues: IssueCollector,
): Read {
  const texts: Record<string, string> = {};
  for (const [name, { text, start }] of cells) {
    const issue = issueOf(text);
    if (issue !== undefined) issues.add(start, issue, name);
    else if (text !== "") texts[name] = text;
  }
  const read = schema.safeParse(texts);
  if (read.success) return read.data;
  for (const { path, message } of read.error.issues) {
    const name = String(path[0]);
    const text = texts[name];
    if (text !== undefined) issues.add(cells.get(name)?.start ?? 0, `${quoteValue(text)}: ${message}`, name);
    delete texts[name];
  }
  return schema.parse(texts);
}

/** What no field may have. */
function issueOf(text: string): string | undefined {
  if (text.length > MOST_CHARACTERS)
    return `${quoteValue(text)}: too long (at most ${grouped(MOST_CHARACTERS)} characters)`;
  if (holdsPrivateKey(text)) return PRIVATE_KEY_ISSUE;
  const acting = actingCharacterIn(text.replace(/\s/g, " "));
  if (acting !== undefined)
    return `contains the control character ${acting.codePoint} in column ${acting.column} of the value. Remove it`;
  return text.isWellFormed()
    ? undefined
    : "contains half of a character (a lone surrogate). Write the character again";
}

export function isGiven<Name>(cells: ReadonlyMap<Name, Cell>, name: Name): boolean {
  return (cells.get(name)?.text ?? "") !== "";
}
