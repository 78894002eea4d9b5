/** What is wrong with a roster: each issue with its sentence and its place, in CSV and in YAML. */
import { describe, expect, test } from "vitest";
import { RosterError, type ValidationIssue } from "../../../../sdk/automation/roster/formats/validation.ts";
import { parseRoster } from "../../../../sdk/automation/roster/read.ts";
import { type Fields, issuesOf, ORGANIZATION, textOf } from "./sample.ts";

const organization = { organization: ORGANIZATION };
const RECIPIENT = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";
const ada = { email: "ada@acme.example" };
const bob = { email: "bob@acme.example" };

interface Case {
  readonly people: readonly Fields[];
  readonly header?: Fields;
  readonly field?: string;
  readonly text: string;
  /** Line and column. */
  readonly csv: readonly [number, number];
  readonly yaml: readonly [number, number];
}

const date = "expected a date such as 2027-06-30, or an instant such as 2027-06-30T12:00:00Z";
const span = "expected a number with a unit (ms, s, m, h or d), such as 30s, 12h or 30d";
const keyForm = "expected 1 to 100 letters, digits and . _ @ + -, beginning with a letter or digit";

const people: Readonly<Record<string, Case>> = {
  "an email that is none": {
    people: [{ key: "ada", email: "ada@" }],
    field: "email",
    text: '"ada@": not a valid email address (expected, for example, ada@acme.example)',
    csv: [3, 5],
    yaml: [4, 12],
  },
  "a purpose that erases the line above it": {
    people: [{ key: "ci", purpose: "builds\u001b[1A\u001b[2K" }],
    field: "purpose",
    text: "contains the control character U+001B. Remove it",
    csv: [3, 4],
    yaml: [4, 14],
  },
  "both email and purpose": {
    people: [{ ...ada, purpose: "builds" }],
    field: "purpose",
    text: "both email and purpose. A person has an email, a managed user has a purpose. Remove one of them",
    csv: [3, 18],
    yaml: [4, 14],
  },
  "neither email nor purpose": {
    people: [{ key: "ada", email: "" }],
    text: "neither email nor purpose. Write the email of a person, or the purpose of a managed user",
    csv: [3, 1],
    yaml: [3, 5],
  },
  "a purpose with names": {
    people: [{ key: "ci", purpose: "builds", last_name: "Bot" }],
    field: "last_name",
    text: "a managed user has no last_name. Describe the token in purpose, and remove last_name",
    csv: [3, 11],
    yaml: [5, 16],
  },
  "a purpose without a key": {
    people: [{ purpose: "Nightly builds (main)" }],
    field: "key",
    text: "missing key. A managed user has no email, so it needs a key, such as nightly-builds-main",
    csv: [3, 1],
    yaml: [3, 14],
  },
  "a purpose that is too long": {
    people: [{ key: "ci", purpose: "x".repeat(201) }],
    field: "purpose",
    text: `"${"x".repeat(60)}…": too long (at most 200 characters)`,
    csv: [3, 4],
    yaml: [4, 14],
  },
  "a token without a seat": {
    people: [{ ...ada, seat: "no", token: "x" }],
    field: "token",
    text: "a token needs a seat. Write yes for the seat, or no for the token",
    csv: [3, 21],
    yaml: [5, 12],
  },
  "a flag that is none": {
    people: [{ ...ada, protected: "maybe" }],
    field: "protected",
    text: '"maybe": expected yes or no',
    csv: [3, 18],
    yaml: [4, 16],
  },
  "a window without the end of the subscription": {
    people: [{ ...ada, window: "30d" }],
    field: "window",
    text: "window requires the end of the subscription. Set it at the top: MARKsubscription: 2027-06-30",
    csv: [3, 18],
    yaml: [4, 13],
  },
  "a window that is no span": {
    people: [{ ...ada, window: "30 days" }],
    header: { ...organization, subscription: "2027-12-31" },
    field: "window",
    text: `"30 days": not a valid duration (${span})`,
    csv: [4, 18],
    yaml: [5, 13],
  },
  "a rule of rotation below a day": {
    people: [{ ...ada, rotate_every: "12h" }],
    field: "rotate_every",
    text: `"12h": not a valid period (${span}, from 1d to 3650d)`,
    csv: [3, 18],
    yaml: [4, 19],
  },
  "an end after the subscription's": {
    people: [{ ...ada, expires: "2028-01-01" }],
    header: { ...organization, subscription: "2027-12-31" },
    field: "expires",
    text: "2028-01-01T23:59:59Z is after the end of the subscription (2027-12-31T23:59:59Z). Write that date or an earlier one, or leave the field out",
    csv: [4, 18],
    yaml: [5, 14],
  },
  "a day that no calendar has": {
    people: [{ ...ada, expires: "2026-02-30" }],
    field: "expires",
    text: `"2026-02-30": not a valid date (${date})`,
    csv: [3, 18],
    yaml: [4, 14],
  },
  "a key with other characters": {
    people: [{ key: "ada lovelace", ...ada }],
    field: "key",
    text: `"ada lovelace": not a valid key (${keyForm})`,
    csv: [3, 1],
    yaml: [3, 10],
  },
  "a key that is too long": {
    people: [{ key: "k".repeat(101), ...ada }],
    field: "key",
    text: `"${"k".repeat(60)}…": not a valid key (${keyForm})`,
    csv: [3, 1],
    yaml: [3, 10],
  },
  "a user id with a space": {
    people: [{ ...ada, user_id: "u 1" }],
    field: "user_id",
    text: '"u 1": not a valid user id. Copy it from the service',
    csv: [3, 18],
    yaml: [4, 14],
  },
  "a key that two rows have": {
    people: [
      { key: "a", ...ada },
      { key: "b", ...bob },
      { key: "a", email: "cyd@acme.example" },
    ],
    field: "key",
    text: 'duplicate key "a" (first in line LINE): keys are unique',
    csv: [5, 1],
    yaml: [7, 10],
  },
  "a key that is another's email": {
    people: [
      { key: "bob@acme.example", ...ada },
      { key: "", ...bob },
    ],
    field: "key",
    text: 'duplicate key "bob@acme.example" (first in line LINE): keys are unique',
    csv: [4, 2],
    yaml: [6, 12],
  },
  "an email that two rows have, in other letter case": {
    people: [ada, bob, { email: "ADA@acme.example" }],
    field: "email",
    text: 'duplicate email "ada@acme.example" (first in line LINE): each person has one row',
    csv: [5, 1],
    yaml: [5, 12],
  },
  "a user id that two rows have": {
    people: [
      { user_id: "u-1", ...ada },
      { user_id: "U-1", ...bob },
    ],
    field: "user_id",
    text: 'duplicate user_id "u-1" (first in line LINE): each user has one row',
    csv: [4, 1],
    yaml: [5, 14],
  },
  "a public key that is mistyped": {
    people: [{ ...ada, recipient: "age1qqqq" }],
    field: "recipient",
    text: '"age1qqqq": mistyped or incomplete. Copy the public key again',
    csv: [3, 18],
    yaml: [4, 16],
  },
  "a private key, which no message shows": {
    people: [{ ...ada, recipient: "AGE-SECRET-KEY-1QQQQ" }],
    field: "recipient",
    text: "a private key. Remove it from this file and from its history, make a new key pair, and write the public key (age1...)",
    csv: [3, 18],
    yaml: [4, 16],
  },
  "a sealed token that is not kept": {
    people: [{ ...ada, recipient: RECIPIENT, keep_token: "no" }],
    field: "keep_token",
    text: "no effect together with recipient: the state keeps only the sealed token. Remove one of them",
    csv: [3, 81],
    yaml: [5, 17],
  },
  "a field that is not known": {
    people: [{ ...ada, nickname: "" }],
    text: 'unknown NOUN "nickname" (the PLURAL are key, email, purpose, first_name, last_name, team, seat, token, expires, window, expiration_tolerance_months, send_email, recipient, keep_token, user_id, rotation, rotate_every, access_until, protected)',
    csv: [2, 7],
    yaml: [4, 5],
  },
  "a field that is a slip of the pen": {
    people: [{ ...ada, "Last Nmae": "" }],
    text: 'unknown NOUN "Last Nmae" (did you mean last_name?)',
    csv: [2, 7],
    yaml: [4, 5],
  },
};

