/** Files of up to 20 MB, and smaller ones that would grow in memory: what each is, and how many people it has. */
import { ORGANIZATION } from "../sample.ts";
import type { Format } from "./drawn.ts";

export interface Big {
  readonly name: string;
  readonly format: Format;
  /** Undefined if the file is refused. */
  readonly people?: number;
  text(): string;
}

const MB = 1_000_000;
const SIZE = 20 * MB - 200;
const CSV = `# organization: ${ORGANIZATION}\n`;
const YAML = `organization: ${ORGANIZATION}\npeople:\n`;
const JSON_BEGIN = `{"organization":"${ORGANIZATION}","people":[`;

/** As often as the size allows. */
const fill = (piece: string, size = SIZE): string => piece.repeat(Math.floor(size / piece.length));
const many = (count: number, row: (number: number) => string): string =>
  Array.from({ length: count }, (_, number) => row(number)).join("");

const address = (number: number) => `p${number}@acme.example`;
const wide =
  "key,email,first_name,last_name,team,seat,token,expires,window,send_email,keep_value,user_id,rotation,access_until,protected,exempt";
const wideRow = (n: number) =>
  `k${n},${address(n)},Ada,Lovelace,team,yes,yes,2027-01-01,,no,,u${n},${n},2028-01-01,no,no\n`;
const yamlRow = (n: number) => `  - email: ${address(n)}\n    first_name: Ada\n    last_name: "Lovelace"\n`;
const jsonRow = (n: number) =>
  `${n === 0 ? "" : ","}{"email":"${address(n)}","first_name":"Ada","last_name":"Lovelace"}`;

const csv: Readonly<Record<string, [text: () => string, people?: number]>> = {
  "50,000 people": [
    () => `${CSV}email,first_name,team\n${many(50_000, (n) => `${address(n)},Ada,"a, b"\n`)}`,
    50_000,
  ],
  "50,000 people and their rotations": [
    () =>
      `${CSV}${many(50_000, (n) => `# rotation of ${address(n)}: 2\n`)}email\n${many(50_000, (n) => `${address(n)}\n`)}`,
    50_000,
  ],
  "37,000 people in all columns": [() => `${CSV}${wide}\n${many(37_000, wideRow)}`, 37_000],
  "50,001 people": [() => `${CSV}email\n${many(50_001, (n) => `${address(n)}\n`)}`],
  "rows up to 20 MB": [() => `${CSV}${wide}\n${many(190_000, wideRow)}`],
  "one address up to 20 MB": [() => `${CSV}email\n${fill("x")}@acme.example\n`],
  "one value in quotes up to 20 MB": [() => `${CSV}email,team\na@acme.example,"${fill('""')}"\n`],
  "one value with line breaks up to 20 MB": [() => `${CSV}email,team\na@acme.example,"${fill("x\n")}"\n`],
  "a quote that is never closed": [() => `${CSV}email,team\na@acme.example,"${fill("b,\n")}`],
  "wrong quotes in each row": [() => `${CSV}email,team\n${fill('a"b,c\n')}`],
  "quotes up to 20 MB": [() => `${CSV}email\n${fill('"')}`],
  "one column name up to 20 MB": [() => `${CSV}${fill("x")},email\n1,a@acme.example\n`],
  "columns up to 20 MB": [() => `${CSV}email,${fill("x,")}\n`],
  "empty columns up to 20 MB": [() => `${CSV}email${fill(",")}\n`],
  "empty cells below": [() => `${CSV}email,team\n${fill(",\n")}`, 0],
  "cells missing in each row": [() => `${CSV}email,team\n${fill("x\n")}`],
  "blank lines up to 20 MB": [() => `${CSV}email\na@acme.example\n${fill("\n", SIZE - 100)}`, 1],
  "blanks up to 20 MB": [() => `${CSV}email\na@acme.example\n${fill(" ", SIZE - 100)}`, 1],
  "comments up to 20 MB": [() => `${CSV}email\na@acme.example\n${fill("#\n", SIZE - 100)}`],
  "one comment of blanks up to 20 MB": [
    () => `${CSV}${fill(" ", SIZE - 100)}# x y\nemail\na@acme.example\n`,
    1,
  ],
  "one comment of signs up to 20 MB": [
    () => `${CSV}# rotation of a: ${fill(",", SIZE - 200)}x\nemail\na@acme.example\n`,
    1,
  ],
  "the organization again up to 20 MB": [() => `${fill(CSV)}email\n`],
  "the same person up to 20 MB": [() => `${CSV}email\n${fill("ada@acme.example\n")}`],
  "an address of accents": [
    () => `${CSV}email\n${many(900, (n) => `i${"\u0307".repeat(10_000)}@${n}.example\n`)}`,
  ],
};

