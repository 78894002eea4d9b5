/** Numbers with their nouns. */

export function people(count: number): string {
  return counted(count, "person", "people");
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** How many names one list has. */
const NAMES = 20;

/** `ada, bob and 3 more`: the first twenty. */
export function shortList(names: readonly string[]): string {
  const more = names.length - NAMES;
  const shown = names.slice(0, NAMES).join(", ");
  return more > 0 ? `${shown} and ${grouped(more)} more` : shown;
}

/** `1,200`. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
