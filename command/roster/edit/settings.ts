/** Settings of the whole roster in a verb that adds people: it writes those that the roster lacks, and changes none. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import { instantMs, parseInstant } from "../../../provider/util/instants.ts";
import { counted, shortList } from "../../../provider/util/text.ts";
import { ON_DELETE } from "../field-forms.ts";
import type { HeaderField } from "../fields.ts";
import { headFileOf, labelOf, type Roster, type RosterPerson } from "../roster.ts";

/** The settings that a verb writes, with its flags. */
const flags = [
  ["organization", "--organization"],
  ["subscription", "--subscription"],
  ["on_delete", "--on-delete"],
] as const satisfies readonly (readonly [HeaderField, string])[];

/** The values that a verb was given, as they were typed. */
export type GivenSettings = Readonly<Partial<Record<(typeof flags)[number][0], string | undefined>>>;

/** The same of timestamps that mean the same, and of texts in any letter case. */
function meantBy(text: string): number | string {
  const instant = parseInstant(text);
  return instant === undefined ? text.toLowerCase() : instantMs(instant);
}

/**
 * @param managed the keys of the rows whose people a state has
 * @throws CodedError for a value that differs from the one that rows have: with those rows
 */
export function refuseOtherSettings(
  roster: Roster,
  given: GivenSettings,
  managed: ReadonlySet<string> = new Set(),
): void {
  const { organizationId: organization, subscriptionExpiresAt: subscription, onDelete } = roster;
  const all: GivenSettings = { organization, subscription, on_delete: onDelete };
  for (const [field, flag] of flags) {
    const [value, written] = [given[field], all[field]];
    const rows = written === undefined ? roster.people.filter(({ key }) => managed.has(key)) : roster.people;
    // What a missing field means for people whom a state has.
    const byDefault = field === "on_delete" && rows.length > 0 ? ON_DELETE[0] : undefined;
    const known = written ?? byDefault;
    if (value === undefined || known === undefined || meantBy(value) === meantBy(known)) continue;
    const advice = written === undefined ? `Pass ${flag} ${known}` : `Omit ${flag}`;
    const says = written === undefined ? `has no ${field}, which means ${known}` : `says ${field}: ${known}`;
    throw new CodedError(
      "invalid-flag",
      `cannot write ${field}: ${value}: ${headFileOf(roster)} ${says}${concerning(rows)}. No changes were made. ${advice}; or change the roster yourself, and look at \`orgseat preview\` first`,
    );
  }
}

/** The rows that a changed setting would have changed. */
function concerning(rows: readonly RosterPerson[]): string {
  if (rows.length === 0) return "";
  const who = shortList(rows.map((row) => `${labelOf(row)} (${row.place})`));
  return `, and the change would concern ${counted(rows.length, "row")}: ${who}`;
}
