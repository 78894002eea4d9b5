/** The seats that a plan needs, and those that the organization has. Pure. */
import type { StateMember } from "../members/state-members.ts";
import type { PlannedMember } from "./members.ts";

export interface Seats {
  /** The seats of managed people before the run, and of everybody else whom a list shows with one. */
  readonly used: number;
  readonly assigned: number;
  readonly returned: number;
  /** The assigned and removed seats without those that one person both loses and gets. */
  readonly wanted: number;
  readonly freed: number;
  /** Undefined if it is unknown. */
  readonly purchased: number | undefined;
  readonly source: "declared" | "unknown";
}

/**
 * @param state all members of the state @param declared the number of seats, if it is
 * @param holders the ids of all users whom the service lists with a seat, if the command has read them
 */
export function seatsOf(
  members: readonly PlannedMember[],
  state: readonly StateMember[],
  declared?: number,
  holders: ReadonlySet<string> = new Set(),
): Seats {
  const each = members.map(({ steps }) => {
    const moves = steps.plan.units.flatMap((unit) => unit.steps.map(({ seats }) => seats));
    return { assigned: count(moves, 1), returned: count(moves, -1) };
  });
  const sum = (of: (one: { assigned: number; returned: number }) => number) =>
    each.reduce((total, one) => total + of(one), 0);
  const planned = new Set(members.map(({ steps }) => steps.name));
  // A list that the plan has read says more than the state: another run may have removed the seat.
  const observed = members.flatMap(({ steps }) => steps.observed.held.users);
  const others = state.filter(({ name }) => !planned.has(name)).flatMap(({ held }) => held.users);
  const seated = [...observed, ...others].filter(({ seat }) => seat !== "none").map(({ id }) => id);
  return {
    used: new Set([...seated, ...holders]).size,
    assigned: sum(({ assigned }) => assigned),
    returned: sum(({ returned }) => returned),
    wanted: sum(({ assigned, returned }) => Math.max(0, assigned - returned)),
    freed: sum(({ assigned, returned }) => Math.max(0, returned - assigned)),
    purchased: declared,
    source: declared === undefined ? "unknown" : "declared",
  };
}

function count(moves: readonly number[], wanted: number): number {
  return moves.filter((one) => one === wanted).length;
}

/** The available seats after the run; negative if there are too few; undefined if unknown. */
export function availableAfter({ used, assigned, returned, purchased }: Seats): number | undefined {
  return purchased === undefined ? undefined : purchased - used - assigned + returned;
}

/** Whether removals of seats must come before assignments; yes if the number of seats is unknown. */
export function needsSwap({ used, wanted, freed, purchased }: Seats): boolean {
  if (wanted === 0 || freed === 0) return false;
  return purchased === undefined || used + wanted > purchased;
}
