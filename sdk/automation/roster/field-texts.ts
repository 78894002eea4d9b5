/** A person and a header as fields again: what is as by default is left out. */
import type { HeaderField, PersonField } from "./fields.ts";
import type { Roster, RosterPerson } from "./roster.ts";

export type FieldValue = string | number | boolean;
export type PersonValues = ReadonlyMap<PersonField, FieldValue>;
export type HeaderValues = ReadonlyMap<HeaderField, FieldValue>;

/** A person who stands in no file yet. */
export type NewPerson = Omit<RosterPerson, "place">;

export function personValues(person: NewPerson): PersonValues {
  const { key, email, seat, token } = person;
  return given<PersonField>([
    ["key", key === email ? undefined : key],
    ["email", email],
    ["purpose", person.purpose],
    ["first_name", person.firstName],
    ["last_name", person.lastName],
    ["team", person.team],
    ["seat", seat ? undefined : seat],
    ["token", token === seat ? undefined : token],
    ["expires", dateOf(person.expires)],
    ["window", person.window],
    ["user_id", person.userId],
    ["rotation", person.rotation],
    ["protected", person.protected || undefined],
  ]);
}

export function headerValues(roster: Omit<Roster, "file" | "people">): HeaderValues {
  return given<HeaderField>([
    ["organization", roster.organizationId],
    ["roster", roster.id],
    ["subscription", dateOf(roster.subscriptionExpiresAt)],
    ["seats", roster.seats],
    ["rows", roster.rows],
    ["stacks", roster.stacks === 1 ? undefined : roster.stacks],
    ["removal", roster.removal],
  ]);
}

function given<Name>(values: readonly (readonly [Name, FieldValue | undefined])[]): Map<Name, FieldValue> {
  return new Map(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

/** The last second of a day is that day. */
function dateOf(instant: string | undefined): string | undefined {
  return instant?.replace(/T23:59:59Z$/, "");
}
