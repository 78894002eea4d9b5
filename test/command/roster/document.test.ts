/** docs/rosters.md: its samples are rosters, and its lists those of the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DATE_FORM, FLAG_FORM } from "../../../command/roster/field-forms.ts";
import { fieldTexts, headerSchema, personSchema } from "../../../command/roster/fields.ts";
import { parseRoster } from "../../../command/roster/read.ts";
import { DURATION_FORM } from "../../../provider/util/duration.ts";
import { INSTANT_FORM } from "../../../provider/util/instants.ts";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { formats, meant } from "./sample.ts";

const document = readFileSync(join(packageRoot, "docs", "rosters.md"), "utf8");

/** The block of a language; the one without a language is the message. */
function sample(language: string): string {
  const blocks = [...document.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  return blocks.find(([, name]) => name === language)?.[2] ?? "";
}

/** The items of the list below a heading. */
function listBelow(heading: string): string[] {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  return [...section.matchAll(/^- `.*$/gm)].map(([item]) => item);
}

/** Forms that the page explains once. */
const NAMES: readonly (readonly [form: string, name: string])[] = [
  [FLAG_FORM, "a flag"],
  [DATE_FORM, "a date"],
  [INSTANT_FORM, "a date"],
  [DURATION_FORM, "a duration"],
];

function formInPage(form: string): string {
  return NAMES.reduce((text, [long, name]) => text.replace(long, name), form);
}

describe("docs/rosters.md", () => {
  test("shows one sample in each form, which say the same", () => {
    const [csv, yaml, json] = formats.map((form) => meant(sample(form), `people.${form}`));
    expect(csv?.people).toHaveLength(4);
    expect(yaml).toEqual(csv);
    expect(json).toEqual(csv);
  });

  test.each([
    ["The header", headerSchema],
    ["A person", personSchema],
  ])("lists the fields that the code reads in its list: %s", (heading, { shape }) => {
    const items = Object.entries(shape).map(([name, schema]) => {
      const { meaning, form = "", empty } = fieldTexts.get(schema) ?? {};
      return `- \`${name}\`: ${meaning} (${formInPage(form)}; default: ${empty})`;
    });
    expect(listBelow(heading)).toEqual(items);
  });

  test("shows the issues of a file as they are said", () => {
    const lines = sample("csv").split("\n");
    const wrong = [...lines.slice(0, 6), "ada,ada@,,,,,,,,,", ...lines.slice(8, 9), "ci,,"].join("\n");
    expect(() => parseRoster(wrong, "people.csv")).toThrow(/^people\.csv is invalid \(2 errors\):/);
    expect(() => parseRoster(wrong, "people.csv")).toThrow(sample("").trim());
  });
});
