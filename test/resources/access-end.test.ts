/** When access ends by itself: the rule, without a roster. */
import { expect, test } from "vitest";
import { ACCESS_WARNING_DAYS, accessAt } from "../../provider/resources/org-user/access-end.ts";
import { formatInstant, parseInstant, shortInstant } from "../../provider/util/instants.ts";

const DAY = 86_400_000;
const END = parseInstant("2026-12-31") ?? "";
const END_MS = Date.parse(END);

test("access end: a date is the end of that day in UTC, and access lasts until then", () => {
  expect(END).toBe("2026-12-31T23:59:59Z");
  expect(accessAt(END, END_MS - 1)).toBe("endsSoon");
  expect(accessAt(END, END_MS)).toBe("ended");
});

test("access end: the warning begins 14 days before", () => {
  expect(ACCESS_WARNING_DAYS).toBe(14);
  expect(accessAt(END, END_MS - 14 * DAY - 1)).toBe("open");
  expect(accessAt(END, END_MS - 14 * DAY)).toBe("endsSoon");
});

test("access end: without a date it has no end", () => {
  expect(accessAt(undefined, Number.MAX_SAFE_INTEGER)).toBe("open");
});

test("access end: an instant with an offset counts in UTC, and is described in full", () => {
  const end = parseInstant("2026-12-31T12:00:00+02:00") ?? "";
  expect(accessAt(end, Date.parse("2026-12-31T09:59:59Z"))).toBe("endsSoon");
  expect(accessAt(end, Date.parse("2026-12-31T10:00:00Z"))).toBe("ended");
  expect([end, END].map(shortInstant)).toEqual(["2026-12-31T10:00:00Z", "2026-12-31"]);
  expect(formatInstant(END_MS)).toBe(END);
});
