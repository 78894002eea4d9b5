/** Over which stacks people are spread: by a stable hash of the key, so nobody moves when others come and go. */

import { createHash } from "node:crypto";
import { mapConcurrently } from "../../provider/map-concurrently.ts";
import type { Organization } from "./organization.ts";
import type { Roster, RosterPerson } from "./roster/roster.ts";
import { entriesOf, isManaged, keyOf, type State, stateOf } from "./stack-state.ts";

/** How many bytes of the hash tell the stack. */
const HASH_BYTES = 6;

/**
 * The people of one of several stacks. A person stays in the same one whoever else joins or leaves.
 * @param stacks over how many stacks the people are spread
 * @param index which of them, from 0
 */
export function peopleOfShard(
  people: readonly RosterPerson[],
  stacks: number,
  index: number,
): RosterPerson[] {
  return people.filter(({ key }) => shardOf(key, stacks) === index);
}

/** @returns the stack of a person among `stacks`, from 0: the first 6 bytes of the key's SHA-256, modulo their number */
export function shardOf(key: string, stacks: number): number {
  return createHash("sha256").update(key).digest().readUIntBE(0, HASH_BYTES) % stacks;
}

/** The roster with the people of one stack. */
export function rosterOfStack(roster: Roster, stacks: readonly string[], stack: string): Roster {
  if (stacks.length === 1) return roster;
  return { ...roster, people: peopleOfShard(roster.people, stacks.length, stacks.indexOf(stack)) };
}

export interface Move {
  readonly key: string;
  readonly from: string;
  readonly to: string;
}

/** An organization whose stacks are those where people are. */
export interface Placement {
  readonly organization: Organization;
  /** What brings everybody to where the roster says. */
  readonly moves: readonly Move[];
  /** The states that could be read, by stack; values of secrets are encrypted. */
  readonly states: ReadonlyMap<string, State>;
}

/** Looks at all states, those too of another number of stacks. A stack that cannot be read has the people of its hash. */
export async function placePeople(organization: Organization): Promise<Placement> {
  const { roster, stacks: own, staleStacks, concurrency } = organization;
  const found = await mapConcurrently([...own, ...staleStacks], concurrency, async (stack) => ({
    stack,
    state: await readableState(organization, stack),
  }));
  const existing = found.filter(({ state }) => state !== undefined).map(({ stack }) => stack);
  const states = new Map(
    found.flatMap(({ stack, state }) =>
      state === undefined || state === "unreadable" ? [] : [[stack, state] as const],
    ),
  );
  const places = new Map<string, string[]>();
  const moves: Move[] = [];
  for (const [stack, state] of states) {
    for (const key of keysIn(state)) {
      const home = shardStackOf(key, own);
      if (stack === home) places.set(key, [stack, ...(places.get(key) ?? [])]);
      else {
        places.set(key, [...(places.get(key) ?? []), stack]);
        moves.push({ key, from: stack, to: home });
      }
    }
  }
  const busy = new Set([...places.values()].flat());
  const stacks = existing.filter((stack) => own.includes(stack) || busy.has(stack));
  for (const { key } of roster.people) {
    const home = shardStackOf(key, own);
    if (!places.has(key)) places.set(key, [stacks.includes(home) ? home : (stacks[0] ?? home)]);
  }
  return {
    organization: { ...organization, stacks, newStacks: [], staleStacks: [], places },
    moves,
    states,
  };
}

/** Undefined where there is no such stack. @throws where a stack cannot be read that the roster does not ask for */
async function readableState(
  organization: Organization,
  stack: string,
): Promise<State | "unreadable" | undefined> {
  try {
    return await stateOf(organization.engine, stack);
  } catch (error) {
    if (organization.stacks.includes(stack)) return "unreadable";
    throw error;
  }
}

/** The stack that the roster asks for. */
export function shardStackOf(key: string, stacks: readonly string[]): string {
  const home = stacks[shardOf(key, stacks.length)];
  if (home === undefined) throw new Error("an organization has at least one stack");
  return home;
}

/** The people of whom a state has anything, by keys. */
export function keysIn(state: State): Set<string> {
  return new Set(entriesOf(state).filter(isManaged).map(keyOf));
}

/** The roster with the people of one stack. */
export function rosterAt({ roster, stacks, places }: Organization, stack: string): Roster {
  if (places === undefined) return rosterOfStack(roster, stacks, stack);
  return { ...roster, people: roster.people.filter(({ key }) => places.get(key)?.includes(stack)) };
}

/** Whether what a stack has of a person counts; what has been copied counts once. */
export function isCounted({ places }: Organization, stack: string, key: string): boolean {
  const [first = stack] = places?.get(key) ?? [];
  return first === stack;
}
