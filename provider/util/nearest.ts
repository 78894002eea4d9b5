/** Suggestions for misspelled words: "did you mean …?". */

/** One typo is allowed per this number of letters of the longer word, and at least one. */
const LETTERS_PER_TYPO = 4;

/** @returns the word most similar to `given`, ignoring letter case; undefined if none, or several, are */
export function nearest<Word extends string>(given: string, words: readonly Word[]): Word | undefined {
  const [found, second] = words
    // Each letter more is a typo: a long text is like no word.
    .filter((word) => Math.abs(word.length - given.length) <= typosOf(word, given))
    .map((word) => ({ word, typos: typosBetween(given.toLowerCase(), word.toLowerCase()) }))
    .toSorted((a, b) => a.typos - b.typos);
  if (found === undefined || found.typos === second?.typos) return undefined;
  return found.typos > typosOf(found.word, given) ? undefined : found.word;
}

/** How many typos are allowed between two words. */
function typosOf(word: string, given: string): number {
  return Math.max(1, Math.floor(Math.max(given.length, word.length) / LETTERS_PER_TYPO));
}

/** The Damerau-Levenshtein distance: letters added, omitted, replaced, or two neighbors exchanged. */
function typosBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const exchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        at(row, j) + 1,
        at(next, j - 1) + 1,
        at(row, j - 1) + (same ? 0 : 1),
        exchanged ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = row;
    row = next;
  }
  return at(row, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
