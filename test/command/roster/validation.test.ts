/** What is wrong with a roster: each issue with its sentence and its place, in CSV and in YAML. */
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { RosterError, type ValidationIssue } from "../../../command/roster/formats/validation.ts";
import { parseRoster } from "../../../command/roster/read.ts";
import { type Fields, issueCases, issuesOf, ORGANIZATION, textOf } from "./sample.ts";

const RECIPIENT = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";

interface Case {
  readonly people: readonly Fields[];
  readonly header?: Fields;
  readonly field?: string;
  readonly text: string;
  /** Line and column. */
  readonly csv: readonly [number, number];
  readonly yaml: readonly [number, number];
}

const personSchema = z.record(z.string(), z.union([z.string(), z.number()]));

/** The people, perhaps under a header, which has the organization unless it is `only` what is written. */
function casesIn(text: string): [string, Case][] {
  return issueCases(text).map(({ what, field, places, given, text }) => {
    const [csv = [0, 0], yaml = [0, 0]] = places;
    const [people = "", header] = given.split(" under ");
    const settings = header && personSchema.parse(parse(header.replace("only ", "")));
    const organization = header?.startsWith("only ") ? {} : { organization: ORGANIZATION };
    const one: Case = {
      people: z.array(personSchema).parse(parse(`[${people}]`)),
      ...(settings && { header: { ...organization, ...settings } }),
      ...{ ...(field !== undefined && { field }), text, csv, yaml },
    };
    return [what, one];
  });
}

const date = "expected a date such as 2027-06-30, or a timestamp such as 2027-06-30T12:00:00Z";
const span = "expected a number with a unit (ms, s, m, h, or d), such as 30s, 12h, or 30d";
const keyForm = "expected 1 to 100 letters, digits, or . _ @ + -, starting with a letter or digit";

