/** Who has a seat by the product codes of a list. */
import { describe, expect, test } from "vitest";
import {
  productCodes,
  productQuestion,
  type SeatStatus,
  seatsIn,
} from "../../provider/resources/members/seat-codes.ts";

const user = (subscriptions: string[] | undefined) => ({ subscriptions });
const [seat, other, both, none, unread] = [
  user(["seat"]),
  user(["other"]),
  user(["seat", "other"]),
  user([]),
  user(undefined),
];

type Row = readonly [
  what: string,
  users: readonly (typeof seat)[],
  product: string | undefined,
  SeatStatus[],
];
const rows: readonly Row[] = [
  ["one code: it is the seat", [seat, none, unread], undefined, ["yes", "no", "unknown"]],
  ["several codes: nothing says which", [seat, other, none], undefined, ["unknown", "unknown", "no"]],
  ["several codes, and all of them", [seat, both, other], undefined, ["unknown", "yes", "unknown"]],
  [
    "a product: its code alone decides",
    [seat, other, both, none, unread],
    "seat",
    ["yes", "no", "yes", "no", "unknown"],
  ],
  [
    "a product that no one has: it may be mistyped",
    [seat, other, none],
    "third",
    ["unknown", "unknown", "no"],
  ],
  ["a product that no one has, and no other one", [none, unread], "third", ["no", "unknown"]],
  ["no codes", [none, unread], undefined, ["no", "unknown"]],
];

describe("seatsIn", () => {
  test.each(rows)("decides by %s", (_, users, product, expected) => {
    expect(users.map(seatsIn(users, product))).toEqual(expected);
  });
});

describe("productQuestion", () => {
  test("lists several codes with the number of their users, the most frequent first", () => {
    const users = [seat, both, other, other, none, unread, user(["seat", "seat"])];
    expect(productCodes(users)).toEqual([
      ["other", 3],
      ["seat", 3],
    ]);
    expect(productQuestion([...users, seat], undefined)).toBe(
      "the list of users has several product codes, and orgseat cannot tell which one is the seat: seat (4 users), other (3 users)",
    );
  });

  test("asks for a product that users have", () => {
    expect(productQuestion([seat, seat, none], "saet")).toBe(
      "no user of the list has the product code saet, but others: seat (2 users)",
    );
    expect(productQuestion([none], "seat")).toBeUndefined();
  });

  test("asks nothing for one code, or with a product", () => {
    expect(productQuestion([seat, seat, none], undefined)).toBeUndefined();
    expect(productQuestion([seat, other], "seat")).toBeUndefined();
  });
});
