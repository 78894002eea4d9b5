/** Settings of the whole roster in a verb that adds people: it writes those that the roster lacks, and changes none. */
import { CodedError } from "../../../provider/util/error-codes.ts";
import { instantMs, parseInstant } from "../../../provider/util/instants.ts";
import { counted, shortList } from "../../../provider/util/text.ts";
import { ON_DELETE } from "../field-forms.ts";
import type { HeaderField } from "../fields.ts";
import { headFileOf, labelOf, type Roster, type RosterPerson } from "../roster.ts";

/** The values that a verb was given, as they were typed. */
export type GivenSettings = Readonly<
  Partial<Record<"organization" | "subscription" | "on_delete", string | undefined>>
>;

/** The setting in the roster, and the flag with which a verb writes it. */
interface Setting {
  readonly field: keyof GivenSettings & HeaderField;
  readonly flag: string;
  readonly valueIn: (roster: Roster) => string | undefined;
  readonly isSame: (one: string, other: string) => boolean;
  /** What a missing field means for people whom a state has. */
  readonly byDefault?: string;
}

const settings: readonly Setting[] = [
  {
    field: "organization",
    flag: "--organization",
    valueIn: ({ organizationId }) => organizationId,
    isSame: (one, other) => one.toLowerCase() === other.toLowerCase(),
  },
  {
    field: "subscription",
    flag: "--subscription",
    valueIn: ({ subscriptionExpiresAt }) => subscriptionExpiresAt,
    isSame: (one, other) => timeOf(one) === timeOf(other),
  },
  {
    field: "on_delete",
    flag: "--on-delete",
    valueIn: ({ onDelete }) => onDelete,
    isSame: (one, other) => one === other,
    byDefault: ON_DELETE[0],
  },
];

function timeOf(text: string): number | string {
  const instant = parseInstant(text);
  return instant === undefined ? text : instantMs(instant);
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
  for (const { field, flag, valueIn, isSame, byDefault } of settings) {
    const [value, written] = [given[field], valueIn(roster)];
    const rows = written === undefined ? roster.people.filter(({ key }) => managed.has(key)) : roster.people;
    const known = written ?? (rows.length > 0 ? byDefault : undefined);
    if (value === undefined || known === undefined || isSame(value, known)) continue;
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
