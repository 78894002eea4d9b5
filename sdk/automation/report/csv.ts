/** The report for spreadsheets: one row a person. */
import { stringify } from "csv-stringify/sync";
import type { Report } from "./schema.ts";

/**
 * UTF-8 with a byte order mark, by which spreadsheets know it. A text that a spreadsheet would take for a formula gets
 * an apostrophe in front.
 */
export function csvOf({ people }: Report): string {
  const rows = people.map((person) => ({
    key: person.key,
    email: person.email,
    purpose: person.purpose,
    first_name: person.firstName,
    last_name: person.lastName,
    team: person.team,
    user_id: person.userId,
    stack: person.stack,
    in_roster: yesOrNo(person.inRoster),
    in_state: yesOrNo(person.inState),
    seat: person.seat,
    token_valid_until: person.token?.validUntil,
    token_days_left: person.token?.daysLeft,
    token_band: person.token?.band,
    token_source: person.token?.source,
    member_since: person.since,
    adopted: yesOrNo(person.adopted),
  }));
  return stringify(rows, { header: true, columns: [...columns], bom: true, escape_formulas: true });
}

const columns = [
  "key",
  "email",
  "purpose",
  "first_name",
  "last_name",
  "team",
  "user_id",
  "stack",
  "in_roster",
  "in_state",
  "seat",
  "token_valid_until",
  "token_days_left",
  "token_band",
  "token_source",
  "member_since",
  "adopted",
] as const;

function yesOrNo(value: boolean | null): string {
  return value === null ? "" : value ? "yes" : "no";
}
