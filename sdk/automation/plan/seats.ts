/** Seat arithmetic: what a plan needs against what the organization has bought. */
import type { PlannedMember } from "./members.ts";
import type { Step } from "./steps.ts";

export interface Seats {
  /** Held before the run by people who are managed, or are taken over by it. */
  readonly used: number;
  readonly assigned: number;
  readonly returned: number;
  /** Of these, what needs a seat that its person did not hold, and gives one back that its person does not get again. */
  readonly wanted: number;
  readonly freed: number;
  /** Undefined where nobody has said it. */
  readonly bought: number | undefined;
  /** `declared`: the roster's header or `orgseat:seats`; `onboarding`: what call 4 answered last. */
  readonly source: "declared" | "onboarding" | "not checked";
}

export function seatsOf(members: readonly PlannedMember[], steps: readonly Step[], declared?: number): Seats {
  const each = members.map(({ actions }) => ({
    assigned: actions.filter((deed) => deed === "assignSeat").length,
    returned: actions.filter((deed) => deed === "returnSeat").length,
  }));
  const sum = (one: (seats: { assigned: number; returned: number }) => number): number =>
    each.reduce((total, seats) => total + one(seats), 0);
  const held = steps.filter(
    ({ type, action, news }) => type === "SeatAssignment" && (action !== "create" || news?.adopt === true),
  );
  const answered = declared === undefined ? lastAnswered(steps) : undefined;
  return {
    used: held.length,
    assigned: sum(({ assigned }) => assigned),
    returned: sum(({ returned }) => returned),
    wanted: sum(({ assigned, returned }) => Math.max(0, assigned - returned)),
    freed: sum(({ assigned, returned }) => Math.max(0, returned - assigned)),
    bought: declared ?? answered,
    source: declared !== undefined ? "declared" : answered !== undefined ? "onboarding" : "not checked",
  };
}

function lastAnswered(steps: readonly Step[]): number | undefined {
  const totals = steps.flatMap(({ type, olds }) => (type === "Onboarding" ? [olds?.totalSeats] : []));
  return totals.findLast((total) => typeof total === "number");
}

/** Seats free when all is done; negative where some are short; undefined where that is not known. */
export function freeAfter({ used, assigned, returned, bought }: Seats): number | undefined {
  return bought === undefined ? undefined : bought - used - assigned + returned;
}

/** Whether seats have to come back before new ones are assigned; where it is not known, they do. */
export function needsSwap({ used, wanted, freed, bought }: Seats): boolean {
  if (wanted === 0 || freed === 0) return false;
  return bought === undefined || used + wanted > bought;
}
