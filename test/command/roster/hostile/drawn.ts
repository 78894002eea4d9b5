/** Valid rosters with difficult texts, written without the product's own writers. */
import { ORGANIZATION } from "../sample.ts";
import type { Draw } from "./draw.ts";

export type Format = "csv" | "yaml" | "json";

/** A row as the file has it; what is missing is not written. */
export interface Drawn {
  readonly key?: string | undefined;
  readonly email: string;
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly team?: string | undefined;
  readonly seat?: string | undefined;
  readonly rotation?: string | undefined;
}

const FIELDS = ["key", "email", "first_name", "last_name", "team", "seat", "rotation"] as const;

const NAMES = [
  ..."__proto__ constructor toString hasOwnProperty prototype 007 no NO off y null ~ 1e999 0o17 012 0x1F".split(
    " ",
  ),
  ..."12:30:00 2027-01-01 1_000 .inf .nan true << = =1+1 # #1 - -x ? ?x {a} [b] *a &a !a %a @a `a` | > ,".split(
    " ",
  ),
  ...["O'Brien", 'a "b" c', "a, b; c", "k: v", "x #y", "Jörg", "用户", "👩‍💻", "a\\tb", "\\", '"', "''", "'"],
];
const LOCALS = [
  "__proto__",
  "constructor",
  "toString",
  "valueOf",
  "no",
  "1e3",
  "o'brien",
  "r&d",
  "#a",
  "jörg",
  '"a,b;c"',
];
const KEYS = ["constructor", "toString", "hasOwnProperty", "valueOf", "007", "1e3", "no", "null"];

export function drawPeople(draw: Draw): Drawn[] {
  const maybe = (texts: readonly string[]): string | undefined =>
    draw.chance() ? draw.pick(texts) : undefined;
  const keys = draw.shuffled(KEYS);
  return Array.from({ length: 1 + draw.below(6) }, (_, place) => ({
    email: `${draw.pick(LOCALS)}@${place}.acme.example`,
    key: draw.chance(0.3) ? keys[place] : undefined,
    first_name: maybe(NAMES),
    last_name: maybe(NAMES),
    team: maybe(NAMES),
    seat: maybe(["yes", "no"]),
    rotation: maybe(NAMES),
  }));
}

/** How a text is written. */
export interface Style {
  readonly format: Format;
  readonly lineEnd: string;
  readonly delimiter: string;
  /** The texts of a value, drawn one by one. */
  readonly draw: Draw;
}

export function drawStyle(draw: Draw, format: Format): Style {
  return { format, lineEnd: draw.pick(["\n", "\r\n", "\r"]), delimiter: draw.pick([",", ";", "\t"]), draw };
}

/** @param replaced what is written for a value, as it stands, by its place and field */
export type Raw = (place: number, field: string) => string | undefined;

export function textOf(people: readonly Drawn[], style: Style, raw: Raw = () => undefined): string {
  const write = { csv: csvOf, yaml: yamlOf, json: jsonOf }[style.format];
  return write(people, style, raw).replaceAll("\n", style.lineEnd);
}

function csvOf(people: readonly Drawn[], { delimiter, draw }: Style, raw: Raw): string {
  const columns = draw.shuffled(FIELDS);
  const isQuoted = draw.chance(0.3);
  const cell = (value: string): string =>
    isQuoted || /^#|["\s]/.test(value) || value.includes(delimiter)
      ? `"${value.replaceAll('"', '""')}"`
      : value;
  const rows = people.map((person, place) =>
    columns.map((name) => raw(place, name) ?? cell(person[name] ?? "")).join(delimiter),
  );
  return [`# organization: ${ORGANIZATION}`, columns.join(delimiter), ...rows, ""].join("\n");
}

function pairsOf(
  person: Drawn,
  place: number,
  raw: Raw,
  quote: (value: string) => string,
): [string, string][] {
  return FIELDS.flatMap((name): [string, string][] => {
    const value = person[name];
    const written = raw(place, name) ?? (value === undefined ? undefined : quote(value));
    return written === undefined ? [] : [[name, written]];
  });
}

function yamlOf(people: readonly Drawn[], { draw }: Style, raw: Raw): string {
  const isPlain = (value: string) =>
    /^[a-z][\w.@ -]*$/i.test(value) && !/^(null|true|false|yes|no|on|off|y|n)$/i.test(value);
  const quote = (value: string): string => {
    if (isPlain(value) && draw.chance(0.7)) return value;
    return draw.chance() ? JSON.stringify(value) : `'${value.replaceAll("'", "''")}'`;
  };
  const blank = " ".repeat(draw.below(4));
  const rows = people.map((person, place) => {
    const pairs = pairsOf(person, place, raw, quote).map(([name, value]) => `${name}: ${value}`);
    if (draw.chance(0.3)) return `${blank}- { ${pairs.join(", ")} }`;
    return `${blank}- ${pairs.join(`\n${blank}  `)}${draw.chance(0.2) ? " # a note" : ""}`;
  });
  const begin = draw.chance(0.2) ? "---\n" : "";
  return `${begin}organization: ${ORGANIZATION}\npeople:\n${rows.join("\n")}\n`;
}

function jsonOf(people: readonly Drawn[], { draw }: Style, raw: Raw): string {
  const blank = draw.pick(["", "\n", "\n  "]);
  const rows = people.map((person, place) => {
    const pairs = pairsOf(person, place, raw, JSON.stringify).map(
      ([name, value]) => `${blank}"${name}": ${value}`,
    );
    return `{${pairs.join(",")}}`;
  });
  return `{"organization": "${ORGANIZATION}",${blank}"people": [${rows.join(`,${blank}`)}]}\n`;
}
