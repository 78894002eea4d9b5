/** The text of a roster from nothing. */
import { stringify } from "yaml";
import { csvLine } from "./csv-edit.ts";
import { type FieldValue, headerValues, type NewPerson, personValues } from "./field-texts.ts";
import { type PersonField, personNames } from "./fields.ts";
import type { RosterFormat } from "./read.ts";
import type { Roster } from "./roster.ts";

/** A roster that is in no file yet. */
export type NewRoster = Omit<Roster, "file" | "people"> & {
  readonly people: readonly NewPerson[];
};

/** @returns the text; read again, it is the same roster. What is as by default is left out. */
export function newRoster(roster: NewRoster, format: RosterFormat): string {
  const header = headerValues(roster);
  const people = roster.people.map(personValues);
  if (format === "csv") return csvOf(header, people);
  const whole = { ...Object.fromEntries(header), people: people.map((person) => Object.fromEntries(person)) };
  return format === "json" ? `${JSON.stringify(whole, undefined, 2)}\n` : stringify(whole, { lineWidth: 0 });
}

function csvOf(
  header: ReadonlyMap<string, FieldValue>,
  people: readonly ReadonlyMap<PersonField, FieldValue>[],
): string {
  const used = new Set(people.flatMap((person) => [...person.keys()]));
  // A first row of somebody else shall find its column.
  const columns = personNames.filter((name) => used.has(name) || name === "email");
  const settings = [...header].map(([name, value]) => `# ${name}: ${value}`);
  const rows = people.map((person) =>
    csvLine(
      columns.map((name) => person.get(name)),
      ",",
    ),
  );
  return `${[...settings, columns.join(","), ...rows].join("\n")}\n`;
}
