/** Which stacks that are named like those of an organization are its own, by their states. */
import type { Engine } from "./engine/engine.ts";
import { entriesOf, membersOf, readState } from "./engine/state.ts";
import { nameOf } from "./plan/urns.ts";
import { among, type Identity } from "./roster/identity.ts";
import { MARKER_TYPE } from "./roster/marker.ts";
import type { Roster } from "./roster/roster.ts";

/**
 * Those with the roster's marker; of those without a marker, or where the roster has no id yet, those with some of its people.
 * A state that cannot be read may be of any.
 */
export async function ownedStacks(
  engine: Engine,
  stacks: readonly string[],
  roster: Roster,
  leavers: readonly Identity[],
): Promise<string[]> {
  const isOurs = await Promise.all(stacks.map((stack) => isOwned(engine, stack, roster, leavers)));
  return stacks.filter((_, index) => isOurs[index]);
}

async function isOwned(
  engine: Engine,
  stack: string,
  roster: Roster,
  leavers: readonly Identity[],
): Promise<boolean> {
  const exported = await engine.exportStack(stack).catch(() => "unreadable" as const);
  if (exported === "unreadable") return true;
  if (exported === undefined) return false;
  const state = readState(stack, exported);
  const ids = entriesOf(state).flatMap(({ type, urn }) => (type === MARKER_TYPE ? [nameOf(urn)] : []));
  if (roster.id !== undefined && ids.length > 0) return ids.includes(roster.id);
  return membersOf(stack, state).some(among([...roster.people, ...leavers]));
}
