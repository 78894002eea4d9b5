/** Who uses the seat: the last uses of a file against the seats of the state. */
import type { HeldUser } from "../../provider/member/held.ts";
import { DAY_MS } from "../../provider/util/instants.ts";
import type { LastSeen } from "../roster/last-seen.ts";
import type { ReportedPerson, ReportedSeatUse, SeatUses } from "./schema.ts";

export const DEFAULT_IDLE_DAYS = 30;

export interface SeatUseFacts {
  readonly lastSeen: LastSeen;
  readonly idleDays: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** @param user with a seat */
export function seatUseOf(
  { since: memberSince, seatSince, seatAdopted }: HeldUser,
  email: string | undefined,
  { lastSeen, idleDays, now }: SeatUseFacts,
): ReportedSeatUse {
  const seen = email === undefined ? undefined : lastSeen.get(email);
  if (seen === undefined) {
    const status = email === undefined ? "withoutEmail" : "notInFile";
    return { status, ...notKnown };
  }
  const assigned = seatSince ?? (seatAdopted ? memberSince : undefined);
  // An adopted seat is older than its state says, so the state's date only counts if nothing else is known.
  const exact = seatAdopted ? undefined : assigned;
  const since = latest(seen, exact) ?? assigned;
  const days = since === undefined ? null : Math.max(0, Math.floor((now - Date.parse(since)) / DAY_MS));
  const isWithin = (at: string | null | undefined): boolean =>
    typeof at === "string" && now - Date.parse(at) < idleDays * DAY_MS;
  const judge = (): ReportedSeatUse["status"] => {
    if (isWithin(seen)) return "used";
    if (isWithin(exact)) return "new";
    return since === undefined || isWithin(since) ? "unknown" : "idle";
  };
  const status = judge();
  if (status === "unknown") return { status, ...notKnown };
  return { status, lastSeen: seen, unusedSince: since ?? null, unusedDays: days };
}

const notKnown = { lastSeen: null, unusedSince: null, unusedDays: null };

function latest(seen: string | null, assigned: string | undefined): string | undefined {
  if (seen === null || assigned === undefined) return seen ?? assigned;
  return Date.parse(seen) >= Date.parse(assigned) ? seen : assigned;
}

export function countSeatUses(
  people: readonly ReportedPerson[],
  { lastSeen, idleDays }: Pick<SeatUseFacts, "lastSeen" | "idleDays">,
): SeatUses {
  const emails = new Set(people.flatMap(({ email }) => email ?? []));
  const notInRoster = [...lastSeen.keys()].filter((email) => !emails.has(email)).length;
  const counts = { used: 0, idle: 0, new: 0, unknown: 0, notInFile: 0, withoutEmail: 0 };
  for (const { seatUse } of people) if (seatUse !== null) counts[seatUse.status] += 1;
  return { idleDays, ...counts, notInRoster };
}
