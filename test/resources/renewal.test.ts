import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { platformNames, platforms } from "../../provider/api/calls/platform.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { configurationOf, type DirectResource, DirectStack } from "../setup/direct.ts";
import { makeServiceAccount, sandbox, temporaryFolder } from "../setup/sandbox.ts";

const HOUR = 3_600_000;
/** "List tokens", which tells the expiry after a renewal. */
const READ_BACK = 18;
/** Tells whether a user is an administrator, who stays. */
const LIST_USERS = 17;
const DAY = 24 * HOUR;

/** Ends of a subscription that calendars make hard: leap days, both changes of daylight saving, the turn of a year. */
const ends = [
  "2028-02-29",
  "2028-02-29T23:59:30+14:00",
  "2027-03-28T01:59:59+01:00",
  "2027-03-28T03:00:00+02:00",
  "2027-10-31T02:30:00+02:00",
  "2027-10-31T02:30:00+01:00",
  "2027-12-31T23:59:59-12:00",
  "2027-06-30",
];

const caseArbitrary = fc.record({
  end: fc.constantFrom(...ends),
  renewedByDays: fc.integer({ min: 1, max: 800 }),
  /** Undefined: renewed as soon as the subscription runs longer. */
  renewBeforeHours: fc.option(fc.integer({ min: 1, max: 24 * 90 }), { nil: undefined }),
  /** Only with a window: an explicit date this long before the end. */
  explicitHoursBefore: fc.option(fc.integer({ min: 0, max: 24 * 60 }), { nil: undefined }),
  /** The timestamp looked at, around the opening of the window. */
  hoursFromWindow: fc.integer({ min: -72, max: 72 }),
  secondsFromWindow: fc.integer({ min: -180, max: 180 }),
  skewMinutes: fc.integer({ min: -5, max: 5 }),
  configuredFirst: fc.boolean(),
  /** How far the date that call 8 answers is from the subscription's end: two within a minute are the same. */
  roundedBySeconds: fc.constantFrom(0, 0, -59, -30, 30, 59),
  answer: fc.constantFrom("date" as const, "null" as const, "no-body" as const),
});

const person = (token: Record<string, unknown>): DirectResource[] => [
  { type: "OrgUser", name: "user", args: { email: "ada@acme.example" } },
  { type: "UserToken", name: "token", args: { userId: "$user.id", ...token } },
];

