/** The report for a spreadsheet. */
import { changedIn } from "../../plan/drift.ts";
import type { Report, ReportedDue, ReportedPerson } from "../schema.ts";
import { csvText, type Fields } from "./table.ts";

const personFields: Fields<ReportedPerson> = {
  key: ({ key }) => key,
  email: ({ email }) => email,
  purpose: ({ purpose }) => purpose,
  first_name: ({ firstName }) => firstName,
  last_name: ({ lastName }) => lastName,
  team: ({ team }) => team,
  user_id: ({ userId }) => userId,
  stack: ({ stack }) => stack,
  in_roster: ({ inRoster }) => inRoster,
  in_state: ({ inState }) => inState,
  seat: ({ seat }) => seat,
  token_valid_until: ({ token }) => token?.validUntil,
  token_days_left: ({ token }) => token?.daysLeft,
  token_band: ({ token }) => token?.band,
  token_source: ({ token }) => token?.source,
  token_rotation_due: ({ token }) => token?.rotationDue,
  managed_since: ({ since }) => since,
  adopted: ({ adopted }) => adopted,
  access_until: ({ access }) => access?.until,
  access_days_left: ({ access }) => access?.daysLeft,
  access_status: ({ access }) => access?.status,
  seat_use: ({ seatUse }) => seatUse?.status,
  last_seen: ({ seatUse }) => seatUse?.lastSeen,
  unused_since: ({ seatUse }) => seatUse?.unusedSince,
  unused_days: ({ seatUse }) => seatUse?.unusedDays,
};

const dueFields: Fields<ReportedDue["entries"][number]> = {
  what: ({ what }) => what,
  who: ({ who }) => who,
  key: ({ key }) => key,
  team: ({ team }) => team,
  user_id: ({ userId }) => userId,
  stack: ({ stack }) => stack,
  at: ({ at }) => at,
  days_left: ({ daysLeft }) => daysLeft,
};

/** One row per person, or per date with `--due`. */
export function csvOf({ people, drift, due }: Report): string {
  if (due !== null) return csvText(dueFields, due.entries);
  const changed = changedIn(drift?.findings ?? []);
  const driftOf = ({ userId }: ReportedPerson) => changed.get(userId ?? "")?.what;
  return csvText({ ...personFields, drift: driftOf }, people);
}
