import { describe, expect, test } from "vitest";
import { platforms as apiPlatforms } from "../../../provider/api/calls/platform.ts";
import {
  currentUser,
  endOf,
  heldSchema,
  holdsNothing,
  isEmptied,
  liveTokensOf,
  markOf,
  nothingHeld,
  tokenOfValue,
  userById,
} from "../../../provider/member/held.ts";
import { seed } from "../../setup/cases.ts";
import { held, NOW, SUBSCRIPTION, token, user } from "./people.ts";
import { platforms } from "./run.ts";
import { drawn } from "./second-cases.ts";

describe("heldSchema", () => {
  test("reads what it wrote", () => {
    const states = [...drawn(seed, 500)].map(({ held: one }) => one);
    for (const one of states)
      expect(heldSchema.parse(JSON.parse(JSON.stringify(one))), `seed ${seed}`).toEqual(one);
  });

  const stored = (patch: Record<string, unknown>, tokenPatch: Record<string, unknown> = {}) => ({
    ...held([]),
    users: [{ ...user("anaconda"), ...patch, tokens: [{ ...token("anaconda"), ...tokenPatch }] }],
  });

  test.each(["id", "seat", "tokens"])("refuses a user without %s", (key) => {
    const { [key]: _, ...rest } = { ...user("anaconda") } as Record<string, unknown>;
    expect(heldSchema.safeParse({ ...held([]), users: [rest] }).success).toBe(false);
  });

  test.each(["role", "coming", "address"])("refuses a user with another form of %s, which decides", (key) => {
    expect(heldSchema.safeParse(stored({ [key]: 7 })).success).toBe(false);
  });

  test.each(["issuedAt", "declaredEnd", "value"])("refuses a token without %s", (key) => {
    expect(heldSchema.safeParse(stored({}, { [key]: undefined })).success).toBe(false);
  });

  test.each(["mark", "endsAfter", "sealedFor", "id"])("refuses a token with another form of %s", (key) => {
    expect(heldSchema.safeParse(stored({}, { [key]: 7 })).success).toBe(false);
  });

  test("refuses another form of a protection", () => {
    expect(heldSchema.safeParse({ ...held([]), agreed: { protected: "yes" } }).success).toBe(false);
  });

  test("leaves out what decides nothing: dates and names in another form, and unknown fields", () => {
    const odd = stored(
      { since: 7, listed: "Ada", seatSince: null, extra: 1 },
      { others: "t", reportedEnd: 7, asked: [] },
    );
    const [one] = heldSchema.parse(odd).users;
    expect(one).toEqual({
      ...user("anaconda"),
      ...{ since: undefined, listed: undefined, seatSince: undefined },
      tokens: [{ ...token("anaconda"), others: undefined, reportedEnd: undefined, asked: undefined }],
    });
    expect(one && "extra" in one).toBe(false);
  });
});

describe("Held", () => {
  test("holds nothing at first", () => {
    const first = nothingHeld("m-1", "ada");
    expect(first).toEqual({ ref: "m-1", key: "ada", users: [], agreed: {} });
    expect(nothingHeld("m-1")).toEqual({ ref: "m-1", users: [], agreed: {} });
    expect([holdsNothing(first), isEmptied(first)]).toEqual([true, false]);
    expect(currentUser(first)).toBeUndefined();
  });

  test.each([
    ["nothing left", held([], { agreed: { leaving: true } }), true],
    ["a user", held([user("basic")], { agreed: { leaving: true } }), false],
    ["a creation without an answer", held([], { agreed: { leaving: true }, pending: { since: NOW } }), false],
    ["nothing, and stays", held([], { agreed: {} }), false],
  ])("counts as emptied with %s: %s", (_, one, expected) => {
    expect(isEmptied(one)).toBe(expected);
  });

  test("finds users and live tokens, the current ones first", () => {
    const old = user("anaconda", { tokens: [token("anaconda", { id: "t-0", value: "none" })] });
    const coming = user("anaconda", { id: "u-2", coming: true, tokens: [token("anaconda", { id: "t-2" })] });
    const both = held([old, coming]);
    expect(currentUser(both)?.id).toBe("u-1");
    expect(userById(both, "u-2")).toBe(coming);
    expect(userById(both, "u-3")).toBeUndefined();
    expect(liveTokensOf(both).map(({ id }) => id)).toEqual(["t-0", "t-2"]);
    expect(tokenOfValue(both)?.id).toBe("t-2");
    expect(
      tokenOfValue(held([user("basic", { tokens: [token("basic", { value: "lost" })] })])),
    ).toBeUndefined();
    expect(
      tokenOfValue(held([user("basic", { tokens: [token("basic", { value: "sealed" })] })]))?.value,
    ).toBe("sealed");
  });

  test("takes the reported end before the declared one", () => {
    expect(endOf(token("basic", { reportedEnd: NOW }))).toBe(NOW);
    expect(endOf(token("basic", { reportedEnd: undefined }))).toBe(SUBSCRIPTION);
  });

  test("marks texts: equal in any letter case and spacing, and different for each member", () => {
    expect(markOf("m-1", " Ada@ACME.example ")).toBe(markOf("m-1", "ada@acme.example"));
    expect(markOf("m-1", "Nightly  builds")).toBe(markOf("m-1", "nightly builds"));
    expect(markOf("m-1", "ada@acme.example")).not.toBe(markOf("m-2", "ada@acme.example"));
    expect(markOf("m-1", "ada@acme.example")).toMatch(/^[\w-]{16}$/);
  });
});

describe("a platform", () => {
  test.each(["basic", "anaconda"] as const)("%s has the facts that these tests assume", (platform) => {
    expect(apiPlatforms[platform]).toMatchObject(platforms[platform]);
  });
});
