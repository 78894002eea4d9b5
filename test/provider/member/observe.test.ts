import { describe, expect, test } from "vitest";
import { type HeldUser, markOf, REVOCATION } from "../../../provider/member/held.ts";
import { candidatesOf, isLike, isObserved, observe, unread } from "../../../provider/member/observe.ts";
import type { SeenUser } from "../../../provider/member/wanted.ts";
import { ADA, held, LOVELACE, NOW, REF, SUBSCRIPTION, token, user } from "./people.ts";

const EARLIER = "2027-03-01T23:59:59Z";
const one = user("anaconda");
const seenUser = (more: Partial<SeenUser> = {}): SeenUser => ({
  ...{ id: "u-1", email: ADA, role: "member", hasSeat: true, tokens: [{ id: "t-1", end: SUBSCRIPTION }] },
  ...more,
});
const seenAfter = (has: HeldUser, more: Partial<SeenUser>) =>
  observe(held([has]), { users: [seenUser(more)] }).held.users[0];

describe("observe", () => {
  test("changes nothing where nothing is read", () => {
    const observed = unread(held([one], { pending: { since: NOW, purpose: "p" } }));
    expect(observed.held).toBe(observed.held);
    expect(observed.held).toEqual(observed.stored);
    expect(isObserved(observed)).toBe(false);
    expect(isObserved(observe(held([one]), { users: [] }))).toBe(false);
    expect(isObserved(observe(held([one]), { users: [seenUser()] }))).toBe(false);
  });

  test.each([
    ["held", true, "held"],
    ["held", false, "none"],
    ["held", undefined, "held"],
    ["none", true, "left"],
    ["none", false, "none"],
    ["left", true, "left"],
    ["left", false, "none"],
    ["unconfirmed", true, "held"],
    ["unconfirmed", false, "none"],
    ["unconfirmed", undefined, "unconfirmed"],
    ["unknown", true, "held"],
    ["unknown", false, "none"],
    ["unknown", undefined, "unknown"],
  ] as const)("makes of a seat %s, shown %s: %s", (seat, hasSeat, expected) => {
    expect(seenAfter({ ...one, seat }, { hasSeat })?.seat).toBe(expected);
  });

  test.each([
    ["a removal of the seat, once the list says", "seat", true, undefined],
    ["no removal of a seat that the list leaves open", "seat", undefined, "seat"],
    ["a removal of the user who is listed", "user", undefined, undefined],
  ] as const)("settles %s", (_, what, hasSeat, expected) => {
    expect(seenAfter({ ...one, asked: { what, at: NOW } }, { hasSeat })?.asked?.what).toBe(expected);
  });

  test("takes role and names from the list", () => {
    const seen = seenAfter(one, { role: "admin", firstName: "Ada", lastName: " " });
    expect(seen).toMatchObject({ role: "admin", listed: { firstName: markOf(REF, "Ada") } });
    expect(seenAfter({ ...one, listed: { firstName: "x" } }, {})?.listed).toBeUndefined();
    expect(seenAfter(one, { lastName: "Lovelace" })?.listed).toEqual({ lastName: markOf(REF, "Lovelace") });
  });

  test("takes a role that the list does not show for more than a member's", () => {
    expect(seenAfter(one, { role: undefined })?.role).toBe("unknown");
  });

  test.each([
    ["settles a creation", {}, undefined],
    ["settles no creation by a list that may hide its user", { isHiding: true as const }, NOW],
  ])("%s", (_, more, since) => {
    const pending = { since: NOW, address: markOf(REF, ADA) };
    expect(observe(held([], { pending }), { users: [], ...more }).held.pending?.since).toBe(since);
  });

  const tokens = (has: readonly (typeof one.tokens)[number][], listed: SeenUser["tokens"]) =>
    seenAfter({ ...one, tokens: has }, { tokens: listed })?.tokens;

  test("keeps a token that no list was read about, or that the list contradicts", () => {
    expect(tokens(one.tokens, undefined)).toEqual(one.tokens);
    expect(tokens(one.tokens, [{ id: "t-9", end: SUBSCRIPTION }])).toEqual(one.tokens);
  });

  test("drops a revoked token, and takes over another end", () => {
    expect(tokens(one.tokens, [{ id: "t-1", end: SUBSCRIPTION, isRevoked: true }])).toEqual([]);
    expect(tokens(one.tokens, [{ id: "t-1", end: EARLIER }])?.[0]).toMatchObject({
      declaredEnd: SUBSCRIPTION,
      reportedEnd: EARLIER,
    });
    expect(tokens(one.tokens, [{ id: "t-1" }])).toEqual(one.tokens);
  });

  test("finds the id of a token beside others", () => {
    const unnamed = token("basic", { others: ["t-0"], value: "lost" });
    const listed = [
      { id: "t-0", end: SUBSCRIPTION },
      { id: "t-1", end: SUBSCRIPTION },
    ];
    expect(tokens([unnamed], listed)).toEqual([{ ...token("anaconda"), value: "lost" }]);
    const both = [unnamed, token("anaconda", { id: "t-1" })];
    expect(tokens(both, [...listed, { id: "t-2", end: SUBSCRIPTION }])?.map(({ id }) => id)).toEqual([
      "t-2",
      "t-1",
    ]);
    expect(tokens([unnamed], [...listed, { id: "t-2", end: EARLIER }])?.[0]?.id).toBe("t-1");
    expect(tokens([unnamed], [...listed, { id: "t-2", end: SUBSCRIPTION }])).toEqual([unnamed]);
  });

  test("drops a lost token that no list shows, and no other one", () => {
    const lost = token("basic", { others: ["t-0"], value: "lost" });
    expect(tokens([lost], [{ id: "t-0", end: SUBSCRIPTION }])).toEqual([]);
    const kept = { ...lost, value: "kept" as const };
    expect(tokens([kept], [{ id: "t-0", end: SUBSCRIPTION }])).toEqual([kept]);
  });

  test("knows a live token that no state has once the own one has ended, until it ends or one is issued", () => {
    const own = { id: "t-1", end: SUBSCRIPTION, isRevoked: true };
    const theirs = { id: "t-9", end: EARLIER };
    const instead = one.tokens[0];
    expect(instead).toBeDefined();
    const after = seenAfter(one, { tokens: [own, theirs] });
    expect(after).toMatchObject({ tokens: [], unmanaged: { live: [theirs], instead } });
    if (after === undefined) return;
    expect(seenAfter(after, { tokens: undefined })?.unmanaged).toEqual(after.unmanaged);
    expect(seenAfter(after, { tokens: [theirs, { id: "t-8" }] })?.unmanaged?.live).toHaveLength(2);
    expect(seenAfter(after, { tokens: [{ ...theirs, isRevoked: true }] })).not.toHaveProperty("unmanaged");
    expect(seenAfter(one, { tokens: [own] })).not.toHaveProperty("unmanaged");
    const before = user("anaconda", { tokens: [] });
    expect(seenAfter(before, { tokens: [theirs] })).not.toHaveProperty("unmanaged");
  });

  test("knows a listed token as not revoked, whatever was asked", () => {
    const asked = (what: string) => [token("anaconda", { asked: { what, at: NOW } })];
    expect(tokens(asked(REVOCATION), [{ id: "t-1", end: SUBSCRIPTION }])?.[0]?.asked).toBeUndefined();
    expect(tokens(asked(EARLIER), [{ id: "t-1", end: SUBSCRIPTION }])?.[0]?.asked).toEqual({
      what: EARLIER,
      at: NOW,
    });
  });

  test("drops users who are proven absent, and makes the next one current", () => {
    const coming = user("anaconda", { id: "u-2", coming: true });
    const { held: found } = observe(held([one, coming], { left: ["u-0"] }), { users: [], absent: ["u-1"] });
    const { coming: _, ...current } = coming;
    expect(found).toMatchObject({ users: [current], left: ["u-0", "u-1"] });
    expect(found.users[0]?.coming).toBeUndefined();
    expect(observe(held([one]), { absent: ["u-9"] }).held).toEqual(held([one]));
  });

  test.each([
    ["its id", "u-1", "t-1", 0],
    ["the time of its issue", "u-1", "2026-08-01T08:00:00Z", 0],
    ["another id", "u-1", "t-9", 1],
    ["its id, of another user", "u-2", "t-1", 1],
  ])("drops a token that was revoked outside of the run, by %s", (_, who, name, left) => {
    const { held: found } = observe(held([one]), { revoked: [{ user: who, token: name }] });
    expect(found.users[0]?.tokens).toHaveLength(left);
  });

  const pending = { since: NOW, purpose: markOf(REF, "Builds"), before: ["u-0"] };
  const machine = (id: string, more: Partial<SeenUser> = {}) =>
    seenUser({ id, email: null, firstName: "Builds", hasSeat: false, tokens: [], ...more });

  test("settles a creation without an answer by the list", () => {
    const settled = observe(held([], { pending }), { users: [machine("u-0"), machine("u-1")] }).held;
    expect(settled.pending).toBeUndefined();
    expect(settled.users).toEqual([
      {
        ...{ id: "u-1", since: NOW, purpose: pending.purpose, role: "member" },
        listed: { firstName: pending.purpose },
        ...{ adopted: false, seat: "none", seatAdopted: false, tokens: [] },
      },
    ]);
    const beside = observe(held([one], { pending }), { users: [seenUser(), machine("u-2")] }).held;
    expect(beside.users.map(({ id, coming }) => [id, coming])).toEqual([
      ["u-1", undefined],
      ["u-2", true],
    ]);
    const withToken = machine("u-1", {
      hasSeat: true,
      tokens: [
        { id: "t-5", end: EARLIER },
        { id: "t-6", isRevoked: true },
      ],
    });
    const [found] = observe(held([], { pending }), { users: [withToken] }).held.users;
    expect(found).toMatchObject({
      seat: "held",
      tokens: [{ id: "t-5", value: "lost", reportedEnd: EARLIER, issuedAt: NOW }],
    });
    expect(found?.tokens).toHaveLength(1);
  });

  test.each([
    ["shows none", [machine("u-0")], {}, false],
    ["shows none after a timeout", [machine("u-0")], { late: true }, true],
    ["shows several", [machine("u-1"), machine("u-2")], {}, true],
    ["shows a user who has left", [machine("u-1")], {}, false],
  ] as const)("keeps a creation open where the list %s", (_, users, more, isOpen) => {
    const has = held([], { pending: { ...pending, ...more }, left: users.length === 1 ? ["u-1"] : [] });
    expect(observe(has, { users }).held.pending !== undefined).toBe(isOpen);
    expect(observe(has, {}).held).toEqual(has);
  });

  test("knows who may be the user of a creation", () => {
    const person = { since: NOW, address: markOf(REF, LOVELACE) };
    const users = [seenUser(), seenUser({ id: "u-2", email: "Lovelace@acme.example" }), machine("u-3")];
    expect(candidatesOf(held([]), person, { users }).map(({ id }) => id)).toEqual(["u-2"]);
    expect(candidatesOf(held([]), person, {})).toEqual([]);
    expect(candidatesOf(held([user("basic", { id: "u-2" })]), person, { users })).toEqual([]);
  });

  test.each([
    ["a purpose", { purpose: markOf(REF, "Builds") }, machine("u"), true],
    [
      "another last name",
      { purpose: markOf(REF, "Builds"), lastName: markOf(REF, "x") },
      machine("u"),
      false,
    ],
    [
      "the same last name",
      { purpose: markOf(REF, "Builds"), lastName: markOf(REF, "x") },
      machine("u", { lastName: "X" }),
      true,
    ],
    ["a last name too many", { purpose: markOf(REF, "Builds") }, machine("u", { lastName: "X" }), false],
    ["an address without one in the list", { address: markOf(REF, ADA) }, machine("u"), false],
    ["nothing", {}, machine("u"), false],
  ])("compares a listed user by %s", (_, marks, listed, expected) => {
    expect(isLike(REF, marks, listed)).toBe(expected);
  });
});