const header: Readonly<Record<string, Case>> = {
  "a token without a recipient, where each needs one": {
    people: [ada],
    header: { ...organization, seal_tokens: "required" },
    field: "recipient",
    text: "missing recipient, and seal_tokens requires it. Write the person's age public key (age1...)",
    csv: [4, 1],
    yaml: [4, 5],
  },
  "no organization": {
    people: [ada],
    header: { seats: 3 },
    field: "organization",
    text: "missing organization. Write its id at the top: MARKorganization: <GUID>",
    csv: [1, 1],
    yaml: [1, 1],
  },
  "an organization that is no GUID": {
    people: [ada],
    header: { organization: "acme" },
    field: "organization",
    text: '"acme": not a valid organization id (expected a GUID, such as 1b4e28ba-2fa1-11d2-883f-0016d3cca427)',
    csv: [1, 17],
    yaml: [1, 15],
  },
  "an end of the subscription that is no date": {
    people: [ada],
    header: { ...organization, subscription: "next year" },
    field: "subscription",
    text: `"next year": not a valid date (${date})`,
    csv: [2, 17],
    yaml: [2, 15],
  },
  "a count that is none": {
    people: [ada],
    header: { ...organization, seats: "a dozen" },
    field: "seats",
    text: '"a dozen": not a valid count (expected a whole number, such as 120)',
    csv: [2, 10],
    yaml: [2, 8],
  },
  "a count below zero": {
    people: [ada],
    header: { ...organization, rows: -1 },
    field: "rows",
    text: '"-1": not a valid count (expected a whole number, such as 120)',
    csv: [2, 9],
    yaml: [2, 7],
  },
  "too many stacks": {
    people: [ada],
    header: { ...organization, stacks: 65 },
    field: "stacks",
    text: '"65": not a valid number of stacks (expected a whole number from 1 to 64)',
    csv: [2, 11],
    yaml: [2, 9],
  },
  "a removal that is none": {
    people: [ada],
    header: { ...organization, removal: "delete" },
    field: "removal",
    text: '"delete": expected remove (orgseat removes a person without a row from the organization) or release (the person stays a member)',
    csv: [2, 12],
    yaml: [2, 10],
  },
  "a field that is a slip of the pen": {
    people: [ada],
    header: { ...organization, Removl: "release" },
    text: 'unknown field of the header "Removl" (did you mean removal?)',
    csv: [2, 1],
    yaml: [2, 1],
  },
  "a field that is there twice, in another spelling": {
    people: [ada],
    header: { ...organization, seats: 3, Seats: 4 },
    field: "seats",
    text: "duplicate seats (first in line 2). Keep one of them",
    csv: [3, 1],
    yaml: [3, 1],
  },
};

