/** How many people may lose access in one run that no one approved: one rule for the provider and for plans. */

/** The share of the people whom a run knows, and the number who always may. */
const SHARE = 0.2;
const ALWAYS = 3;
export const MOST_REMOVALS = 25;

/** @param people whom the run knows */
export function removalLimit(people: number): number {
  return Math.max(ALWAYS, Math.min(MOST_REMOVALS, Math.floor(people * SHARE)));
}

/** The rule in words: the share of whom, and its bounds. */
export const REMOVAL_SHARE = `${SHARE * 100}%`;
export const REMOVAL_BOUNDS = `at least ${ALWAYS}, at most ${MOST_REMOVALS}`;
