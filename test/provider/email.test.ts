/** Which texts are email addresses: the mailboxes of RFC 6531 without spaces, invisible characters, and typographic quotes. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../command/roster/read.ts";
import { addressIssue, emailSchema, mailboxSchema } from "../../provider/api/schemas/schemas.ts";
import { orgUserDefinition } from "../../provider/member/primitives/user.ts";
import { onboardingDefinition } from "../../provider/resources/onboarding/definition.ts";
import { folded } from "../../provider/util/text.ts";
import { checkCases } from "../setup/cases.ts";

const long = (characters: number) => "a".repeat(characters);

describe("emailSchema", () => {
  const same = [
    ...'r&d a/b a=b !#$%&\'*+-/=?^_`{|}~ first.last+tag "a..b" "a@b\\"c"'
      .split(" ")
      .map((one) => `${one}@acme.example`),
    ..."a@sub.acme.example a@xn--mnchen-3ya.example a@acme.xn--p1ai 用户@例子.广告 अजय@डाटा.भारत".split(" "),
    ...["ada@[192.0.2.1]", "1@1.example", `${long(64)}@acme.example`],
  ];
  test.each<readonly [text: string, email: string]>([
    ...same.map((email) => [email, email] as const),
    ["Ada@Acme.example", "ada@acme.example"],
    ["Jörg@München.example", "jörg@münchen.example"],
    ["e\u0301va@acme.example", "\u00e9va@acme.example"],
    ["ada@[IPv6:2001:DB8::1]", "ada@[ipv6:2001:db8::1]"],
  ])("reads %s, in one form", (text, email) => {
    expect(emailSchema.parse(text)).toBe(email);
    expect(emailSchema.parse(email)).toBe(email);
  });

  const domains =
    "acme acme..example .acme.example acme.example. -acme.example acme-.example acme_hr.example";
  const names = '.ada ada. a..b a@b a,b a;b a"b a\\b a(b)';
  test.each([
    ...["", "ada", "ada@", "@acme.example", "a b@acme.example", '"a b"@acme.example', "ada@acme.example\n"],
    ...domains.split(" ").map((domain) => `ada@${domain}`),
    ...names.split(" ").map((name) => `${name}@acme.example`),
    ...['"a\u007fb"@acme.example', "Ada <ada@acme.example>", "mailto:ada@acme.example,bob@acme.example"],
    ...[`${long(65)}@acme.example`, `${"é".repeat(33)}@acme.example`],
    `ada@${long(63)}.${long(63)}.${long(63)}.${long(63)}.example`,
  ])("refuses %j", (text) => {
    expect(emailSchema.safeParse(text).success).toBe(false);
  });

  test("refuses a long text at once", () => {
    const [started, text] = [process.cpuUsage().user, `${"a.".repeat(50_000)}@${"b-.".repeat(50_000)}`];
    expect(emailSchema.safeParse(text).success).toBe(false);
    expect(process.cpuUsage().user - started).toBeLessThan(2_000_000);
  });
});

const again = "Type the address again";
const INVISIBLE = "an invisible character";
const QUOTE = "a typographic quote";

describe("addressIssue", () => {
  test.each([
    ["a\u200bda@acme.example", `U+200B in column 2 is ${INVISIBLE}`],
    ["\ufeffada@acme.example", `U+FEFF in column 1 is ${INVISIBLE}`],
    ["a\u{e0061}da@acme.example", `U+E0061 in column 2 is ${INVISIBLE}`],
    ["o\u2019brien@acme.example", `U+2019 in column 2 is ${QUOTE}`],
    ["\u201cada\u201d@acme.example", `U+201C in column 1 is ${QUOTE}`],
    ["\u0130lker@acme.example", "U+0130 in column 1 is a second dot of an i"],
    ["I\u0307lker@acme.example", "U+0307 in column 2 is a second dot of an i"],
    ["i\u0327\u0307lker@acme.example", "U+0307 in column 3 is a second dot of an i"],
    ["ada lovelace@acme.example", "U+0020 in column 4 is a space"],
    ["ada\t@acme.example", "U+0009 in column 4 is a control character"],
    ["\u{1f600}\u200b@acme.example", `U+200B in column 2 is ${INVISIBLE}`],
    ["a\u2019\u200b@acme.example", `U+2019 in column 2 is ${QUOTE}`],
  ])("names the character of %j", (text, issue) => {
    const message = `not an email address: ${issue}. ${again}`;
    expect(addressIssue(text)).toBe(message);
    expect(emailSchema.safeParse(text).error?.issues[0]?.message).toBe(message);
  });

  test("finds nothing in addresses with apostrophes and letters of any script", () => {
    for (const text of [
      "o'brien@acme.example",
      "i\u0131@acme.example",
      "z\u0307a@acme.example",
      "अजय@डाटा.भारत",
    ])
      expect(addressIssue(text)).toBeUndefined();
  });

  test("stops every character that no one sees, of all of Unicode, in whatever place", () => {
    const unseen =
      /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cc}|\p{Cs}|\p{Z}|(?!["'])\p{Quotation_Mark}|\u0130/u;
    const points = Array.from({ length: 0x110000 }, (_, point) => String.fromCodePoint(point));
    const wrong = points.filter(
      (character) => unseen.test(character) !== (addressIssue(character) !== undefined),
    );
    expect(wrong).toEqual([]);
    const characters = points.filter((character) => unseen.test(character));
    return checkCases(
      { name: "unseen characters in addresses", level: "R", cases: 20_000 },
      fc.record({ character: fc.constantFrom(...characters), at: fc.nat("ada@acme.example".length) }),
      async ({ character, at }) => {
        const text = `${"ada@acme.example".slice(0, at)}${character}${"ada@acme.example".slice(at)}`;
        expect(emailSchema.safeParse(text).error?.issues[0]?.message).toContain(` in column ${at + 1} is `);
      },
    );
  });

  test("gives roster, program, and onboarding their message", () => {
    const email = "a\u200bda@acme.example";
    const issue = addressIssue(email);
    expect(() => parseRoster(`# organization: acme\nemail\n${email}\n`, "people.csv")).toThrow(
      `line 3, column 1 (email): "a\\u{200b}da@acme.example": ${issue}`,
    );
    expect(orgUserDefinition.inputs.email?.safeParse(email).error?.issues[0]?.message).toBe(issue);
    expect(onboardingDefinition.inputs.emails?.safeParse([email]).error?.issues[0]?.message).toBe(issue);
  });

  test("leaves what a service lists readable", () => {
    expect(mailboxSchema.parse("a\u200bda@acme.example")).toBe("a\u200bda@acme.example");
  });
});

describe("folded", () => {
  test("gives an address one form, composed or decomposed, in any letter case", () =>
    checkCases(
      { name: "forms of addresses", level: "R", cases: 20_000 },
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
      async (name) => {
        const address = `${name}@acme.example`;
        const email = emailSchema.safeParse(address).data;
        if (email === undefined) return;
        expect(email).toBe(folded(address));
        for (const form of ["NFC", "NFD"] as const) expect(folded(address.normalize(form))).toBe(email);
        expect(folded(email)).toBe(email);
      },
    ));
});