const cases = casesIn(String.raw`
an email that is none: email 3:5 4:12
  { key: ada, email: ada@ }
  "ada@": not a valid email address (expected, for example, ada@acme.example)
an email with an invisible character: email 3:5 4:12
  { key: ada, email: "a\u200bda@acme.example" }
  "a\u{200b}da@acme.example": not an email address: U+200B in column 2 is an invisible character. Type the address again
a purpose that erases the line above it: purpose 3:4 4:14
  { key: ci, purpose: "builds\u001b[1A\u001b[2K" }
  contains the control character U+001B in column 7 of the value. Remove it
both email and purpose: purpose 3:18 4:14
  { email: ada@acme.example, purpose: builds }
  both email and purpose. A person has an email, a machine user has a purpose. Remove one of them
neither email nor purpose: 3:1 3:5
  { key: ada, email: "" }
  neither email nor purpose. Write the email of a person, or the purpose of a machine user
a purpose with names: last_name 3:11 5:16
  { key: ci, purpose: builds, last_name: Bot }
  a machine user has no last_name. Describe the token in purpose, and remove last_name
a purpose without a key: key 3:1 3:14
  { purpose: Nightly builds (main) }
  missing key. A machine user has no email, so it needs a key, such as nightly-builds-main
a purpose that is too long: purpose 3:4 4:14
  { key: ci, purpose: ${"x".repeat(201)} }
  "${"x".repeat(60)}…": too long (at most 200 characters)
a token without a seat: token 3:21 5:12
  { email: ada@acme.example, seat: no, token: x }
  a token needs a seat. Write yes for the seat, or no for the token
a flag that is none: protected 3:18 4:16
  { email: ada@acme.example, protected: maybe }
  "maybe": expected yes or no
a window without the end of the subscription: window 3:18 4:13
  { email: ada@acme.example, window: 30d }
  window requires the end of the subscription. Set it at the top: MARKsubscription: 2027-06-30
a window that is no span: window 4:18 5:13
  { email: ada@acme.example, window: 30 days } under { subscription: 2027-12-31 }
  "30 days": not a valid duration (${span})
a rule of rotation below a day: rotate_every 3:18 4:19
  { email: ada@acme.example, rotate_every: 12h }
  "12h": not a valid period (${span}, from 1d to 3650d)
an end after the subscription's: expires 4:18 5:14
  { email: ada@acme.example, expires: 2028-01-01 } under { subscription: 2027-12-31 }
  2028-01-01T23:59:59Z is after the end of the subscription (2027-12-31T23:59:59Z). Write that date or an earlier one, or leave the field out
a day that no calendar has: expires 3:18 4:14
  { email: ada@acme.example, expires: 2026-02-30 }
  "2026-02-30": not a valid date or period (${date}; or a period such as 90d, from 1d to 3650d)
a window of a period: window 4:22 6:13
  { email: ada@acme.example, expires: 90d, window: 30d } under { subscription: 2027-12-31 }
  has no effect together with a period in expires, which is renewed when half of it has passed. Remove one of them
a key with other characters: key 3:1 3:10
  { key: ada lovelace, email: ada@acme.example }
  "ada lovelace": not a valid key (${keyForm})
a key that is too long: key 3:1 3:10
  { key: ${"k".repeat(101)}, email: ada@acme.example }
  "${"k".repeat(60)}…": not a valid key (${keyForm})
a user id with a space: user_id 3:18 4:14
  { email: ada@acme.example, user_id: u 1 }
  "u 1": not a valid user id. Copy it from the service
a key that two rows have: key 5:1 7:10
  { key: a, email: ada@acme.example }, { key: b, email: bob@acme.example }, { key: a, email: cyd@acme.example }
  duplicate key "a" (first on line LINE): keys are unique
a key that is another's email: key 4:2 6:12
  { key: bob@acme.example, email: ada@acme.example }, { key: "", email: bob@acme.example }
  duplicate key "bob@acme.example" (first on line LINE): keys are unique
an email that two rows have, in other letter case: email 5:1 5:12
  { email: ada@acme.example }, { email: bob@acme.example }, { email: ADA@acme.example }
  duplicate email "ada@acme.example" (first on line LINE): each person has one row
a user id that two rows have: user_id 4:1 5:14
  { user_id: u-1, email: ada@acme.example }, { user_id: U-1, email: bob@acme.example }
  duplicate user_id "u-1" (first on line LINE): each user has one row
a public key that is mistyped: recipients 3:18 4:17
  { email: ada@acme.example, recipients: age1qqqq }
  "age1qqqq": mistyped or incomplete. Copy the public key again
a private key, which no message shows: recipients 3:18 4:17
  { email: ada@acme.example, recipients: AGE-SECRET-KEY-1QQQQ }
  a private key. Remove it from this file and from its history, make a new key pair, and write the public key (age1...)
a sealed token that is not kept: keep_value 3:81 5:17
  { email: ada@acme.example, recipients: ${RECIPIENT}, keep_value: no }
  has no effect together with recipients: the state keeps only the sealed token. Remove one of them
a field that is not known: 2:7 4:5
  { email: ada@acme.example, nickname: "" }
  unknown NOUN "nickname" (the PLURAL are key, email, purpose, first_name, last_name, team, seat, token, expires, window, expiration_tolerance_months, send_email, recipients, keep_value, user_id, rotation, rotate_every, keep_previous, access_until, protected, exempt, idle_notice)
a field that is a slip of the pen: 2:7 4:5
  { email: ada@acme.example, Last Nmae: "" }
  unknown NOUN "Last Nmae" (did you mean last_name?)
the name that a field has in programs: 2:7 4:5
  { email: ada@acme.example, expiresAt: "" }
  unknown NOUN "expiresAt" (did you mean expires?)
a token without a recipient, where each needs one: recipients 4:1 4:5
  { email: ada@acme.example } under { require_sealed_tokens: "true" }
  missing recipients, and require_sealed_tokens requires it. Write the person's age public key (age1...)
an adopted token without a recipient that gets another value, where each needs one: recipients 4:1 4:5
  { email: ada@acme.example, user_id: u-1, token: adopt, rotate_every: 30d } under { require_sealed_tokens: "true" }
  missing recipients, and require_sealed_tokens requires it. Write the person's age public key (age1...)
no organization: organization 1:1 1:1
  { email: ada@acme.example } under only { seats: 3 }
  missing organization. Write its id at the top: MARKorganization: <id>
an organization with a part of a path: organization 1:17 1:15
  { email: ada@acme.example } under only { organization: acme/data }
  "acme/data": not an organization id: it contains U+002F in column 5. Copy it from the address of the organization in the console
an end of the subscription that is no date: subscription 2:17 2:15
  { email: ada@acme.example } under { subscription: next year }
  "next year": not a valid date (${date})
a count that is none: seats 2:10 2:8
  { email: ada@acme.example } under { seats: a dozen }
  "a dozen": not a valid count (expected a whole number, such as 120)
a count below zero: rows 2:9 2:7
  { email: ada@acme.example } under { rows: -1 }
  "-1": not a valid count (expected a whole number, such as 120)
an on_delete that is none: on_delete 2:14 2:12
  { email: ada@acme.example } under { on_delete: remove }
  "remove": expected delete (orgseat removes a person without a row from the organization) or retain (the person stays a member)
a field of the header that is a slip of the pen: 2:1 2:1
  { email: ada@acme.example } under { On_delet: retain }
  unknown field of the header "On_delet" (did you mean on_delete?)
a field of the header that is there twice, in another spelling: seats 3:1 3:1
  { email: ada@acme.example } under { seats: 3, Seats: 4 }
  duplicate seats (first on line 2). Keep one of them
`);

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

test.each(cases)("an issue appears in CSV and YAML: %s", (_, one) => {
  const [csv, yaml] = [textOf("csv", one.people, one.header), textOf("yaml", one.people, one.header)];
  expect(issuesOf(csv, "people.csv")).toEqual([expected(one, one.csv, csvWords)]);
  expect(issuesOf(yaml, "people.yaml")).toEqual([expected(one, one.yaml, yamlWords)]);
});

describe("the issues of a file", () => {
  test("appear all at once, in the order of the file, with line, column and field", () => {
    const text = `# organization: acme/data\nkey,email,seat\na b,ada,maybe\n,,\nbob,bob@acme.example\n`;
    expect(() => parseRoster(text, "people.csv")).toThrow(`people.csv is invalid (5 errors):
  line 1, column 17 (organization): "acme/data": not an organization id: it contains U+002F in column 5. Copy it from the address of the organization in the console
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
      '"a\\nb": not an email address: U+000A in column 2 is a control character. Type the address again',
      "contains the control character U+001B in column 2 of the value. Remove it",
    ]);
  });

  test("refuse a purpose of two lines, which could look like two people", () => {
    const row = { key: "ci", purpose: "builds\n  ada@acme.example  stays" };
    const [issue] = issuesOf(textOf("json", [row]), "people.json");
    expect(issue?.text).toBe(
      '"builds\\n  ada@acme.example  stays": contains a line break or a tab. Write a space instead',
    );
  });
});
