/** Texts of others, whose characters must not act on a terminal: not erase a line, not reorder or hide another. */

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

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
}
