/** "Did you mean …?": the known word that a misspelt one stands for. */

/** How many slips of the pen make another word of it: one in four letters, and one in the shortest. */
const LETTERS_A_SLIP = 4;

/** @returns the word that is nearest to `given`, letter case aside; undefined where none is near, or several are as near */
export function nearest<Word extends string>(given: string, words: readonly Word[]): Word | undefined {
  const allowed = Math.max(1, Math.floor(given.length / LETTERS_A_SLIP));
  const [found, second] = words
    .map((word) => ({ word, slips: slipsBetween(given.toLowerCase(), word.toLowerCase()) }))
    .toSorted((a, b) => a.slips - b.slips);
  if (found === undefined || found.slips > allowed || found.slips === second?.slips) return undefined;
  return found.word;
}

/** Letters added, left out, mistaken, or two of them exchanged. */
function slipsBetween(a: string, b: string): number {
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