const yaml: Readonly<Record<string, [text: () => string, people?: number]>> = {
  "25,000 people": [() => YAML + many(25_000, yamlRow), 25_000],
  "rows up to 20 MB": [() => YAML + many(230_000, yamlRow)],
  "one address up to 20 MB": [() => `${YAML}- email: ${fill("x")}\n`],
  "one value on many lines": [() => `${YAML}- email: a@acme.example\n  team: "${fill("x\n\n    ")}"\n`],
  "one block of text": [() => `${YAML}- email: a@acme.example\n  team: |\n${fill("    x\n")}`],
  "one plain value on many lines": [() => `${YAML}- email: a@acme.example\n  team: x\n${fill("    x\n")}`],
  "blank lines up to 20 MB": [() => `${YAML}- email: a@acme.example\n${fill("\n", SIZE - 100)}`],
  "comments up to 20 MB": [() => `${YAML}- email: a@acme.example\n${fill("# x\n", SIZE - 100)}`],
  "one comment up to 20 MB": [() => `${YAML}- email: a@acme.example # ${fill("x", SIZE - 100)}`, 1],
  "one name up to 20 MB": [() => `${YAML}- ${fill("x")}: 1\n`],
  "brackets up to 20 MB": [() => YAML.trim() + fill(" [")],
  "closing brackets up to 20 MB": [() => `${YAML}- email: ${fill("]")}`],
  "closing brackets on lines of their own": [() => `${YAML}- email: ${fill("\n] ")}`],
  "question marks in brackets": [() => `${YAML}- {email: ${fill("? ")}`],
  "braces up to 20 MB": [() => YAML.trim() + fill(" {a:")],
  "lists of lists up to 20 MB": [() => YAML + fill("- ")],
  "question marks up to 20 MB": [() => YAML + fill("? ")],
  "empty lists up to 20 MB": [() => `${YAML.trim()} [${fill("[],")}]`],
  "empty maps up to 20 MB": [() => `${YAML.trim()} [${fill("{},")}]`],
  "empty items up to 20 MB": [() => YAML + fill("-\n")],
  "colons up to 20 MB": [() => YAML + fill("a:\n")],
  "aliases up to 20 MB": [() => `${YAML}- &a email: a@acme.example\n${fill("- *a\n")}`],
  "tags up to 20 MB": [() => `${YAML}- email: ${fill("!a ")}x\n`],
  "documents up to 20 MB": [() => `${YAML}- email: a@acme.example\n${fill("---\n")}`],
  "directives up to 20 MB": [() => `${fill("%X y\n")}---\n${YAML}`],
  "quotes up to 20 MB": [() => `${YAML}- email: '${fill("''")}'\n`],
  "escapes up to 20 MB": [() => `${YAML}- email: "${fill("\\n")}"\n`],
};

const json: Readonly<Record<string, [text: () => string, people?: number]>> = {
  "25,000 people": [() => `${JSON_BEGIN}${many(25_000, jsonRow)}]}`, 25_000],
  "rows up to 20 MB": [() => `${JSON_BEGIN}${many(230_000, jsonRow)}]}`],
  "one address up to 20 MB": [() => `${JSON_BEGIN}{"email":"${fill("x")}"}]}`],
  "escapes up to 20 MB": [() => `${JSON_BEGIN}{"email":"${fill("\\u0041")}"}]}`],
  "digits up to 20 MB": [() => `${JSON_BEGIN}{"email":${fill("9")}}]}`],
  "blanks up to 20 MB": [() => `${JSON_BEGIN}{"email":"a@acme.example"}]}${fill(" ", SIZE - 100)}`, 1],
  "brackets up to 20 MB": [() => JSON_BEGIN + fill("[")],
  "empty maps up to 20 MB": [() => `${JSON_BEGIN}${fill("{},")}{}]}`],
  "commas up to 20 MB": [() => JSON_BEGIN + fill(",")],
  "quotes up to 20 MB": [() => JSON_BEGIN + fill('"')],
};

const tooLarge: Big = {
  name: "csv: 21 MB",
  format: "csv",
  text: () => `${CSV}email\n${fill("#\n", 21 * MB)}`,
};

export const bigFiles: readonly Big[] = [
  ...Object.entries({ csv, yaml, json }).flatMap(([format, all]) =>
    Object.entries(all).map(
      ([name, [text, people]]): Big => ({
        name: `${format}: ${name}`,
        format: format === "csv" || format === "yaml" ? format : "json",
        text,
        ...(people === undefined ? {} : { people }),
      }),
    ),
  ),
  tooLarge,
];
