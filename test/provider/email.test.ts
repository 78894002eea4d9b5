/** Which texts are email addresses: the mailboxes of RFC 6531 without spaces and characters that act on a terminal. */
import { describe, expect, test } from "vitest";
import { emailSchema } from "../../provider/api/schemas/schemas.ts";

const long = (characters: number) => "a".repeat(characters);

describe("emailSchema", () => {
  test.each([
    ["Ada@Acme.example", "ada@acme.example"],
    ["r&d@acme.example", "r&d@acme.example"],
    ["a/b@acme.example", "a/b@acme.example"],
    ["a=b@acme.example", "a=b@acme.example"],
    ["!#$%&'*+-/=?^_`{|}~@acme.example", "!#$%&'*+-/=?^_`{|}~@acme.example"],
    ["first.last+tag@sub.acme.example", "first.last+tag@sub.acme.example"],
    ["a@xn--mnchen-3ya.example", "a@xn--mnchen-3ya.example"],
    ["a@acme.xn--p1ai", "a@acme.xn--p1ai"],
    ["Jörg@München.example", "jörg@münchen.example"],
    ["用户@例子.广告", "用户@例子.广告"],
    ["अजय@डाटा.भारत", "अजय@डाटा.भारत"],
    ["e\u0301va@acme.example", "\u00e9va@acme.example"],
    ["a\u200bda@acme.example", "a\u200bda@acme.example"],
    ['"a..b"@acme.example', '"a..b"@acme.example'],
    ['"a@b\\"c"@acme.example', '"a@b\\"c"@acme.example'],
    ["ada@[192.0.2.1]", "ada@[192.0.2.1]"],
    ["ada@[IPv6:2001:DB8::1]", "ada@[ipv6:2001:db8::1]"],
    ["1@1.example", "1@1.example"],
    [`${long(64)}@acme.example`, `${long(64)}@acme.example`],
  ])("reads %s, in one form", (text, email) => {
    expect(emailSchema.parse(text)).toBe(email);
    expect(emailSchema.parse(email)).toBe(email);
  });

  test.each([
    "",
    "ada",
    "ada@",
    "@acme.example",
    "ada@acme",
    "ada@acme..example",
    "ada@.acme.example",
    "ada@acme.example.",
    "ada@-acme.example",
    "ada@acme-.example",
    "ada@acme_hr.example",
    ".ada@acme.example",
    "ada.@acme.example",
    "a..b@acme.example",
    "a@b@acme.example",
    "a b@acme.example",
    '"a b"@acme.example',
    "a\u00a0b@acme.example",
    "a\u3000b@acme.example",
    "ada@acme.example\n",
    "a\tb@acme.example",
    "a\u0000b@acme.example",
    '"a\u007fb"@acme.example',
    "a\u202eb@acme.example",
    "a\ufeffb@acme.example",
    "a\ud800b@acme.example",
    "Ada <ada@acme.example>",
    "mailto:ada@acme.example,bob@acme.example",
    "a,b@acme.example",
    "a;b@acme.example",
    'a"b@acme.example',
    "a\\b@acme.example",
    "a(b)@acme.example",
    `${long(65)}@acme.example`,
    `${"é".repeat(33)}@acme.example`,
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
