// @module-tag ci
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dueRenewal, type KnownToken } from "../../provider/resources/user-token/dates.ts";
import { formatInstant, parseInstant } from "../../provider/util/instants.ts";
import { checkCases } from "../setup/cases.ts";
import type { DirectResource } from "../setup/direct.ts";
import { organizationOn } from "./listed.ts";
import { common, failure, scripted } from "./scripted.ts";

const HOUR = 3_600_000;
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
  /** How far the date of the service is from the subscription's end: two within a minute are the same. */
  roundedBySeconds: fc.constantFrom(0, 0, -59, -30, 30, 59),
  /** Of a service that lists tokens. */
  tokenId: fc.constantFrom(null, "t1"),
});

const person = (token: Record<string, unknown>): DirectResource[] => [
  { type: "OrgUser", name: "user", args: { email: "ada@acme.example" } },
  { type: "UserToken", name: "token", args: { userId: "$user.id", ...token } },
];

/** A token of a period that a service granted at a time, at most so many days of it, cut at midnight or not. */
interface Granting {
  readonly days: number;
  readonly mostDays: number;
  readonly rounds: "down" | "up" | "no";
}

function granted({ days, mostDays, rounds }: Granting, at: number): KnownToken {
  const until = at + Math.min(days, mostDays) * DAY;
  const cut = { down: Math.floor(until / DAY) * DAY, up: Math.ceil(until / DAY) * DAY, no: until }[rounds];
  const limit = { wanted: `${days}d`, since: formatInstant(at) };
  return { expiresAt: `${days}d`, validUntil: formatInstant(cut), tokenId: "t1", limit };
}

const START = Date.parse("2027-01-10T10:20:30Z");

describe("a period as the expiry", () => {
  const token = (more: Partial<KnownToken> = {}) => ({
    ...granted({ days: 90, mostDays: 90, rounds: "no" }, START),
    ...more,
  });
  const at = (days: number) => formatInstant(START + days * DAY);

  test.each<[string, KnownToken, object, days: number, until: number | undefined]>([
    ["renews it after half", token(), {}, 45.1, 135.1],
    ["renews it after its end", token(), {}, 100, 190],
    ["renews a shorter grant after its half", token({ validUntil: at(40) }), {}, 20.1, 110.1],
    ["judges a longer grant by the period", token({ validUntil: at(200) }), {}, 80, 170],
    ["renews it at once for a longer period", token(), { expiresAt: "120d" }, 1, 121],
    ["moves it back for a shorter period", token(), { expiresAt: "30d" }, 1, 31],
    ["renews it at once instead of a date", token({ expiresAt: at(9), limit: undefined }), {}, 100, 190],
    ["ends it with the subscription", token(), { subscriptionExpiresAt: at(100) }, 60, 100],
    [
      "leaves it at the end of the subscription",
      token({ validUntil: at(100) }),
      { subscriptionExpiresAt: at(100) },
      99,
      undefined,
    ],
    ["counts a new tolerance", token(), { expirationToleranceMonths: 1 }, 1, 91 + 30],
    ["renews a token without a request", token({ limit: undefined }), {}, 1, 91],
  ])("%s", (_, olds, change, days, until) => {
    const due = dueRenewal(olds, { expiresAt: "90d", ...change }, START + days * DAY);
    expect(due?.until).toBe(until === undefined ? undefined : at(until));
  });

  test("renews at most once in half of what is granted, and a run each day never lets the token end", async () => {
    const granting = fc.record<Granting>({
      days: fc.integer({ min: 4, max: 400 }),
      mostDays: fc.integer({ min: 4, max: 400 }),
      rounds: fc.constantFrom("down", "up", "no"),
    });
    const runs = fc.array(fc.integer({ min: 1, max: 24 * 60 }), { minLength: 50, maxLength: 200 });
    await checkCases(
      { name: "renewals of a period", level: "R", cases: 5_000, quick: 200 },
      fc.tuple(granting, runs),
      async ([one, pauses]) => {
        let [now, renewed] = [START, START];
        let own = granted(one, now);
        for (const minutes of pauses) {
          now += minutes * 60_000;
          expect(Date.parse(own.validUntil), "the token has not ended").toBeGreaterThan(now);
          if (dueRenewal(own, { expiresAt: `${one.days}d` }, now) === undefined) continue;
          const whole = Math.min(one.days * DAY, Date.parse(own.validUntil) - renewed);
          expect(now - renewed).toBeGreaterThanOrEqual(whole / 2);
          [own, renewed] = [granted(one, now), now];
        }
      },
    );
  });

  test("makes runs request it again after half of it", async () => {
    const organization = await organizationOn("anaconda", { subscriptionExpiresAt: "2031-06-30" });
    const { management } = organization.service;
    const stack = organization.stack();
    const program = person({ expiresAt: "90d" });
    const run = async (day: number, effects: readonly number[]) => {
      stack.now = () => START + day * DAY;
      await management.setClock({ fixedAt: at(day) });
      await organization.requests();
      const { errors } = await stack.up(program);
      const calls = (await organization.calls()).filter((call) => call === 7 || call === 8);
      expect({ errors, calls }).toEqual({ errors: [], calls: effects });
      return stack.state.get("token")?.outs;
    };
    const first = await run(0, [7]);
    expect(first).toMatchObject({ expiresAt: "90d", validUntil: at(90) });
    expect(await run(44, [])).toEqual(first);
    expect(await run(46, [8])).toMatchObject({ value: first?.value, validUntil: at(46 + 90) });
    await run(47, []);
    await run(92, [8]);
  });

  test("fails after half if a renewal has no effect, but not in each run", async () => {
    const until = formatInstant(Date.parse("2027-01-01") + 90 * DAY);
    const service = await scripted(() => ({ body: { token: "seat-token-1", expires_at: until } }));
    const news = { ...common, userId: "u1", expiresAt: "90d" };
    const created = await service.token.create(news);
    let outs: Record<string, unknown> = { ...created.outs };
    const failures: number[] = [];
    for (let day = 1; day < 90; day++) {
      service.clock.advance(DAY);
      if (!(await service.token.diff(created.id, outs, news)).changes) continue;
      const error = await failure(service.token.update(created.id, outs, news));
      expect(error.message).toContain("the service accepted the renewal, but");
      outs = Object(error).properties ?? outs;
      failures.push(day);
    }
    expect(failures).toEqual([45, 68, 79, 85, 88, 89]);
  });
});

