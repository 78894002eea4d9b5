/** The steps of seats and tokens that a program wires by hand: what is held and wanted, and the steps on each platform. */
import { describe, expect, test } from "vitest";
import type { Held, HeldToken, HeldUser } from "../../../../provider/member/held.ts";
import { observe } from "../../../../provider/member/observe.ts";
import { checkUser } from "../../../../provider/member/primitives/common.ts";
import { seatPlan, tokenPartPlan, userOfPart } from "../../../../provider/member/primitives/plans.ts";
import type { Seen, Wanted, WantedMember, WantedToken } from "../../../../provider/member/wanted.ts";
import { type Knowable, unknown } from "../../../../provider/resources/unknown.ts";
import { leaver, now, SUBSCRIPTION, token } from "../people.ts";
import { type PlatformName, platforms, shown } from "../run.ts";
import { type Row, rowsIn } from "../table.ts";

/** What is held and wanted, and what is read; by default nothing. */
type Given = readonly [held: (platform: PlatformName) => Held, wanted: Wanted, seen?: Seen];

const onBoth = (rows: readonly Row<Given>[]) =>
  (["basic", "anaconda"] as const).flatMap((platform) =>
    rows.map((one) => ({ ...one, platform, steps: one[platform] })),
  );

describe("seatPlan", () => {
  const holds =
    (seat: HeldUser["seat"], more: Partial<HeldUser> = {}, agreed: Held["agreed"] = {}) =>
    (): Held => ({ ref: "seat-1", users: [userOfPart("u-1", { seat, ...more })], agreed });
  const both = (old: Partial<HeldUser>, fresh: Partial<HeldUser>) => (): Held => ({
    ref: "seat-1",
    users: [
      userOfPart("u-1", { seat: "held", ...old }),
      userOfPart("u-2", { seat: "none", coming: true, ...fresh }),
    ],
    agreed: {},
  });
  const seat = (more: Partial<WantedMember> = {}): WantedMember => ({ userId: "u-1", seat: true, ...more });
  const other = seat({ userId: "u-2" });
  const freed = { seat: "none" } as const;
  const adopted = { seatAdopted: true };
  const retains = { onDelete: { seat: "retain" } } as const;
  const deletes = { onDelete: { seat: "delete" } } as const;

  const rows = rowsIn<Given>`
    assigns a seat: ${[holds("none"), seat()]} 6
    does nothing about a held seat: ${[holds("held"), seat()]} nothing
    does nothing about an adopted seat: ${[holds("held", adopted), seat()]} nothing
    does nothing about a seat that the service has: ${[holds("left"), seat()]} nothing
    confirms a seat: ${[holds("unconfirmed"), seat()]} 6
    assigns a seat whose removal had no answer: ${[holds("unknown"), seat()]} 6
    follows a changed setting: ${[holds("held"), seat({ onDeleteSeat: "retain" })]} ~onDelete
    allows the removal of an administrator:
      ${[holds("held"), seat({ allowAdminRemoval: true })]} ~allowAdminRemoval
    doesn't know the user of a preview:
      ${[holds("held"), seat({ userId: unknown })]} …5 · …9 …10 …6 …7 · …11 · …~
    moves to a changed user:
      ${[holds("held"), other]} ~adopt user · 9 10 6 · ~forget user | ~adopt user · 9? 10 6 · ~forget user
    moves a seat that isn't confirmed: ${[holds("unconfirmed"), other]}
      ~adopt user · 9 10 6 · ~forget user | ~adopt user · 9? 10 6 · ~forget user
    frees the old seat before it assigns the refused one:
      ${[both({}, {}), other]} 9 10 6 · ~forget user | 9? 10 6 · ~forget user
    assigns the seat that was refused after the old one was freed: ${[both(freed, {}), other]} 6 · ~forget user
    confirms the seat of the changed user: ${[both(freed, { seat: "unconfirmed" }), other]} 6 · ~forget user
    forgets the user who has left: ${[both(freed, { seat: "held" }), other]} ~promote user · ~forget user
    leaves an adopted seat with its user: ${[holds("held", adopted), other]} ~adopt user · 6 · ~forget user
    leaves a retained seat with its user:
      ${[holds("held", {}, retains), other]} ~adopt user · 6 · ~forget user · ~onDelete
    frees an adopted seat with onDelete: ${[holds("held", adopted, deletes), other]}
      ~adopt user · 9 10 6 · ~forget user · ~onDelete | ~adopt user · 9? 10 6 · ~forget user · ~onDelete
    goes back to the old user, whose seat is held: ${[both({}, {}), seat()]} ~forget user
    goes back to the old user, whose seat was freed: ${[both(freed, {}), seat()]} 6 · ~forget user
    goes back, and frees the seat of the changed user:
      ${[both(freed, { seat: "unconfirmed" }), seat()]} 9 10 6 · ~forget user | 9? 10 6 · ~forget user
    frees the seat: ${[holds("held"), leaver]} 10 ~forget user
    frees a seat that isn't confirmed: ${[holds("unconfirmed"), leaver]} 10 ~forget user
    leaves an adopted seat: ${[holds("held", adopted), leaver]} ~forget user
    leaves a seat that the service has: ${[holds("left"), leaver]} ~forget user
    leaves a retained seat: ${[holds("held", {}, retains), leaver]} ~forget user
    frees an adopted seat with onDelete at its end: ${[holds("held", adopted, deletes), leaver]} 10 ~forget user
    frees the seats of both users:
      ${[both({}, { seat: "unconfirmed" }), leaver]} 10 ~forget user · 10 ~forget user
    frees the seat that may have been assigned:
      ${[both(freed, { seat: "unconfirmed" }), leaver]} ~forget user · 10 ~forget user
    frees nothing of two users without seats: ${[both(freed, {}), leaver]} ~forget user · ~forget user
  `;

  test.each(onBoth(rows))("$title ($platform)", ({ given: [held, wanted, seen = {}], platform, steps }) => {
    expect(shown(seatPlan(observe(held(platform), seen), wanted, now, platforms[platform]))).toBe(steps);
  });

  test("counts seats and emails", () => {
    const plan = seatPlan(
      observe(holds("held")(), {}),
      seat({ userId: "u-2", sendSeatEmail: true }),
      now,
      platforms.anaconda,
    );
    const steps = plan.units.flatMap((unit) => unit.steps);
    expect(steps.map(({ seats, emails }) => [seats, emails])).toEqual([
      [0, 0],
      [0, 0],
      [-1, 0],
      [1, 1],
      [0, 0],
    ]);
  });
});

