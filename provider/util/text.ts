/**
 * Texts of messages: repeated next steps, counts with nouns, shortened lists, and characters that act on a terminal.
 */

/** A next step, in one wording for all messages: as a sentence. */
export const RUN_AGAIN = "Run the command again";
/** After another step. */
export const THEN_RUN_AGAIN = "then run the command again";
/** About a run that ended early. */
export const UP_RESUMES = "Run `orgseat up` again; it resumes where it stopped";

export function countedPeople(count: number): string {
  return counted(count, "person", "people");
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** The number of entries after which a list is cut. */
export const LISTED = 20;

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

/** The first such character, as its number; undefined if there is none. @param text one line */
export function actingCharacterIn(text: string): string | undefined {
  const found = text.match(ACTING)?.[0];
  return found === undefined ? undefined : `U+${hexOf(found).padStart(4, "0")}`;
}

/** A text of one line, in which such characters are numbers: `\u{1b}`. */
export function visible(text: string): string {
  return text.replace(ACTING, (character) => `\\u{${hexOf(character).toLowerCase()}}`);
}

/** The same for a text of several lines, with tabs. */
export function visibleLines(text: string): string {
  return text.replace(/[^\n\t]+/g, visible);
}

/** JSON whose texts have such characters as escapes. */
export function escapedInJson(json: string): string {
  return json.replace(/[^\n]+/g, (line) =>
    line.replace(ACTING, (character) => `\\u${hexOf(character).toLowerCase().padStart(4, "0")}`),
  );
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
}

/** In single quotes, for a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
