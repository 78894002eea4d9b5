/** docs/rosters.md: its samples are rosters, and its lists those of the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  ADOPTED_TOKEN,
  DIRECTORY,
  KEY_FORM,
  NAME_CHARACTERS,
  ON_DELETE,
} from "../../../command/roster/field-forms.ts";
import { headerSchema, personSchema } from "../../../command/roster/fields.ts";
import { parseRoster } from "../../../command/roster/read.ts";
import { PERIOD_FORM } from "../../../provider/resources/rotation-schedule.ts";
import { EXPIRY_PERIOD } from "../../../provider/resources/user-token/dates.ts";
import { DURATION_FORM } from "../../../provider/util/duration.ts";
import { MOST_TOLERANCE_MONTHS } from "../../../provider/util/instants.ts";
import { RECIPIENT_FORM } from "../../../provider/util/recipients.ts";
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

/** What the page says of the form of a field, as the code has it. */
const forms: readonly (readonly [field: string, form: string])[] = [
  ["key", KEY_FORM],
  ...["purpose", "first_name", "last_name", "owner"].map(
    (name) => [name, `1 to ${NAME_CHARACTERS} characters`] as const,
  ),
  ["token", `; or ${ADOPTED_TOKEN}`],
  ["expires", `; or ${EXPIRY_PERIOD}`],
  ["expiration_tolerance_months", `0 to ${MOST_TOLERANCE_MONTHS}`],
  ["recipients", RECIPIENT_FORM],
  ["rotate_every", PERIOD_FORM.replace(DURATION_FORM, "a duration")],
  ["on_delete", ON_DELETE.join(" or ")],
  ["membership", DIRECTORY],
];

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
    const items = listBelow(heading).map((item) => /^- `(\w+)`: .+ \(.+; default: .+\)$/.exec(item)?.[1]);
    expect(items).toEqual(Object.keys(shape));
  });

  test.each(forms)("says the form of %s that the code reads: %s", (name, form) => {
    const items = [...listBelow("The header"), ...listBelow("A person")];
    expect(items.find((item) => item.startsWith(`- \`${name}\``))).toContain(form);
  });

  test("shows the issues of a file as they are said", () => {
    const lines = sample("csv").split("\n");
    const wrong = [...lines.slice(0, 6), "ada,ada@,,,,,,,,,", ...lines.slice(8, 9), "ci,,"].join("\n");
    expect(() => parseRoster(wrong, "people.csv")).toThrow(/^people\.csv is invalid \(2 errors\):/);
    expect(() => parseRoster(wrong, "people.csv")).toThrow(sample("").trim());
  });
});
