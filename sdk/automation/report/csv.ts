/** The report for spreadsheets: one row a person. */
import { describeFinding } from "../plan/drift.ts";
import { csvCells } from "../roster/write.ts";
import type { Report, ReportedPerson } from "./schema.ts";

const columns: Readonly<Record<string, (person: ReportedPerson) => string | number | null | undefined>> = {
  key: ({ key }) => key,
  email: ({ email }) => email,
  purpose: ({ purpose }) => purpose,
  first_name: ({ firstName }) => firstName,
  last_name: ({ lastName }) => lastName,
  team: ({ team }) => team,
  user_id: ({ userId }) => userId,
  stack: ({ stack }) => stack,
  in_roster: ({ inRoster }) => yesOrNo(inRoster),
  in_state: ({ inState }) => yesOrNo(inState),
  seat: ({ seat }) => seat,
  token_valid_until: ({ token }) => token?.validUntil,
  token_days_left: ({ token }) => token?.daysLeft,
  token_band: ({ token }) => token?.band,
  token_source: ({ token }) => token?.source,
  token_rotation_due: ({ token }) => token?.rotationDue,
  member_since: ({ since }) => since,
  adopted: ({ adopted }) => yesOrNo(adopted),
  access_until: ({ access }) => access?.until,
  access_days_left: ({ access }) => access?.daysLeft,
  access_status: ({ access }) => access?.status,
  seat_use: ({ seatUse }) => seatUse?.status,
  last_seen: ({ seatUse }) => seatUse?.lastSeen,
  unused_since: ({ seatUse }) => seatUse?.unusedSince,
  unused_days: ({ seatUse }) => seatUse?.unusedDays,
};

/**
 * UTF-8 with a byte order mark, by which spreadsheets recognize it. A text that a spreadsheet would evaluate as a formula
 * gets an apostrophe in front.
 */
export function csvOf({ people, drift }: Report): string {
  const findings = Map.groupBy(drift?.findings ?? [], ({ userId }) => userId);
  const driftOf = ({ userId }: ReportedPerson): string | null =>
    drift === null ? null : (findings.get(userId ?? "") ?? []).map(describeFinding).join(", ");
  const rows = people.map((person) =>
    [...Object.values(columns).map((read) => read(person)), driftOf(person)].map(inert),
  );
  return `\ufeff${[[...Object.keys(columns), "drift"], ...rows].map((row) => `${csvCells(row)}\n`).join("")}`;
}

/** The characters that begin a formula in spreadsheets, including full-width forms; a pipe separates a command of DDE. */
const FORMULA = /^[=+\-@|\t\r\uff1d\uff0b\uff0d\uff20\uff5c]/;

function inert<Value>(value: Value): Value | string {
  return typeof value === "string" && FORMULA.test(value) ? `'${value}` : value;
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
