/** The rule that decides whether a user, a seat or a token is gone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, type ApiErrorCode } from "../../provider/api/calls/errors.ts";
import type { ListedToken, ListedUser } from "../../provider/api/schemas/anaconda-schemas.ts";
import {
  confirmedBy,
  lacks,
  presenceIn,
  provesNoUser,
  resolveOwn,
} from "../../provider/resources/members/absence.ts";
import { indexMembers, type MemberList } from "../../provider/resources/members/member-list.ts";

const END = "2027-06-30T23:59:59Z";
const ids = ["ada", "ben", "cy"];
const products = ["pro", "team"];

function userOf(id: string, subscriptions: string[]): ListedUser {
  return { id, email: `${id}@acme.example`, role: "member", subscriptions };
}

function listOf(users: readonly ListedUser[]): MemberList {
  return indexMembers({ users, odd: [] });
}

function tokenOf(id: string, revoked = false): ListedToken {
  return { id, expires_at: END, revoked };
}

const listArbitrary = fc
  .dictionary(fc.constantFrom(...ids), fc.subarray(products))
  .map((users) => listOf(Object.entries(users).map(([id, seats]) => userOf(id, seats))));

describe("two lists", () => {
  test("lack a user, or a seat, only where both lack it", () => {
    fc.assert(
      fc.property(listArbitrary, listArbitrary, (first, second) => {
        const both = confirmedBy(first, second);
        for (const userId of ids) {
          for (const seat of [undefined, { product: undefined }, { product: "pro" }]) {
            const expected = { userId, seat };
            const lists = [first, second];
            if (lists.every((list) => lacks(list, expected))) expect(lacks(both, expected)).toBe(true);
            // One list can say that a code is the product, and the other one that this user has another code.
            if (lacks(both, expected))
              for (const list of lists) expect(presenceIn(list, expected)).not.toBe("listed");
            if (seat === undefined)
              expect(lacks(both, expected)).toBe(lists.every((list) => lacks(list, expected)));
          }
        }
      }),
    );
  });

  test("tell what the later one says about a user", () => {
    const first = listOf([userOf("ada", [])]);
    const second = listOf([{ ...userOf("ada", []), role: "admin" }]);
    expect(confirmedBy(first, second).byId.get("ada")?.role).toBe("admin");
  });

  test.each([
    [undefined, []],
    [[], undefined],
  ])("leave a seat unknown about which one of them says nothing: %j and %j", (...lists) => {
    const [first, second] = lists.map((subscriptions) => listOf([{ ...userOf("ada", []), subscriptions }]));
    if (first === undefined || second === undefined) throw new Error("no lists");
    const seat = { userId: "ada", seat: { product: "pro" } };
    expect(presenceIn(confirmedBy(first, second), seat)).toBe("unknown");
  });

  test("show an item that is odd in both of them once", () => {
    const odd = [
      { position: 1, id: "ada", reason: "role: expected string, got null" },
      { position: 2, reason: "id: expected string, got null" },
    ];
    const list = indexMembers({ users: [userOf("ada", [])], odd });
    expect(confirmedBy(list, list).odd).toEqual(odd);
  });
});

describe("a refused list of tokens", () => {
  const failure = (code: ApiErrorCode, status: number | undefined) =>
    new ApiError({ code, status, call: "list tokens", method: "GET", path: "/x", reason: "x" });

  test.each([404, 422])("HTTP %i proves that there is no such user", (status) => {
    expect(provesNoUser(failure("refused", status))).toBe(true);
  });

  test.each([
    failure("refused", 400),
    failure("refused", 403),
    failure("unknown-route", 404),
    failure("service-failed", 500),
    failure("unreachable", undefined),
    new Error("404"),
  ])("proves nothing where it failed in another way: %s", (error) => {
    expect(provesNoUser(error)).toBe(false);
  });
});

describe("a token", () => {
  const own = { tokenId: "own", validUntil: END };
  const unnamed = { tokenId: null, otherTokenIds: ["old"], validUntil: END };

  test.each([
    ["its id is listed", [tokenOf("own"), tokenOf("x")], own, { token: tokenOf("own") }],
    ["its id is listed as revoked", [tokenOf("own", true), tokenOf("x")], own, { gone: true }],
    ["its id is not listed", [tokenOf("x")], own, { missing: true }],
    ["the list is empty", [], own, { missing: true }],
    ["one new token is listed", [tokenOf("old"), tokenOf("x")], unnamed, { token: tokenOf("x") }],
    ["the new token is revoked", [tokenOf("old"), tokenOf("x", true)], unnamed, { gone: true }],
    [
      "one of two new tokens is revoked",
      [tokenOf("old"), tokenOf("x", true), tokenOf("y")],
      unnamed,
      { token: tokenOf("y") },
    ],
    [
      "one of two new tokens is revoked, and no one has its value",
      [tokenOf("old"), tokenOf("x", true), tokenOf("y")],
      { ...unnamed, isLost: true },
      { gone: true },
    ],
    ["no new token is listed", [tokenOf("old")], unnamed, { missing: true }],
    ["no state says that there is one", [], undefined, { gone: true }],
    ["no state has the listed one", [tokenOf("x")], undefined, { token: tokenOf("x") }],
    [
      "no state says which of several it is",
      [tokenOf("x"), tokenOf("y")],
      undefined,
      { candidates: [tokenOf("x"), tokenOf("y")] },
    ],
  ])("%s", (_, tokens, known, expected) => {
    expect(resolveOwn(tokens, known)).toEqual(expected);
  });
});
