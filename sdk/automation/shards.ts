/** Over which stacks people are spread: by a stable hash of the key, so nobody moves when others come and go. */
import { MOST_STACKS } from "./roster/fields.ts";
import { peopleOfShard } from "./roster/program.ts";
import type { Roster } from "./roster/roster.ts";

/** By key, the stacks in whose state the person is. One counts, the first; the others have copies of the same resources. */
export type Places = ReadonlyMap<string, readonly string[]>;

/** `people`, or `people-01` to `people-08`. */
export function stackNames(base: string, count: number): string[] {
  if (count === 1) return [base];
  const width = Math.max(2, String(count).length);
  return Array.from({ length: count }, (_, index) => `${base}-${String(index + 1).padStart(width, "0")}`);
}

/** The stacks of an organization, of whatever number of stacks. */
export function allShardNames(base: string): string[] {
  return [base, ...stackNames(base, MOST_STACKS)];
}

/** Whether a stack is one of an organization, of whatever number of stacks. */
export function isShardName(base: string, name: string): boolean {
  return allShardNames(base).includes(name);
}

/** The roster with the people of one stack. */
export function rosterOfStack(roster: Roster, stacks: readonly string[], stack: string): Roster {
  if (stacks.length === 1) return roster;
  return { ...roster, people: peopleOfShard(roster.people, stacks.length, stacks.indexOf(stack)) };
}
