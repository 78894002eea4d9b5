/** Rosters in YAML and JSON, as people write them. */
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../../command/roster/read.ts";
import { issueCases, issuesOf, namesOf, ORGANIZATION } from "./sample.ts";

/** Below the organization, unless it is `only` what is written; `\n` is the end of a line, `…` any more. */
const issues = issueCases(String.raw`
what is no YAML: 3:1
  people: [\n
  cannot parse: …
what is no map: 1:1
  only - a\n
  not a mapping. At the top level, write organization: and people: as its fields
no people: 1:1

  missing people. For an empty list, write people: []
people who are no list: 2:1
  people:\n  email: a@acme.example\n
  people is not a list. Begin each person with "- "
somebody who is a text: 3:5
  people:\n  - a@acme.example\n
  not a person. Write fields such as email: ada@acme.example
an alias: 4:21
  people:\n  - {key: a, email: &m a@acme.example}\n  - {key: b, email: *m}\n
  aliases are not supported. Write the value itself
a value that is a list: 4:11
  people:\n  - email: a@acme.example\n    team: [a, b]\n
  team takes one value. Write a string
a last name that YAML takes for no value: 4:16
  people:\n  - email: a@acme.example\n    last_name: Null\n
  Null without quotes is no value in YAML. Write "Null" in quotes, or leave the field empty
a field that is there twice: 4:5
  people:\n  - email: a@acme.example\n    e-mail: b@acme.example\n
  duplicate email (first on line 3). Keep one of them
an unknown tag: 2:9
  people: !all []\n
  cannot parse: Unresolved tag: !all…
a second document: 3:1
  people: []\n---\na: b\n
  a second document begins here. A roster is one document
`);

describe("YAML and JSON", () => {
  const top = `organization: ${ORGANIZATION}\n`;

  test("read with comments, quotes, several lines, brackets and tabs", () => {
    const yaml = `# all\n${top}people:\n# x\n- {email: ada@acme.example, "First name": 'Ada'}\n- email: bob@acme.example # b\n  first_name: >-\n    Bob\n    B\n`;
    expect(namesOf(yaml, "p.YML")).toEqual(["ada@acme.example: Ada", "bob@acme.example: Bob B"]);
    const json = `\uFEFF{\r\n\t"organization": "${ORGANIZATION}",\r\n\t"people": [\r\n\t\t{ "email": "ada@acme.example", "seat": false, "rotation": 7 }\r\n\t]\r\n}`;
    expect(parseRoster(json, "p.json").people).toMatchObject([{ seat: false, rotation: "7" }]);
  });

  test("read null and ~ as no value, and Null in quotes as a name", () => {
    const yaml = (name: string) =>
      `${top}people:\n- {email: a@acme.example, first_name: Ann, last_name: ${name}}\n`;
    const lastName = (name: string) => parseRoster(yaml(name), "p.yaml").people[0]?.lastName;
    expect(["null", "~", "", '"Null"', "'NULL'"].map(lastName)).toEqual([
      ...[undefined, undefined, undefined],
      ...["Null", "NULL"],
    ]);
  });

  test.each(issues)("give an issue for $what", ({ given, places, text }) => {
    const [[line, column] = []] = places;
    const yaml = (given.startsWith("only ") ? given.slice(5) : top + given).replaceAll("\\n", "\n");
    const whole = text.endsWith("…") ? expect.stringContaining(text.slice(0, -1)) : text;
    expect(issuesOf(yaml, "p.yaml")[0]).toMatchObject({ line, column, text: whole });
  });

  test.each([
    ["a comma behind the last value", `{"organization": "${ORGANIZATION}",\n"people": [],}`, 2, 14],
    ["a comment", `{"organization": "${ORGANIZATION}", # mine\n"people": []}`, 1, 58],
    ["names without quotes", `{organization: "${ORGANIZATION}", "people": []}`, 1, 2],
  ])("give an issue for %s in JSON, which YAML would allow", (_, json, line, column) => {
    const text = "not valid JSON. Use double quotes, no comments, and no comma after the last value";
    expect(issuesOf(json, "p.json")).toEqual([{ line, column, text }]);
  });
});
