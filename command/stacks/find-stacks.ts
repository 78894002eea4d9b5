/** The stacks of an organization, from those that Pulumi lists: how many there are, which are new, and which are left over. */
import { availableParallelism } from "node:os";
import { mapConcurrently } from "../../provider/util/lists.ts";
import type { Engine, ListedStack } from "../engine/engine.ts";
import { isStackOf, numberedStacks, stackNames, stackSeries } from "../engine/stack-names.ts";
import { nameOf } from "../plan/steps/steps.ts";
import { among, type Identity, MARKER_TYPE, type Roster } from "../roster/roster.ts";
import { entriesOf, isManaged, membersIn, stateOf } from "./stack-state.ts";

interface FoundStacks {
  /** Those of the roster, in the order of their numbers. */
  readonly stacks: readonly string[];
  /** Of them, those that do not exist yet. */
  readonly newStacks: readonly string[];
  /** Existing stacks with names of another number of stacks, whoever owns them. */
  readonly others: readonly string[];
  /** The configuration of the first stack; empty if that does not exist yet. */
  readonly first: ReadonlyMap<string, string>;
  /** By stack, the last write of its state before this command, a timestamp. */
  readonly savedAt: ReadonlyMap<string, string>;
}

interface WantedStacks {
  readonly engine: Engine;
  readonly baseName: string;
  /** The number of stacks that the roster names. */
  readonly declared: number | undefined;
  /** The names if nothing says another number. */
  readonly likely: readonly string[];
  /** Whether the likely stacks count as existing if the backend lists none. */
  readonly acceptsUnreadable: boolean;
}

export async function findStacks(wanted: WantedStacks): Promise<FoundStacks> {
  const { engine, baseName, declared, likely, acceptsUnreadable } = wanted;
  const [likelyConfig, listed] = await Promise.all([
    engine.configOf(likely[0] ?? baseName),
    existingStacks(engine, baseName).catch((reason: unknown): ListedStack[] => {
      if (!acceptsUnreadable) throw reason;
      return likely.map((name) => ({ name }));
    }),
  ]);
  const existing = listed.map(({ name }) => name);
  const count = declared ?? (await countStacks(engine, baseName, existing, likely.length));
  const stacks = stackNames(baseName, count);
  return {
    stacks,
    newStacks: stacks.filter((name) => !existing.includes(name)),
    others: existing.filter((name) => isStackOf(baseName, name) && !stacks.includes(name)),
    first: stacks[0] === likely[0] ? likelyConfig : await engine.configOf(stacks[0] ?? baseName),
    savedAt: new Map(listed.flatMap(({ name, savedAt }) => (savedAt === undefined ? [] : [[name, savedAt]]))),
  };
}

/** Of a roster that does not say it. The stack without a number may be there for its configuration alone. */
async function countStacks(
  engine: Engine,
  baseName: string,
  existing: readonly string[],
  chosen: number,
): Promise<number> {
  const others = numberedStacks(baseName, existing) || chosen;
  if (others === 1 || !existing.includes(baseName)) return others;
  const state = await stateOf(engine, baseName).catch(() => "unreadable" as const);
  return state === "unreadable" || (state && entriesOf(state).some(isManaged)) ? 1 : others;
}

/** Commands of Pulumi at once, where a state is unreadable. */
const MOST_AT_ONCE = Math.min(4, availableParallelism());
/** So many stacks in a row can be missing before the others are not looked for. */
const BLOCK = 16;

/** If the state of one stack is unreadable, Pulumi lists none: then it is asked for each possible stack. */
async function existingStacks(engine: Engine, baseName: string): Promise<ListedStack[]> {
  try {
    return await engine.listStacks(baseName);
  } catch (reason) {
    const series = stackSeries(baseName);
    // The last stack rarely exists: if Pulumi cannot answer for it, the reason is another one.
    if ((await isThere(engine, series.at(-1)?.at(-1) ?? baseName)) === undefined) throw reason;
    const found: ListedStack[] = [];
    for (const names of series) found.push(...(await existingIn(engine, names)));
    return found;
  }
}

/** Up to the first block of names without a stack. */
async function existingIn(engine: Engine, names: readonly string[]): Promise<ListedStack[]> {
  const found: ListedStack[] = [];
  for (let start = 0; start < names.length; start += BLOCK) {
    const block = names.slice(start, start + BLOCK);
    const answers = await mapConcurrently(block, MOST_AT_ONCE, (name) => isThere(engine, name));
    const there = block.filter((_, index) => answers[index] !== false);
    if (there.length === 0) break;
    found.push(...there.map((name) => ({ name })));
  }
  return found;
}

/** Undefined if the state is unreadable. */
async function isThere(engine: Engine, stack: string): Promise<boolean | undefined> {
  try {
    return (await engine.exportStack(stack)) !== undefined;
  } catch {
    return undefined;
  }
}

/**
 * The stacks with the marker of the roster; without a marker or a roster id, those with some of its people. An unreadable
 * state counts as owned.
 */
export async function ownedStacks(
  engine: Engine,
  stacks: readonly string[],
  roster: Roster,
  offboarded: readonly Identity[],
): Promise<string[]> {
  const isOurs = await Promise.all(stacks.map((stack) => isOwned(engine, stack, roster, offboarded)));
  return stacks.filter((_, index) => isOurs[index]);
}

async function isOwned(
  engine: Engine,
  stack: string,
  roster: Roster,
  offboarded: readonly Identity[],
): Promise<boolean> {
  const state = await stateOf(engine, stack).catch(() => "unreadable" as const);
  if (state === "unreadable") return true;
  if (state === undefined) return false;
  const ids = entriesOf(state).flatMap(({ type, urn }) => (type === MARKER_TYPE ? [nameOf(urn)] : []));
  if (roster.id !== undefined && ids.length > 0) return ids.includes(roster.id);
  return membersIn([[stack, state]]).some(among([...roster.people, ...offboarded]));
}
