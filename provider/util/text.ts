/**
 * Texts of messages: repeated next steps, counts with nouns, shortened lists, and characters that act on a terminal.
 */

/** A next step, in one wording for all messages: as a sentence. */
export const RUN_AGAIN = "Run the command again";
/** After another step. */
export const THEN_RUN_AGAIN = "then run the command again";

export function countedPeople(count: number): string {
  return counted(count, "person", "people");
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** The number of entries after which a list is cut. */
export const LISTED = 20;

/** How many entries of a list are shown. */
export function limitOf({ verbose = false }: { readonly verbose?: boolean | undefined }): number {
  return verbose ? Number.POSITIVE_INFINITY : LISTED;
}

/** A list in lines, up to a limit. */
export function cut(lines: readonly string[], limit: number, indent?: string): string[] {
  return [...lines.slice(0, limit), ...moreLines(lines.length - limit, indent)];
}

/** The line below a list that is cut; none if it is not. @param left the number of other entries */
export function moreLines(left: number, indent = "  "): string[] {
  return left > 0 ? [`${indent}and ${grouped(left)} more`] : [];
}

/** `ada, bob, and 3 more`. @param limit the number of names to show */
export function shortList(names: readonly string[], limit = LISTED): string {
  const more = names.length - limit;
  const shown = names.slice(0, limit);
  if (more <= 0) return shown.join(", ");
  return `${shown.join(", ")}${shown.length > 1 ? "," : ""} and ${grouped(more)} more`;
}

/** `1,200`. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** Control characters, line separators, and those that change the direction of text. */
const ACTING = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Characters without a shape that letters of other scripts and emoji need after them. */
const JOINING = "\\u200c\\u200d\\u180b-\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";
const OTHER_SCRIPT = "(?!\\p{Script=Latin})[^\\0-\\x7f]";
/** The same as `ACTING`, and characters without a shape. */
const UNSEEN = new RegExp(
  `[\\p{Cc}\\u2028\\u2029\\ufff9-\\ufffb]|(?![${JOINING}])\\p{DI}|(?<!${OTHER_SCRIPT})[${JOINING}]`,
  "gu",
);

/** The first control character, line separator, or one that changes the direction of text; undefined if there is none. @param text one line */
export function actingCharacterIn(text: string): PlacedCharacter | undefined {
  return firstCharacter(text, ACTING);
}

/** A character of a text. */
export interface PlacedCharacter {
  /** Such as `U+200B`. */
  readonly codePoint: string;
  /** In characters, from 1. */
  readonly column: number;
}

/** The first character of a text that fits; undefined if there is none. */
export function firstCharacter(text: string, kind: RegExp): PlacedCharacter | undefined {
  const index = text.search(kind);
  const [character] = index === -1 ? "" : text.slice(index);
  if (character === undefined) return undefined;
  return { codePoint: codePointOf(character), column: [...text.slice(0, index)].length + 1 };
}

/** A text of one line for a reader: characters that act on a terminal or that nobody sees are numbers, as in `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, numbered);
}

/** An email, key, or name for comparisons: in lower case, and with one form of letters with accents. */
export function folded(text: string): string {
  return text.normalize("NFC").toLowerCase().normalize("NFC");
}

/** A text of one line for comparisons: only characters that act on a terminal are numbers. */
export function inert(text: string): string {
  return text.replace(ACTING, numbered);
}

function numbered(character: string): string {
  return `\\u{${hexOf(character).toLowerCase()}}`;
}

/** `visible` for a text of several lines, which end in LF or CRLF, with tabs. */
export function visibleLines(text: string): string {
  return text.replace(/(?:[^\n\t\r]|\r(?!\n))+/g, visible);
}

/** JSON whose texts have such characters as escapes. */
export function escapedInJson(json: string): string {
  return json.replace(/[^\n]+/g, (line) =>
    line.replace(UNSEEN, (character) =>
      character
        .split("")
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
        .join(""),
    ),
  );
}

function codePointOf(character: string): string {
  return `U+${hexOf(character).padStart(4, "0")}`;
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
}

/** A word of a command that a message shows. */
export function shellWord(text: string): string {
  return /^[\w@./:+-]+$/.test(text) ? text : shellQuoted(text);
}

/** In single quotes, for a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A sentence to which another one is added. */
export function withoutStop(text: string): string {
  return text.replace(/[.\s]*$/, "");
}
