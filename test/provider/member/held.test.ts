import fc from "fast-check";
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
  seatStates,
  tokenOfValue,
  userById,
  valueStates,
} from "../../../provider/member/held.ts";
import { checkCases } from "../../setup/cases.ts";
import { held, NOW, SUBSCRIPTION, token, user } from "./people.ts";
import { platforms } from "./run.ts";

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const text = fc.string({ minLength: 1, maxLength: 12 });
const aToken = fc.record({
  id: maybe(text),
  others: maybe(fc.array(text)),
  adopted: fc.boolean(),
  issuedAt: text,
  declaredEnd: text,
  reportedEnd: maybe(text),
  mark: maybe(text),
  endsAfter: maybe(text),
  value: fc.constantFrom(...valueStates),
  sealedFor: maybe(fc.array(text)),
  asked: maybe(fc.record({ what: text, at: text })),
});
const aUser = fc.record({
  id: text,
  coming: maybe(fc.constant(true as const)),
  since: maybe(text),
  address: maybe(text),
  purpose: maybe(text),
  lastName: maybe(text),
  listed: maybe(fc.record({ firstName: maybe(text), lastName: maybe(text) })),
  role: maybe(text),
  adopted: fc.boolean(),
  seat: fc.constantFrom(...seatStates),
  seatAdopted: fc.boolean(),
  seatSince: maybe(text),
  tokens: fc.array(aToken, { maxLength: 3 }),
  asked: maybe(fc.record({ what: fc.constantFrom("seat" as const, "user" as const), at: text })),
});
const aHeld = fc.record({
  ref: text,
  key: maybe(text),
  users: fc.array(aUser, { maxLength: 3 }),
  pending: maybe(
    fc.record({
      since: text,
      address: maybe(text),
      before: maybe(fc.array(text)),
      late: maybe(fc.constant(true as const)),
    }),
  ),
  left: maybe(fc.array(text)),
  agreed: fc.record({
    onDelete: maybe(fc.record({ user: maybe(fc.constantFrom("delete" as const, "retain" as const)) })),
    protected: maybe(fc.boolean()),
    leaving: maybe(fc.constant(true as const)),
    accessUntil: maybe(text),
    tolerance: maybe(fc.integer()),
    names: maybe(text),
  }),
});

describe("heldSchema", () => {
  test("reads what it wrote", async () => {
    const suite = { name: "states of a member", level: "R" as const, cases: 2_000 };
    await checkCases(suite, aHeld, async (one) => {
      const stored: unknown = JSON.parse(JSON.stringify(one));
      const read = heldSchema.parse(stored);
      expect(JSON.parse(JSON.stringify(read))).toEqual(stored);
      expect(heldSchema.parse(JSON.parse(JSON.stringify(read)))).toEqual(read);
    });
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
