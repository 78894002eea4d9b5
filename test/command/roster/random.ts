/** Random rosters that are valid, as they would be read. */
import fc from "fast-check";
import type { NewPerson, NewRoster } from "../../../command/roster/write.ts";
import { ORGANIZATION } from "./sample.ts";

/** Texts that are hard to write down: quotes, delimiters, line breaks, what a notation takes for something else. */
const text = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 20, unit: "grapheme" }),
    fc.constantFrom("007", "no", "null", "~", "#1", "a, b; c", '"x"', "it's", "a\nb", "- a", "k: v", "=1+1"),
    fc.constantFrom(
      "{a}",
      "[b]",
      "*a",
      "&b",
      "!c",
      "%",
      "@d",
      "`e`",
      "2027-06-30",
      "1e3",
      "a #b",
      "a\tb",
      "|",
    ),
  )
  .map((value) => value.trim())
  .filter(
    (value) =>
      value !== "" && !/(?!\s)[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u.test(value),
  );
const line = text.filter((value) => !/[\n\r\t]/.test(value));

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

/** What an address can have before its number. */
const local = fc.constantFrom(
  "person",
  "r&d",
  "a/b",
  "a=b",
  "=a",
  "#a",
  "*",
  "it's",
  "{a}|`b`",
  "jörg",
  "用户",
  '"a,b;#"',
);

const drawnPerson = fc.record({
  isPerson: fc.boolean(),
  local,
  hasKey: fc.boolean(),
  purpose: line,
  firstName: maybe(line),
  lastName: maybe(line),
  team: maybe(text),
  seat: fc.boolean(),
  token: fc.boolean(),
  expires: maybe(fc.constantFrom("2027-06-30T23:59:59Z", "2026-01-01T12:00:00Z")),
  window: maybe(fc.constantFrom("30d", "12h")),
  rotation: maybe(text),
  hasUserId: fc.boolean(),
  accessUntil: maybe(fc.constantFrom("2030-06-30T23:59:59Z", "2030-01-01T12:00:00Z")),
  protected: fc.boolean(),
});
type Drawn = typeof drawnPerson extends fc.Arbitrary<infer T> ? T : never;

function personOf(drawn: Drawn, number: number): NewPerson {
  const { isPerson, local, hasKey, purpose, firstName, lastName, hasUserId, token, ...rest } = drawn;
  const email = `${local}@${number}.acme.example`;
  const common = { ...rest, token: token && rest.seat, userId: hasUserId ? `user-${number}` : undefined };
  if (!isPerson) return { ...common, key: `managed-${number}`, purpose };
  return { ...common, key: hasKey ? `Key_${number}` : email, email, firstName, lastName };
}

/** @param from the number of the first, so that two lists have no one in common */
export const randomPeople = (from: number, maxLength: number): fc.Arbitrary<NewPerson[]> =>
  fc.array(drawnPerson, { maxLength }).map((drawn) => drawn.map((one, place) => personOf(one, from + place)));

export const randomRoster: fc.Arbitrary<NewRoster> = fc.record({
  organizationId: fc.constant(ORGANIZATION),
  subscriptionExpiresAt: fc.constantFrom("2027-12-31T23:59:59Z", "2028-01-01T00:00:00Z"),
  seats: maybe(fc.nat(5000)),
  rows: maybe(fc.nat(5000)),
  onDelete: maybe(fc.constantFrom("delete" as const, "retain" as const)),
  people: randomPeople(0, 6),
});
