/** Rosters as texts, in each form. */

import type { RosterFormat } from "../../../command/roster/formats/roster-text.ts";
import { RosterError, type ValidationIssue } from "../../../command/roster/formats/validation.ts";
import { parseRoster } from "../../../command/roster/read.ts";

export const ORGANIZATION = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";

export const formats = ["csv", "yaml", "json"] as const;

export type Fields = Readonly<Record<string, string | number | boolean>>;

/** The header that makes a text whole. */
const usual: Fields = { organization: ORGANIZATION };

/** A roster of these people, one field a line in YAML and JSON, with a column for each field of the first in CSV. */
export function textOf(format: RosterFormat, people: readonly Fields[], header: Fields = usual): string {
  if (format === "json") return JSON.stringify({ ...header, people }, undefined, 2);
  if (format === "yaml") return yamlOf(people, header);
  const names = Object.keys(people[0] ?? { email: "" });
  const settings = Object.entries(header).map(([name, value]) => `# ${name}: ${value}`);
  const rows = people.map((person) => names.map((name) => person[name] ?? "").join(","));
  return `${[...settings, names.join(","), ...rows].join("\n")}\n`;
}

function yamlOf(people: readonly Fields[], header: Fields): string {
  const settings = Object.entries(header).map(([name, value]) => `${name}: ${value}`);
  const rows = people.flatMap((person) =>
    Object.entries(person).map(([name, value], place) => `${place === 0 ? "  - " : "    "}${name}: ${value}`),
  );
  return `${[...settings, people.length === 0 ? "people: []" : "people:", ...rows].join("\n")}\n`;
}

/** @returns the issues of a text; none if it is a roster */
export function issuesOf(text: string, file: string): readonly ValidationIssue[] {
  try {
    parseRoster(text, file);
    return [];
  } catch (error) {
    if (!(error instanceof RosterError)) throw error;
    return error.issues;
  }
}

/** What a text says, without where it was read. */
export function meant(text: string, file: string) {
  const { file: _file, people, ...header } = parseRoster(text, file);
  return { ...header, people: people.map(({ place: _place, ...person }) => person) };
}