/** The words that differ between the two forms. */
const csvWords = { MARK: "# ", NOUN: "column", PLURAL: "columns", LINE: "3" };
const yamlWords = { MARK: "", NOUN: "field of a person", PLURAL: "fields of a person", LINE: "3" };

function expected(
  { field, text }: Case,
  [line, column]: readonly [number, number],
  words: object,
): ValidationIssue {
  let filled = text;
  for (const [word, meaning] of Object.entries(words)) filled = filled.replace(word, meaning);
  return { line, column, ...(field === undefined ? {} : { field }), text: filled };
}

describe.each([
  ["of a person", people],
  ["of the header", header],
])("an issue %s", (_, cases) => {
  test.each(Object.entries(cases))("appears in CSV: %s", (_name, one) => {
    const text = textOf("csv", one.people, one.header);
    expect(issuesOf(text, "people.csv")).toEqual([expected(one, one.csv, csvWords)]);
  });

  test.each(Object.entries(cases))("appears in YAML: %s", (_name, one) => {
    const text = textOf("yaml", one.people, one.header);
    expect(issuesOf(text, "people.yaml")).toEqual([expected(one, one.yaml, yamlWords)]);
  });
});

describe("the issues of a file", () => {
  test("appear all at once, in the order of the file, with line, column and field", () => {
    const text = `# organization: acme\nkey,email,seat\na b,ada,maybe\n,,\nbob,bob@acme.example\n`;
    expect(() => parseRoster(text, "people.csv")).toThrow(`people.csv is invalid (5 errors):
  line 1, column 17 (organization): "acme": not a valid organization id (expected a GUID, such as 1b4e28ba-2fa1-11d2-883f-0016d3cca427)
  line 3, column 1 (key): "a b": not a valid key (${keyForm})
  line 3, column 5 (email): "ada": not a valid email address (expected, for example, ada@acme.example)
  line 3, column 9 (seat): "maybe": expected yes or no
  line 5, column 1: expected 3 cells, found 2. Write a delimiter for each empty cell too`);
  });

  test("end after fifty, with their number", () => {
    const wrong = Array.from({ length: 60 }, (_, number) => ({ key: `k${number}`, email: "nobody" }));
    try {
      parseRoster(textOf("csv", wrong), "people.csv");
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof RosterError)) throw error;
      expect(error.issues).toHaveLength(60);
      const lines = error.message.split("\n");
      expect(lines).toHaveLength(52);
      expect([lines[0], lines.at(-1)]).toEqual(["people.csv is invalid (60 errors):", "  and 10 more"]);
    }
  });

  test("keep a message in its form, whatever is in the file", () => {
    const issues = ["a\nb", "a\u001b[31m"].map(
      (email) => issuesOf(textOf("json", [{ email }]), "people.json")[0]?.text,
    );
    expect(issues).toEqual([
      '"a\\nb": not a valid email address (expected, for example, ada@acme.example)',
      "contains the control character U+001B. Remove it",
    ]);
  });

  test("refuse a purpose of two lines, which could look like two people", () => {
    const row = { key: "ci", purpose: "builds\n  ada@acme.example  stays" };
    const [issue] = issuesOf(textOf("json", [row]), "people.json");
    expect(issue?.text).toBe(
      '"builds\\n  ada@acme.example  stays": not one line. Write a space for each line break and tab',
    );
  });
});
