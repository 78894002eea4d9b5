/** Numbers with their nouns. */

export function people(count: number): string {
  return counted(count, "person", "people");
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** `1,200`. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}
