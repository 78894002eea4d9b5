/** The seats that a plan needs, and those that the organization has. */
import type { PlannedMember } from "./members.ts";
import type { Step } from "./steps/steps.ts";

export interface Seats {
  /** The seats of managed and of adopted people before the run, and of everybody else whom a list shows with one. */
  readonly used: number;
  readonly assigned: number;
  readonly returned: number;
  /** The assigned and removed seats without those that one person both loses and gets. */
  readonly wanted: number;
  readonly freed: number;
  /** Undefined if it is unknown. */
  readonly purchased: number | undefined;
  /** `declared`: the roster's header or `orgseat:seats`; `onboarding`: the last response to "onboard users". */
  readonly source: "declared" | "onboarding" | "unknown";
}

/**
 * @param declared the number of seats, if it is
 * @param holders the ids of all users whom the service lists with a seat, if the command has read them
 */
export function seatsOf(
  members: readonly PlannedMember[],
  steps: readonly Step[],
  declared?: number,
  holders: ReadonlySet<string> = new Set(),
): Seats {
  const each = members.map(({ actions }) => ({
    assigned: actions.filter((action) => action === "assignSeat").length,
    returned: actions.filter((action) => action === "returnSeat").length,
  }));
  const sum = (one: (seats: { assigned: number; returned: number }) => number): number =>
    each.reduce((total, seats) => total + one(seats), 0);
  const existing = steps.filter(
    ({ type, action, news, lacksObject = false }) =>
      type === "SeatAssignment" && (action !== "create" || (news?.adopt === true && !lacksObject)),
  );
  const answered = declared === undefined ? lastAnswered(steps) : undefined;
  return {
    used: existing.length + holders.difference(usersWithSeat(steps)).size,
    assigned: sum(({ assigned }) => assigned),
    returned: sum(({ returned }) => returned),
    wanted: sum(({ assigned, returned }) => Math.max(0, assigned - returned)),
    freed: sum(({ assigned, returned }) => Math.max(0, returned - assigned)),
    purchased: declared ?? answered,
    source: declared !== undefined ? "declared" : answered !== undefined ? "onboarding" : "unknown",
  };
}

/** The users whose seat the plan keeps, adopts, assigns, or removes: the actions count them. */
function usersWithSeat(steps: readonly Step[]): ReadonlySet<unknown> {
  const seats = steps.filter(({ type }) => type === "SeatAssignment");
  return new Set(seats.flatMap(({ id, olds, news }) => [id, olds?.userId, news?.userId]));
}

function lastAnswered(steps: readonly Step[]): number | undefined {
  const totals = steps.flatMap(({ type, olds }) => (type === "Onboarding" ? [olds?.totalSeats] : []));
  return totals.findLast((total) => typeof total === "number");
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