describe("renewal", () => {
  test.each(platformNames)(
    "sends one effect when due and none otherwise, over instants, calendars, skews and forms of answer, in the platform %s",
    async (platform) => {
      const { canListTokens } = platforms[platform];
      const organization = await sandbox({}, temporaryFolder(), platform);
      const { management, seed } = organization.service;
      const configuration = configurationOf(organization, await makeServiceAccount(organization));

      await checkCases(
        { name: `renewal, ${platform}`, level: "R", cases: 5_000, quick: 100 },
        caseArbitrary,
        async (one) => {
          const end = instantOf(one.end);
          // A service that lists tokens renews none after the end of the subscription.
          const renewed = formatInstant(end + (one.renewedByDays + (canListTokens ? 4 : 0)) * DAY);
          const explicit =
            one.renewBeforeHours === undefined || one.explicitHoursBefore === undefined
              ? undefined
              : formatInstant(end - one.explicitHoursBefore * HOUR);
          const validUntil = explicit === undefined ? end : Date.parse(explicit);
          const window = one.renewBeforeHours === undefined ? undefined : one.renewBeforeHours * HOUR;
          const now = validUntil - (window ?? 0) + one.hoursFromWindow * HOUR + one.secondsFromWindow * 1000;
          const stack = new DirectStack({ ...configuration, ORGSEAT_SUBSCRIPTION_EXPIRES_AT: one.end });
          const program = person({
            ...(explicit === undefined ? {} : { expiresAt: explicit }),
            ...(window === undefined ? {} : { renewBefore: `${one.renewBeforeHours}h` }),
          });
          const model = new Model(explicit === undefined ? undefined : validUntil, window, now, validUntil);
          // The service's clock differs from the provider's by the skew; both are well before the end at first.
          stack.now = () => end - 1000 * DAY;
          await management.setClock({ fixedAt: formatInstant(end - 1000 * DAY) });
          await management.changeSubscription(seed.organizationId, { expiresAt: formatInstant(end) });
          await management.setSwitches({ renewedExpiry: one.answer });
          expect((await stack.up(program)).errors).toEqual([]);
          const value = stack.state.get("token")?.outs.value;
          await organization.requests();

          stack.now = () => now;
          await management.setClock({ fixedAt: formatInstant(now + one.skewMinutes * 60_000) });
          expect(await stack.preview(program)).toEqual(model.isDue(end) ? ["token"] : []);
          const renewal = canListTokens ? [8, READ_BACK] : [8];
          const removal = canListTokens ? [LIST_USERS, 9, 11] : [9, 11];
          const answered = (subscription: number, rounded: number): number => {
            if (canListTokens) return Date.parse(renewed);
            return one.answer === "date" ? rounded : subscription;
          };
          const applyAndCompare = async (subscription: number) => {
            const due = model.isDue(subscription);
            const rounded = Date.parse(renewed) + one.roundedBySeconds * 1000;
            if (due && one.answer === "date" && !canListTokens)
              await management.addFaults(answering(rounded));
            expect(await stack.preview(program)).toEqual(due ? ["token"] : []);
            expect((await stack.up(program)).errors).toEqual([]);
            expect((await organization.calls()).filter((call) => call !== "token")).toEqual(
              due ? renewal : [],
            );
            if (due) model.validUntil = answered(subscription, rounded);
            expect(stack.state.get("token")?.outs.validUntil).toBe(formatInstant(model.validUntil));
            expect(stack.state.get("token")?.outs.value, "the value never changes").toBe(value);
          };
          const configure = () => {
            stack.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = renewed;
          };
          if (one.configuredFirst) configure();
          await management.changeSubscription(seed.organizationId, { expiresAt: renewed });
          expect(
            await organization.calls(),
            "renewing the subscription does not move a token automatically",
          ).toEqual([]);
          if (!one.configuredFirst) {
            await applyAndCompare(end);
            configure();
          }
          await applyAndCompare(Date.parse(renewed));

          expect(await stack.preview(program), "a second run at the same instant does nothing").toEqual([]);
          expect((await stack.up(program)).errors).toEqual([]);
          expect((await stack.destroy()).errors).toEqual([]);
          expect((await organization.calls()).filter((call) => call !== "token")).toEqual(removal);
        },
      );
    },
  );

  test("a date capped by the service is a warning at creation, and nothing after it, corrected or not", async () => {
    const organization = await sandbox({ subscriptionExpiresAt: "2030-06-30" });
    const configuration = configurationOf(organization, await makeServiceAccount(organization));
    const stack = new DirectStack({ ...configuration, ORGSEAT_SUBSCRIPTION_EXPIRES_AT: "2031-06-30" });
    const created = await stack.up(person({}));
    expect(created.errors).toEqual([]);
    expect(created.messages.map(({ text }) => text)).toEqual([
      expect.stringContaining("expires at 2030-06-30T23:59:59Z, not at 2031-06-30T23:59:59Z as requested"),
    ]);
    const value = stack.state.get("token")?.outs.value;
    expect(await stack.up(person({}))).toMatchObject({ errors: [], messages: [] });
    stack.configuration.ORGSEAT_SUBSCRIPTION_EXPIRES_AT = "2030-06-30";
    await organization.requests();
    expect((await stack.up(person({}))).errors).toEqual([]);
    expect(await organization.calls(), "corrected, it is done with").toEqual([]);
    expect(await stack.preview(person({}))).toEqual([]);
    expect(stack.state.get("token")?.outs.value).toBe(value);
  });
});

/** Call 8 has its effect and answers this date. */
function answering(at: number): FaultRule {
  const body = JSON.stringify({ expires_at: formatInstant(at) });
  const headers: [string, string][] = [
    ["content-type", "application/json"],
    ["content-length", String(body.length)],
  ];
  return { match: { call: 8 }, fault: { kind: "raw", status: 200, headers, body, phase: "after" } };
}

/** When a renewal is due, in milliseconds and apart from the code under test. */
class Model {
  readonly explicit: number | undefined;
  readonly window: number | undefined;
  readonly now: number;
  validUntil: number;

  constructor(explicit: number | undefined, window: number | undefined, now: number, validUntil: number) {
    this.explicit = explicit;
    this.window = window;
    this.now = now;
    this.validUntil = validUntil;
  }

  /** @param subscription the declared end */
  isDue(subscription: number): boolean {
    const minute = 60_000;
    if ((this.explicit ?? subscription) - this.validUntil > minute) return true;
    if (this.window === undefined || subscription - this.validUntil <= minute) return false;
    return this.now > this.validUntil - this.window;
  }
}

/** What D37 makes of a date, computed another way. */
function instantOf(text: string): number {
  return /T/.test(text) ? Date.parse(text) : Date.parse(`${text}T23:59:59Z`);
}
