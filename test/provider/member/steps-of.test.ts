import { describe, expect, test } from "vitest";
import { observe, unread } from "../../../provider/member/observe.ts";
import { hasChanges, isByTime, isSameUnit, takesFirst } from "../../../provider/member/step.ts";
import { stepsOf } from "../../../provider/member/steps/steps-of.ts";
import { cases } from "./cases.ts";
import { ada, held, LOVELACE, leaver, now, SUBSCRIPTION, token, user, worldOf } from "./people.ts";
import { type PlatformName, planIn, platforms, runOnce, shown } from "./run.ts";

const names = ["basic", "anaconda"] as const;
const rows = names.flatMap((platform) =>
  cases
    .filter(({ seen }) => platform === "anaconda" || seen?.users === undefined)
    .map((one) => ({ ...one, platform })),
);

describe("stepsOf", () => {
  test.each(rows)("$title ($platform)", ({ held: has, wanted, seen, platform, ...one }) => {
    const plan = stepsOf(observe(has(platform), seen ?? {}), wanted, now, platforms[platform]);
    expect(shown(plan)).toBe(one[platform]);
  });

  test("gives each obstacle its code", () => {
    const obstacles = rows.flatMap(({ held: has, wanted, seen, platform }) => {
      const { refused, waits } = stepsOf(
        observe(has(platform), seen ?? {}),
        wanted,
        now,
        platforms[platform],
      );
      return [...refused, ...waits].map(({ code, reason }) => `${code}: ${reason}`);
    });
    const expected = [
      ...["administrator-removal: role", "ambiguous: tokenAmbiguous", "ambiguous: userAmbiguous"],
      ...["Another", "Gone", "Missing", "Other", "Previous"].map((one) => `cannot-adopt: adopts${one}`),
      ...["cannot-adopt: tokenMissing", "machine-user-undecided: userUndecided"],
      ...["protected-person: protected", "token-date: datePast", "token-date: noDate"],
      ...["token-date: valuePast", "token-undecided: tokenUnknown", "user-exists: userExists"],
      ...["user-gone: notInDirectory", "user-unknown: pendingOther", "user-unknown: removalUndecided"],
      "user-unknown: userUndecided",
    ];
    expect([...new Set(obstacles)].toSorted()).toEqual(expected);
  });

  const plan = (platform: PlatformName, wanted = ada(), has = held([], { agreed: {} })) =>
    stepsOf(unread(has), wanted, now, platforms[platform]);

  test("counts seats and emails", () => {
    const wanted = ada({ sendSeatEmail: true, token: { sendEmail: true } });
    const steps = plan("anaconda", wanted).units.flatMap((unit) => unit.steps);
    expect(steps.map(({ seats, emails }) => [seats, emails])).toEqual([
      [0, 0],
      [1, 1],
      [0, 1],
    ]);
    const confirmed = plan("basic", ada(), held([user("basic", { seat: "unconfirmed" })]));
    expect(confirmed.units[0]?.steps[0]).toMatchObject({ seats: 0, cause: "unconfirmed" });
    const left = plan("basic", ada({ seat: false, token: undefined }), held([user("basic")]));
    expect(left.units.flatMap((unit) => unit.steps).map(({ seats }) => seats)).toEqual([0, -1]);
  });

  test.each([
    ["add user", false, undefined],
    ["assign seat", true, undefined],
    ["issue token", false, ["revoke token", "issue token"]],
  ])("says of %s whether it can be repeated, and what repairs it", (call, isRepeatable, repair) => {
    const steps = plan("basic").units.flatMap((unit) => unit.steps);
    const found = steps.find((step) => step.call === call);
    expect(found?.isRepeatable).toBe(isRepeatable);
    expect(found?.repair).toEqual(repair);
  });

  test("says why a step is due", () => {
    const causesIn = (has = held([]), wanted: Parameters<typeof stepsOf>[1] = ada()) =>
      stepsOf(unread(has), wanted, now, platforms.basic).units.flatMap(({ steps }) =>
        steps.map(({ cause }) => cause),
      );
    expect(causesIn()).toEqual(["new", "new", "new"]);
    expect(causesIn(held([], { left: ["u-0"] }))).toEqual(["goneInService", "new", "new"]);
    expect(causesIn(held([user("basic", { seat: "none", tokens: [] })]))).toEqual(["missing", "missing"]);
    expect(causesIn(held([user("basic")]), ada({ email: LOVELACE }))).toEqual([
      ...["address", "address", "address", "new", "new", "address"],
    ]);
    expect(causesIn(held([user("basic")]), leaver)).toEqual(["leaving", "leaving", "leaving", "leaving"]);
    expect(causesIn(held([user("basic")]), ada({ accessUntil: "2026-11-01T00:00:00Z" }))).toEqual([
      ...["accessEnded", "accessEnded", "accessEnded", "settings"],
    ]);
  });

  test.each(["delete", "retain"] as const)(
    "leaves to later runs what happens to an adopted seat: %s",
    (onDelete) => {
      const agreed = { subscriptionExpiresAt: SUBSCRIPTION, onDelete: { user: onDelete, seat: onDelete } };
      const has = held([user("basic", { seatAdopted: true, adopted: true })], { agreed });
      const wanted = ada({ seat: false, token: undefined, onDeleteUser: onDelete });
      const steps = plan("basic", wanted, has).units.flatMap((unit) => unit.steps);
      // A run in which the first one fails carries out what the state alone follows.
      expect(steps.filter(({ effect }) => effect?.do === "agree")).toEqual([]);
      expect(steps.map(({ call }) => call)).toEqual([
        "revoke token",
        onDelete === "delete" ? "remove seat" : undefined,
      ]);
    },
  );

  const old = { issuedAt: "2024-01-01T00:00:00Z" };
  const earlier = token("anaconda", { id: "t-0", endsAfter: "2026-11-01T00:00:00Z" });
  const soon = { declaredEnd: "2026-12-01T00:00:00Z", reportedEnd: "2026-12-01T00:00:00Z" };
  const declared = { expiresAt: "2027-03-01T00:00:00Z" };
  test.each([
    [
      "a schedule",
      ada({ token: { rotateEvery: "90d" } }),
      [token("anaconda", old)],
      ["issue token", "revoke token"],
    ],
    ["a changed mark", ada({ token: { mark: "2" } }), [token("anaconda")], []],
    ["a period", ada({ token: { expiresAt: "90d" } }), [], ["issue token"]],
    ["a date", ada({ token: declared }), [], []],
    [
      "the end of a token",
      ada({ token: { expiresAt: soon.declaredEnd, renewBefore: "30d" } }),
      [token("anaconda", soon)],
      ["renew token"],
    ],
    ["a declared date", ada({ token: declared }), [token("anaconda")], []],
    ["the end of a kept token", ada(), [token("anaconda"), earlier], ["revoke token"]],
    [
      "the end of the access",
      ada({ accessUntil: "2026-11-01T00:00:00Z" }),
      [token("anaconda")],
      ["revoke token", "revoke token", "remove seat", "remove user"],
    ],
    ["a removal", leaver, [token("anaconda")], []],
  ] as const)("says which calls time decides: %s", (_, wanted, tokens, calls) => {
    const has = held([user("anaconda", { tokens })]);
    const steps = stepsOf(unread(has), wanted, now, platforms.anaconda).units.flatMap((unit) => unit.steps);
    expect(steps.some(({ call }) => call !== undefined)).toBe(true);
    expect(steps.filter(isByTime).map(({ call }) => call)).toEqual(calls);
  });

  test("asks for the declared end, and for a period by its length", () => {
    const [, , [issue] = []] = plan("anaconda", ada({ token: { expiresAt: "90d", tolerance: 1 } })).units.map(
      ({ steps }) => steps,
    );
    expect(issue?.target).toMatchObject({
      expiresAt: "2027-02-25T12:00:00Z",
      until: "2027-03-25T12:00:00Z",
      request: "90d + 1 months",
      isPeriod: true,
    });
  });

  test("leaves out of the state what a refused token was to follow", () => {
    const past = ada({ token: { expiresAt: "2026-11-01T23:59:59Z" } });
    const refused = plan("basic", past, held([user("basic")]));
    expect(shown(refused)).toBe("refused datePast");
    expect(hasChanges(refused)).toBe(true);
    expect(hasChanges(plan("basic", ada(), held([user("basic")])))).toBe(false);
  });

  test("knows the units that take before they give", () => {
    const of = (platform: PlatformName, wanted = ada({ token: { mark: "2" } })) =>
      plan(platform, wanted, held([user(platform)])).units.map(takesFirst);
    expect(of("basic")).toEqual([true]);
    expect(of("anaconda")).toEqual([false]);
    expect(of("basic", ada({ email: LOVELACE }))).toEqual([false, true, false]);
    expect(of("basic", ada({ token: undefined }))).toEqual([false]);
  });

  test.each(names)("finds an approved unit again after the user was added (%s)", (platform) => {
    const has = held([user(platform)]);
    const world = worldOf(platform, has);
    const wanted = ada({ email: LOVELACE });
    const before = planIn(world, has, wanted);
    const ran = runOnce(world, has, wanted, { isApproved: (_, index) => index === 0 });
    const [, added] = ran.held.users;
    expect(added).toMatchObject({ coming: true });
    const after = planIn(world, ran.held, wanted);
    expect(shown(after)).toBe(platform === "basic" ? "9 10 6 7 · 11" : "9 9? 10 6 7 · 11");
    const [, move, removal] = before.units;
    const [moved, removed] = after.units;
    if (!move || !moved || !removal || !removed) throw new Error("a unit is missing");
    expect(isSameUnit(move, moved, added?.id)).toBe(true);
    expect(isSameUnit(move, moved)).toBe(false);
    expect(isSameUnit(removal, removed, added?.id)).toBe(true);
    const other = held([
      user(platform, {
        tokens: [
          token(platform, {
            issuedAt: "2026-09-01T08:00:00Z",
            ...(platform === "anaconda" && { id: "t-9" }),
          }),
        ],
      }),
    ]);
    const [, another] = planIn(worldOf(platform, other), other, wanted).units;
    expect(another && isSameUnit(move, another)).toBe(false);
  });
});
