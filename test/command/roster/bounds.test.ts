/** Where a roster stops being read, and what readers of its format take for something else. */
import { truncateSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { whereJsonBreaks } from "../../../command/roster/formats/strict-json.ts";
import { parseRoster, readRoster } from "../../../command/roster/read.ts";
import { temporaryFile } from "../../setup/temporary.ts";
import { issuesOf } from "./sample.ts";

const CSV = "# organization: acme\n";
const YAML = "organization: acme\npeople:\n";

const addresses = (count: number) =>
  Array.from({ length: count }, (_, number) => `p${number}@acme.example\n`).join("");

describe("a roster", () => {
  test("refuses more than 20 MB before it reads them", async () => {
    const file = temporaryFile("people.csv", CSV);
    truncateSync(file, 20_000_001);
    await expect(readRoster(file)).rejects.toThrow(
      `${file}: too large (21 MB, at most 20 MB). Split the roster into several files in a folder, or remove what does not belong in it`,
    );
    truncateSync(file, 20_000_000);
    await expect(readRoster(file)).rejects.toThrow("binary file");
  });

  test.each([
    [
      "people.csv",
      `${CSV}email\n${addresses(50_001)}`,
      [50_003, 1],
      /^more than 50,000 people in a file\. Split /,
    ],
    ["people.csv", `${CSV}email${",".repeat(1000)}\n`, [2, 1], /^more than 1,000 cells in a row\. Remove /],
    [
      "people.csv",
      `${CSV}email\n${"#\n".repeat(700_000)}`,
      [700_000, 1],
      /^more than 700,000 cells\. Split /,
    ],
    [
      "people.csv",
      `${CSV}email,team\na@acme.example,${"x".repeat(20_001)}\n`,
      [3, 16],
      /^"x{60}…": too long \(at most 20,000 characters\)$/,
    ],
    ["people.yaml", `${YAML}${"- ".repeat(60)}a`, [3, 98], /^nested too deeply\. /],
    [
      "people.yaml",
      `${YAML}- email: ${"x".repeat(120_001)}`,
      [3, 10],
      /^too long \(a value has at most 20,000 characters\)$/,
    ],
    ["people.yaml", `${"%X y\n".repeat(11)}---\n${YAML}`, [11, 1], /^too many directives\. Remove /],
    [
      "people.json",
      `{"people": [${"{},".repeat(140_000)}`,
      [1, 400_006],
      /^too long for a file of YAML or JSON\. Split /,
    ],
    [
      "people.json",
      '{"organization": "acme", "people": [{"email": "\\ud800"}]}',
      [1, 47],
      /half of a character/,
    ],
  ])("stops where it is too much: %s", (file, text, [line, column], issue) => {
    expect(issuesOf(text, file)[0]).toMatchObject({ line, column, text: expect.stringMatching(issue) });
  });

  test("shows the first mistakes if each row is wrong, and says that there are more", () => {
    const text = `${CSV}email,team\n${"x\n".repeat(5000)}`;
    expect(issuesOf(text, "people.csv")).toHaveLength(1000);
    expect(() => parseRoster(text, "people.csv")).toThrow("people.csv is invalid (1,000 errors or more):");
  });
});

test.each([
  ['{"a": [1, "b\\u00e9\\n", true, null, -1.5e+3, {}, []], "c": {"d": 0}} ', undefined],
  ['{"a": nope}', 6],
  ['{"a": 1,}', 8],
  ["[1, 2,]", 6],
  ["[1 2]", 3],
  ['{"a" 1}', 5],
  ["{a: 1}", 1],
  ["{'a': 1}", 1],
  ['{"a": 1} {}', 9],
  ['{"a": 01}', 7],
  ['{"a": "b\nc"}', 8],
  ['{"a": "b\\x"}', 8],
  ['{"a": [1}', 8],
  ['{"a": 1', 7],
  ['// a\n{"a": 1}', 0],
  ["", 0],
])("JSON %j breaks at %s", (text, at) => {
  expect(whereJsonBreaks(text)).toBe(at);
});