test("a renewal is due by the dates alone, over instants and calendars, and not again after it", async () => {
  await checkCases(
    { name: "renewal", level: "R", cases: 20_000, quick: 1000 },
    caseArbitrary,
    async (one) => {
      const end = instantOf(one.end);
      expect(parseInstant(one.end)).toBe(formatInstant(end));
      const renewed = end + one.renewedByDays * DAY;
      const window = one.renewBeforeHours === undefined ? undefined : one.renewBeforeHours * HOUR;
      const explicit =
        window === undefined || one.explicitHoursBefore === undefined
          ? undefined
          : end - one.explicitHoursBefore * HOUR;
      const validUntil = explicit ?? end;
      const now = validUntil - (window ?? 0) + one.hoursFromWindow * HOUR + one.secondsFromWindow * 1000;
      const model = new Model(explicit, window, now, validUntil);
      const dueAt = (subscription: number) => {
        const declared = {
          expiresAt: explicit === undefined ? undefined : formatInstant(explicit),
          renewBefore: window === undefined ? undefined : `${one.renewBeforeHours}h`,
        };
        const olds = { ...declared, validUntil: formatInstant(model.validUntil), tokenId: one.tokenId };
        return dueRenewal(olds, { ...declared, subscriptionExpiresAt: formatInstant(subscription) }, now);
      };
      expect(dueAt(end) !== undefined).toBe(model.isDue(end));
      expect(dueAt(renewed) !== undefined).toBe(model.isDue(renewed));
      if (!model.isDue(renewed)) return;
      expect(dueAt(renewed)?.until).toBe(formatInstant(renewed));
      model.validUntil = renewed + one.roundedBySeconds * 1000;
      expect(dueAt(renewed), "a second run at the same instant does nothing").toBeUndefined();
    },
  );
});

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
