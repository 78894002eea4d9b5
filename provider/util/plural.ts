/** Counts with nouns, and shortened lists. */

export function countedPeople(count: number): string {
  return counted(count, "person", "people");
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** The number of entries after which a list is cut. */
export const LISTED = 20;

/** `ada, bob and 3 more`. @param limit the number of names to show */
export function shortList(names: readonly string[], limit = LISTED): string {
  const more = names.length - limit;
  const shown = names.slice(0, limit).join(", ");
  return more > 0 ? `${shown} and ${grouped(more)} more` : shown;
}

/** `1,200`. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
