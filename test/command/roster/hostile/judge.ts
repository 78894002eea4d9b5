/** Whether what came of a file is right. */
import { expect } from "vitest";
import { ORGANIZATION } from "../sample.ts";
import type { Drawn, Format } from "./drawn.ts";
import type { Worth } from "./mutations.ts";
import { type Found, peopleByOthers } from "./others.ts";
import type { Outcome } from "./reader.ts";

/** Of processors, and of memory. */
const MOST_SECONDS = 5;
export const MOST_MEGABYTES = 500;

export interface Case {
  readonly file: string;
  readonly format: Format;
  readonly text: string;
  readonly people: readonly Drawn[];
  readonly worth: Worth;
}

export function expectRight({ file, format, text, people, worth }: Case, outcome: Outcome): void {
  expectBounds(outcome);
  const { read, refused } = outcome;
  if (refused !== undefined) expectClear(refused, file, text);
  if (worth === "same") expect(refused?.message).toBeUndefined();
  if (worth === "refused") expect(read).toBeUndefined();
  if (read === undefined) return;
  if (worth !== "judged") {
    expect(read.organizationId).toBe(ORGANIZATION);
    expect(read.people.map(shown)).toEqual(people.map(expectedOf));
    return;
  }
  const answers = peopleByOthers(text, format).filter((found) => found !== undefined);
  if (format === "yaml" && answers.length === 0) {
    // The other reader knows less of YAML: then at least nobody is lost or made up.
    const written = text.toLowerCase().replaceAll(QUOTES, "");
    expect(read.count).toBe(people.length);
    expect(
      read.people.filter(({ key }) => !written.includes(key.toLowerCase().replaceAll(QUOTES, ""))),
    ).toEqual([]);
    return;
  }
  expect(answers.filter((found) => areSame(read.people, found))).not.toEqual([]);
}

/** A value in quotes doubles or escapes them. */
const QUOTES = /["'\\]/g;

export function expectBounds({ crashed, seconds, megabytes }: Outcome): void {
  expect(crashed).toBeUndefined();
  expect(seconds).toBeLessThan(MOST_SECONDS);
  expect(megabytes).toBeLessThan(MOST_MEGABYTES);
}

/** It names the file, and for each error a place that exists, in a sentence without anything from inside. */
export function expectClear(
  { message, issues }: NonNullable<Outcome["refused"]>,
  file: string,
  text: string | undefined,
): void {
  expect(message.startsWith(file)).toBe(true);
  const said = message.slice(file.length);
  expect(said).not.toMatch(INSIDE);
  expect(said).not.toMatch(/(?!\n)\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
  expect(said.length).toBeLessThan(50_000);
  expect(issues.length).toBeGreaterThan(0);
  const lines = text?.split(/\r\n|\n|\r/);
  for (const { line, column, text: sentence } of issues) {
    expect(sentence).toMatch(/^\S[^\n]*[^\s.]$/);
    if (line === 0 && column === 0) continue;
    expect(column).toBeGreaterThan(0);
    if (lines === undefined) continue;
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeLessThanOrEqual((lines[line - 1] ?? "").length + 1);
  }
}

/** What only a program says, unless the file does. */
const INSIDE = /\n\s+at |\b(Type|Range|Syntax|Reference|Internal)Error\b|Maximum call stack|\[object /;

type Person = NonNullable<Outcome["read"]>["people"][number];

const shown = ({ key, email, firstName, lastName, team, seat, rotation }: Person) => ({
  ...{ key, email, firstName, lastName, team, seat, rotation },
});

function expectedOf({
  key,
  email,
  first_name,
  last_name,
  team,
  seat,
  rotation,
}: Drawn): ReturnType<typeof shown> {
  const address = email.toLowerCase();
  const more = { firstName: first_name, lastName: last_name, team, rotation };
  return { key: key ?? address, email: address, ...more, seat: seat !== "no" };
}

const NONE = /^(~|null|)$/;

/** Whether two readers read the same people. */
function areSame(read: readonly Person[], found: readonly Found[]): boolean {
  return read.length === found.length && read.every((person, place) => isSame(person, found[place] ?? {}));
}

function isSame(person: Person, found: Found): boolean {
  const { key, email = "", purpose, firstName, lastName, team, rotation, seat } = person;
  const address = textOf(found.email).normalize("NFC").toLowerCase();
  const isNo = /^(no|false|0)$/i.test(textOf(found.seat));
  return (
    (NONE.test(textOf(found.key)) && key === email ? true : sameText(key, found.key)) &&
    sameText(email, address) &&
    sameText(purpose, found.purpose) &&
    sameText(firstName, found.firstname) &&
    sameText(lastName, found.lastname) &&
    sameText(team, found.team) &&
    sameText(rotation, found.rotation) &&
    seat === !isNo
  );
}

function textOf(value: unknown): string {
  return String(value ?? "").trim();
}

/** A number is read as it is written, and null as no value. */
function sameText(read = "", found: unknown): boolean {
  if (typeof found === "number") return Number(read) === found;
  const text = textOf(found);
  return read === text || (read === "" && NONE.test(text));
}
