/** The stacks of people: by a stable hash of the key, so that no person moves when others come and go. */

import { createHash } from "node:crypto";
import { InternalError } from "../../provider/util/error-codes.ts";
import { mapConcurrently } from "../../provider/util/lists.ts";
import { countedPeople } from "../../provider/util/text.ts";
import type { Step } from "../plan/steps/steps.ts";
import type { Roster, RosterPerson } from "../roster/roster.ts";
import type { Declaration, Organization, PlacedStacks } from "./organization.ts";
import { entriesOf, isManaged, keyOf, type State, stateOf, statesOf } from "./stack-state.ts";
import { pendingUsersIn } from "./undecided.ts";

/** The number of bytes of the hash that choose the stack. */
const HASH_BYTES = 6;

/**
 * The people of one of several stacks. A person stays in the same stack when others join or leave.
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

/** An organization with the stacks in which people are now. */
export interface Placement {
  readonly organization: Organization;
  /** The moves to the stacks that the roster requires. */
  readonly moves: readonly Move[];
  /** The readable states, by stack; values of secrets are encrypted. */
  readonly states: ReadonlyMap<string, State>;
}

/** Reads all states, including those of another number of stacks. An unreadable stack counts with the people of its hash. */
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

/** Undefined if the stack does not exist. @throws if it is unreadable and the roster does not require it */
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

/** The stack that the roster requires. */
export function shardStackOf(key: string, stacks: readonly string[]): string {
  const home = stacks[shardOf(key, stacks.length)];
  if (home === undefined) throw new InternalError("an organization has at least one stack");
  return home;
}

/** The keys of the members with any resource in a state, or with one that may exist. */
export function keysIn(state: State): Set<string> {
  const pending = pendingUsersIn(state).map(({ resource }) => resource);
  return new Set([...entriesOf(state).filter(isManaged), ...pending].map(keyOf));
}

/** The roster with the people of one stack. */
export function rosterAt({ roster, stacks, places }: Declaration & PlacedStacks, stack: string): Roster {
  if (places === undefined) return rosterOfStack(roster, stacks, stack);
  return { ...roster, people: roster.people.filter(({ key }) => places.get(key)?.includes(stack)) };
}

/** Whether the resources of a person in a stack count: copies in several stacks count once. */
export function isCounted({ places }: PlacedStacks, stack: string, key: string): boolean {
  const [first = stack] = places?.get(key) ?? [];
  return first === stack;
}

/** People are in other stacks than the roster requires; only `up` of the whole organization moves them. */
export class ShardMismatch extends Error {
  readonly moves: readonly Move[];
  constructor(moves: readonly Move[], stacks: number) {
    super(
      `${countedPeople(moves.length)} ${moves.length === 1 ? "is" : "are"} not in the stacks that \`stacks: ${stacks}\` requires. Run \`orgseat up\`, which first moves their states, without changes in the service`,
    );
    this.name = "ShardMismatch";
    this.moves = moves;
  }
}

/**
 * Members in a wrong stack, as far as the states show it before a preview: those of stacks that the roster does not require,
 * and all if it requires new stacks beside others, because a preview creates a missing stack.
 */
export async function staleMembers(organization: PlacedStacks): Promise<Move[]> {
  const { stacks: own, newStacks, staleStacks } = organization;
  const hasNewShards = newStacks.length > 0 && newStacks.length < own.length;
  const looked = hasNewShards
    ? [...own.filter((name) => !newStacks.includes(name)), ...staleStacks]
    : staleStacks;
  const found = [...(await statesOf(organization, looked))];
  return found.flatMap(([stack, state]) => movesFrom(organization, stack, keysIn(state)));
}

/** Members in another stack than the hash of the key requires: after an interrupted move, or a change of `stacks`. */
export function misplacedMembers(organization: Declaration & PlacedStacks, steps: readonly Step[]): Move[] {
  if (organization.places !== undefined) return [];
  const there = steps.filter(({ action, type }) => action !== "create" && type !== "Roster");
  return [...Map.groupBy(there, ({ stack }) => stack)].flatMap(([stack, mine]) =>
    movesFrom(organization, stack, new Set(mine.map(({ member }) => member))),
  );
}

function movesFrom({ stacks }: PlacedStacks, stack: string, keys: ReadonlySet<string>): Move[] {
  return [...keys].flatMap((key) => {
    const to = shardStackOf(key, stacks);
    return to === stack ? [] : [{ key, from: stack, to }];
  });
}
