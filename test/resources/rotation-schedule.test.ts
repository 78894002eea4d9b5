/** When a rule rotates a secret: once per period, never late, and spread over the days. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isRotationDue, nextRotation, parsePeriod } from "../../provider/resources/rotation-schedule.ts";
import { nextByRule } from "../../provider/resources/user-token/cause.ts";
import { formatInstant, instantMs } from "../../provider/util/instants.ts";

const DAY = 86_400_000;
const START = Date.parse("2026-01-01T00:00:00Z");

const secret = fc.record({
  key: fc.uuid(),
  rotateEvery: fc
    .tuple(fc.integer({ min: 1, max: 3650 }), fc.constantFrom("d", "h", "s", "ms"))
    .map(([days, unit]) => `${(days * DAY) / { d: DAY, h: 3_600_000, s: 1000, ms: 1 }[unit]}${unit}`)
    .filter((text) => parsePeriod(text) !== undefined),
  issued: fc.integer({ min: START, max: START + 4000 * DAY }),
});

test("schedule: the slot after an issue is later than it, at most one period, and its own successor lies one period on", () => {
  fc.assert(
    fc.property(secret, ({ key, rotateEvery, issued }) => {
      const issuedAt = formatInstant(issued);
      const period = Math.floor((parsePeriod(rotateEvery) ?? 0) / 1000) * 1000;
      const next = nextRotation(key, { rotateEvery, issuedAt }) ?? "";
      const after = instantMs(next) - instantMs(issuedAt);
      expect(after).toBeGreaterThan(0);
      expect(after).toBeLessThanOrEqual(period);
      const second = nextRotation(key, { rotateEvery, issuedAt: next }) ?? "";
      expect(instantMs(second) - instantMs(next)).toBe(period);
    }),
  );
});

test("schedule: a secret is due at its slot, not a second before, and not again after it was issued in that second", () => {
  fc.assert(
    fc.property(secret, fc.integer({ min: 0, max: 999 }), ({ key, rotateEvery, issued }, ms) => {
      const rule = { rotateEvery, issuedAt: formatInstant(issued) };
      const slot = instantMs(nextRotation(key, rule) ?? "");
      expect(isRotationDue(key, rule, slot - 1)).toBe(false);
      expect(isRotationDue(key, rule, slot + ms)).toBe(true);
      const rotated = { rotateEvery, issuedAt: formatInstant(slot + ms) };
      expect(isRotationDue(key, rotated, slot + ms)).toBe(false);
    }),
  );
});

test.each([
  [undefined, "2026-01-01T00:00:00Z"],
  ["90d", undefined],
])("schedule: with the rule %s and the issue %s nothing is due", (rotateEvery, issuedAt) => {
  expect(nextRotation("u1", { rotateEvery, issuedAt })).toBeUndefined();
  expect(isRotationDue("u1", { rotateEvery, issuedAt }, START + 9000 * DAY)).toBe(false);
});

test("schedule: a rule rotates a token if its new value has a known end that has not passed", () => {
  const rule = { rotateEvery: "90d", issuedAt: formatInstant(START) };
  const next = nextRotation("u1", rule);
  const [past, future] = [formatInstant(START - DAY), formatInstant(START + 365 * DAY)];
  expect(nextByRule("u1", rule, { expiresAt: future }, START)).toBe(next);
  expect(nextByRule("u1", rule, { subscriptionExpiresAt: future }, START)).toBe(next);
  expect(nextByRule("u1", rule, { expiresAt: past, subscriptionExpiresAt: future }, START)).toBeUndefined();
  expect(nextByRule("u1", rule, {}, START)).toBeUndefined();
});

test.each(["23h", "0d", "3651d", "1", "1w", "999999999d"])("schedule: %s is no period", (text) => {
  expect(parsePeriod(text)).toBeUndefined();
});

test.each([7, 30, 90, 365])(
  "schedule: of a thousand secrets rotated every %i days, no day has more than 3 percent of the rotations beyond the mean",
  (days) => {
    const rotateEvery = `${days}d`;
    const perDay = Array.from({ length: 730 }, () => 0);
    // The same keys in every run: of random ones, one run in 40 exceeds the bound for a week by chance.
    for (let index = 0; index < 1000; index++) {
      const key = createHash("sha256").update(`key ${index}`).digest("hex");
      // The first run after a slot is at the end of its day.
      for (let day = 0; ; ) {
        const issuedAt = formatInstant(START + day * DAY);
        day = Math.ceil((instantMs(nextRotation(key, { rotateEvery, issuedAt }) ?? "") - START) / DAY);
        if (day > perDay.length) break;
        perDay[day - 1] = (perDay[day - 1] ?? 0) + 1;
      }
    }
    const period = perDay.slice(0, days);
    expect(period.reduce((sum, count) => sum + count, 0)).toBe(1000);
    expect(Math.max(...perDay) - 1000 / days).toBeLessThanOrEqual(30);
  },
);
