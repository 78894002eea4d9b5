/** People and header as fields, without defaults. */

import { stringify } from "yaml";
import { shortInstant } from "../../provider/util/instants.ts";
import { ADOPTED_TOKEN } from "./field-forms.ts";
import { type HeaderField, type PersonField, personNames } from "./fields.ts";
import type { RosterFormat } from "./formats/roster-text.ts";
import type { Splice } from "./formats/splices.ts";
import type { Roster, RosterPerson } from "./roster.ts";

export type FieldValue = string | number | boolean;
export type PersonValues = ReadonlyMap<PersonField, FieldValue>;
type HeaderValues = ReadonlyMap<HeaderField, FieldValue>;

/** A person who is in no file yet. */
export type NewPerson = Omit<RosterPerson, "file" | "place">;

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
    ["token", person.adoptToken ? ADOPTED_TOKEN : token === seat ? undefined : token],
    ["expires", dateOf(person.expires)],
    ["window", person.window],
    ["expiration_tolerance_months", person.toleranceMonths],
    ["send_email", person.sendEmail],
    ["user_id", person.userId],
    ["recipients", person.recipients?.join(" ")],
    ["keep_value", person.keepValue],
    ["rotation", person.rotation],
    ["rotate_every", person.rotateEvery],
    ["keep_previous", person.keepPrevious],
    ["access_until", dateOf(person.accessUntil)],
    ["protected", person.protected || undefined],
    ["exempt", person.exempt],
    ["idle_notice", dateOf(person.idleNotice)],
  ]);
}

function headerValues(roster: Omit<Roster, "file" | "files" | "people">): HeaderValues {
  return given<HeaderField>([
    ["organization", roster.organizationId],
    ["roster", roster.id],
    ["subscription", dateOf(roster.subscriptionExpiresAt)],
    ["seats", roster.seats],
    ["rows", roster.rows],
    ["max_removals", roster.maxRemovals],
    ["owner", roster.owner],
    ["require_sealed_tokens", roster.requireSealedTokens ? true : undefined],
    ["on_delete", roster.onDelete],
    ["membership", roster.membership],
  ]);
}

function given<Name>(values: readonly (readonly [Name, FieldValue | undefined])[]): Map<Name, FieldValue> {
  return new Map(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}

function dateOf(instant: string | undefined): string | undefined {
  return instant === undefined ? undefined : shortInstant(instant);
}

/** A roster that is in no file yet. */
export type NewRoster = Omit<Roster, "file" | "files" | "people"> & {
  readonly people: readonly NewPerson[];
};

/**
 * The text of a roster without defaults; it reads as the same roster.
 * @param columns of CSV that are there even if no one has a value; the first row of a person needs that of the email
 */
export function newRoster(
  roster: NewRoster,
  format: RosterFormat,
  columns: readonly PersonField[] = ["email"],
): string {
  const header = headerValues(roster);
  const people = roster.people.map(personValues);
  if (format === "csv") return csvOf(header, people, columns);
  const whole = { ...Object.fromEntries(header), people: people.map((person) => Object.fromEntries(person)) };
  return format === "json" ? `${JSON.stringify(whole, undefined, 2)}\n` : stringify(whole, { lineWidth: 0 });
}

function csvOf(
  header: ReadonlyMap<string, FieldValue>,
  people: readonly ReadonlyMap<PersonField, FieldValue>[],
  wanted: readonly PersonField[],
): string {
  const used = new Set([...wanted, ...people.flatMap((person) => [...person.keys()])]);
  const columns = personNames.filter((name) => used.has(name));
  const settings = [...header].map(([name, value]) => `# ${name}: ${value}`);
  const rows = people.map((person) => csvLine(columns.map((name) => person.get(name))));
  return `${[...settings, columns.join(","), ...rows].join("\n")}\n`;
}

/** Rows are counted from 0. */
export interface Editor {
  /** @param values of the rows that change */
  setField(field: PersonField, values: ReadonlyMap<number, FieldValue>): Splice[];
  remove(rows: ReadonlySet<number>): Splice[];
  /** Adds at the end. */
  add(people: readonly PersonValues[]): Splice[];
  setHeader(field: HeaderField, value: FieldValue): Splice[];
}

/** One row of CSV (RFC 4180) without its line end. */
export function csvLine(values: readonly (FieldValue | null | undefined)[], delimiter = ","): string {
  const texts = values.map((value) => (typeof value === "boolean" ? (value ? "yes" : "no") : value));
  return texts.map((text) => quoted(String(text ?? ""), delimiter)).join(delimiter);
}

/** The characters that begin a formula in spreadsheets, including full-width forms; a pipe separates a command of DDE. */
const FORMULA = /^[=+\-@|\t\r\uff1d\uff0b\uff0d\uff20\uff5c]/;

/** Whether a spreadsheet would evaluate the text. */
export function isFormula(text: string): boolean {
  return FORMULA.test(text);
}

/** Rosters have comments, so a `#` at the beginning of a cell is quoted too. */
function quoted(text: string, delimiter: string): string {
  const needsQuotes = /^#|["\r\n]/.test(text) || text.includes(delimiter);
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text;
}
