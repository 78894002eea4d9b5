/** Rosters in YAML and JSON, as people write them. */
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../../../sdk/automation/roster/read.ts";
import { issuesOf, namesOf, ORGANIZATION } from "./sample.ts";

describe("YAML and JSON", () => {
  const top = `organization: ${ORGANIZATION}\n`;

  test("read with comments, quotes, several lines, brackets and tabs", () => {
    const yaml = `# all\n${top}people:\n# x\n- {email: ada@acme.example, "First name": 'Ada'}\n- email: bob@acme.example # b\n  first_name: >-\n    Bob\n    B\n`;
    expect(namesOf(yaml, "p.YML")).toEqual(["ada@acme.example: Ada", "bob@acme.example: Bob B"]);
    const json = `\uFEFF{\r\n\t"organization": "${ORGANIZATION}",\r\n\t"people": [\r\n\t\t{ "email": "ada@acme.example", "seat": false, "rotation": 7 }\r\n\t]\r\n}`;
    expect(parseRoster(json, "p.json").people).toMatchObject([{ seat: false, rotation: "7" }]);
  });

  test.each([
    ["what is no YAML", `${top}people: [\n`, 3, 1, /^cannot parse: \S/],
    [
      "what is no map",
      "- a\n",
      1,
      1,
      "not a mapping. At the top level, write organization: and people: as its fields",
    ],
    ["no people", top, 1, 1, "missing people. For an empty list, write people: []"],
    [
      "people who are no list",
      `${top}people:\n  email: a@acme.example\n`,
      2,
      1,
      'people is not a list. Begin each person with "- "',
    ],
    [
      "somebody who is a text",
      `${top}people:\n  - a@acme.example\n`,
      3,
      5,
      "not a person. Write fields such as email: ada@acme.example",
    ],
    [
      "an alias",
      `${top}people:\n  - {key: a, email: &m a@acme.example}\n  - {key: b, email: *m}\n`,
      4,
      21,
      "aliases are not supported. Write the value itself",
    ],
    [
      "a value that is a list",
      `${top}people:\n  - email: a@acme.example\n    team: [a, b]\n`,
      4,
      11,
      "team takes one value. Write a string",
    ],
    [
      "a field that is there twice",
      `${top}people:\n  - email: a@acme.example\n    e-mail: b@acme.example\n`,
      4,
      5,
      "duplicate email (first in line 3). Keep one of them",
    ],
    ["an unknown tag", `${top}people: !all []\n`, 2, 9, /^cannot parse: Unresolved tag: !all/],
    [
      "a second document",
      `${top}people: []\n---\na: b\n`,
      3,
      1,
      "a second document begins here. A roster is one document",
    ],
  ])("give an issue for %s", (_, yaml, line, column, text) => {
    const [issue] = issuesOf(yaml, "p.yaml");
    expect(issue).toMatchObject({ line, column });
    if (text instanceof RegExp) expect(issue?.text).toMatch(text);
    else expect(issue?.text).toBe(text);
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