describe("tokenPartPlan", () => {
  const dates = { subscriptionExpiresAt: SUBSCRIPTION };
  const holds =
    (tokens: (platform: PlatformName) => readonly HeldToken[], agreed: Held["agreed"] = {}) =>
    (platform: PlatformName): Held => ({
      ref: "token-1",
      users: [userOfPart("u-1", { tokens: tokens(platform) })],
      agreed: { ...dates, ...agreed },
    });
  const nothing = holds(() => []);
  const one = (more: Partial<HeldToken> = {}, agreed: Held["agreed"] = {}) =>
    holds((platform) => [token(platform, more)], agreed);
  const both =
    (old: readonly HeldToken[] | undefined, fresh: readonly HeldToken[]) =>
    (platform: PlatformName): Held => ({
      ref: "token-1",
      users: [
        userOfPart("u-1", { tokens: old ?? [token(platform)] }),
        userOfPart("u-2", { coming: true, tokens: fresh }),
      ],
      agreed: dates,
    });
  const wanted = (more: Knowable<WantedToken> = {}, member: Partial<WantedMember> = {}): WantedMember => ({
    ...{ userId: "u-1", seat: true, ...dates, token: more },
    ...member,
  });
  const other = wanted({}, { userId: "u-2" });
  const lists = (...ids: readonly string[]): Seen => ({
    users: [{ id: "u-1", tokens: ids.map((id) => ({ id, end: SUBSCRIPTION })) }],
  });
  const KEY = "age1texh9zrs847lyvgeq4pd4p66lylrefkv4k0lmvulpxsr0aa4nqtqwwlthl";
  const soon = { declaredEnd: "2026-12-01T00:00:00Z", reportedEnd: "2026-12-01T00:00:00Z" };
  const early = { expiresAt: soon.declaredEnd, renewBefore: "30d" };
  const revoked = {
    users: [{ id: "u-1", tokens: [{ id: "t-1", end: SUBSCRIPTION, isRevoked: true as const }] }],
  };
  const PAST = "2026-11-01T23:59:59Z";
  const LATER = "2027-01-01T00:00:00Z";
  const kept = (more: Partial<HeldToken>) =>
    holds(() => [
      token("anaconda"),
      token("anaconda", { id: "t-0", issuedAt: "2026-07-01T08:00:00Z", ...more }),
    ]);

  const rows = rowsIn<Given>`
    issues a token: ${[nothing, wanted()]} 7 | 7?
    issues a token beside nothing: ${[nothing, wanted(), lists()]} 7 | ~observed · 7
    revokes the token of a 409: ${[nothing, wanted({ replaceExisting: true })]} 7 9? 7? | 7?
    names a token that no state has:
      ${[nothing, wanted({ replaceExisting: true }), lists("t-9")]} 7 9? 7? | ~observed; refused tokenUnknown
    refuses a date in the past: ${[nothing, wanted({ expiresAt: PAST })]} refused valuePast
    refuses a token without a date:
      ${[nothing, wanted({}, { subscriptionExpiresAt: undefined })]} ~subscriptionExpiresAt; refused noDate
    does nothing about a held token: ${[one(), wanted()]} nothing
    rotates a token: ${[one(), wanted({ mark: "2" })]} 9 7 | 7 9
    rotates on a schedule:
      ${[one({ issuedAt: "2024-01-01T00:00:00Z" }, { rotateEvery: "90d" }), wanted({ rotateEvery: "90d" })]}
      9 7 | 7 9
    follows a rule that isn't due: ${[one(), wanted({ rotateEvery: "3650d" })]} ~rotateEvery
    renews for a later subscription: ${[one(), wanted({}, { subscriptionExpiresAt: "2028-06-30T23:59:59Z" })]} 8
    renews before the end:
      ${[one(soon, early), wanted(early)]}
      8; note renewsLater | 8; note renewsLater
    moves the end back: ${[one(), wanted({ expiresAt: "2027-03-01T00:00:00Z" })]} 9 7 | 8
    refuses to rotate into the past: ${[one(), wanted({ mark: "2", expiresAt: PAST })]} refused valuePast
    seals a token: ${[one(), wanted({ recipients: [KEY] })]} 9 7 | 7 9
    opens a sealed token: ${[one({ value: "sealed", sealedFor: [KEY] }), wanted()]} 9 7 | 7 9
    leaves a sealed token:
      ${[one({ value: "sealed", sealedFor: [KEY] }), wanted({ recipients: [KEY] })]} nothing
    forgets a value: ${[one(), wanted({ keepValue: false })]} ~token keepValue
    issues a value to keep: ${[one({ value: "none" }), wanted()]} 9 7 | 7 9
    leaves an adopted token: ${[one({ value: "none", adopted: true }), wanted()]} nothing
    keeps the replaced token for a while:
      ${[one(), wanted({ mark: "2", keepPreviousFor: "7d" })]} 9 7 · ~keepPreviousFor | 7 · ~keepPreviousFor
    leaves a kept token: ${[kept({ endsAfter: LATER }), wanted({ keepPreviousFor: "7d" })]} ~keepPreviousFor
    revokes a kept token at its time: ${[kept({ endsAfter: PAST }), wanted()]} 9
    revokes a kept token with a rotation: ${[kept({ endsAfter: PAST }), wanted({ mark: "2" })]} 9 7 9 | 7 9 9
    replaces a lost value: ${[one({ value: "lost" }), wanted()]} 9 7 | 7 9
    replaces a lost value without an id:
      ${[() => holds(() => [{ ...token("basic"), value: "lost" }])("basic"), wanted()]} 9 7 | 9? 7
    replaces a token whose revocation had no answer:
      ${[one({ asked: { what: "revoke token", at: PAST } }), wanted()]} 9 7 | 7 9
    issues again what the service has revoked:
      ${[one(), wanted(), revoked]}
      nothing | ~observed · 7
    doesn't know the user of a preview: ${[one(), wanted({}, { userId: unknown })]} …5 · …9 …10 …6 …7 · …11 · …~
    doesn't know the rotation of a preview: ${[one(), wanted({ mark: unknown })]} …9 …7
    issues for a changed user, and revokes the old token:
      ${[one(), other]} ~adopt user · 7 · 9 · ~forget user | ~adopt user · 7? · 9 · ~forget user
    revokes the kept token of a changed user, too: ${[kept({ endsAfter: LATER }), other]}
      ~adopt user · 7 · 9 · 9 · ~forget user | ~adopt user · 7? · 9 · 9 · ~forget user
    revokes nothing of a user whose seat has moved:
      ${[one(), other, { revoked: [{ user: "u-1", token: token("basic").issuedAt }] }]}
      ~observed · ~adopt user · 7 · ~forget user | ~observed · ~adopt user · 7? · ~forget user
    keeps the old token if the changed user can't get one:
      ${[one(), wanted({ expiresAt: PAST }, { userId: "u-2" })]} refused valuePast
    issues what was refused: ${[both(undefined, []), other]} 7 · 9 · ~forget user | 7? · 9 · ~forget user
    revokes the old token after a failed revocation:
      ${[both(undefined, [token("basic", { issuedAt: "2026-11-01T08:00:00Z" })]), other]}
      ~promote user · 9 · ~forget user
    goes back to the old user: ${[both(undefined, []), wanted()]} ~forget user
    goes back to the old user, and revokes the new token:
      ${[both(undefined, [token("basic", { id: "t-2" })]), wanted()]} 9 · ~forget user
    revokes the token: ${[one(), leaver]} 9 · ~forget user
    revokes an adopted token: ${[one({ adopted: true, value: "none" }), leaver]} 9 · ~forget user
    revokes both tokens: ${[kept({ endsAfter: LATER }), leaver]} 9 · 9 · ~forget user
    revokes the tokens of both users:
      ${[both(undefined, [token("basic", { id: "t-2" })]), leaver]} 9 · ~forget user · 9 · ~forget user
    revokes a lost token: ${[one({ value: "lost" }), leaver]} 9 · ~forget user
  `;

  test.each(onBoth(rows))("$title ($platform)", ({ given: [held, wants, seen = {}], platform, steps }) => {
    const shows = platform === "basic" ? { ...seen, users: undefined } : seen;
    expect(shown(tokenPartPlan(observe(held(platform), shows), wants, now, platforms[platform]))).toBe(steps);
  });

  test("revokes last what a revocation without an answer has perhaps ended", () => {
    const asked = { what: "revoke token", at: PAST };
    const held = holds(() => [token("anaconda", { asked }), token("anaconda", { id: "t-2" })])("anaconda");
    const { units } = tokenPartPlan(observe(held, {}), leaver, now, platforms.anaconda);
    expect(units.flatMap(({ steps }) => steps).map(({ token: name }) => name)).toEqual([
      "t-2",
      "t-1",
      undefined,
    ]);
  });
});

describe("checkUser", () => {
  test.each(["seat", "token"])("refuses the id of a %s", (part) => {
    const [issue] = checkUser({ userId: `${part}-0a1b2c3d-4e5f` });
    expect(issue).toMatchObject({ property: "userId" });
    expect(issue?.reason).toBe(
      `the id of a ${part}, which is no user id. Pass the output \`userId\` of the ${part}`,
    );
  });

  test.each(["u-1", "seat-1", "token-0a1b2c3d", "seat-0a1b2c3d-4e5f-6"])("accepts %s", (userId) => {
    expect(checkUser({ userId })).toEqual([]);
  });

  test("accepts the unknown user of a preview", () => {
    expect(checkUser({ userId: unknown })).toEqual([]);
  });
});
