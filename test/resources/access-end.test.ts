/** When access ends by itself: the rule, without a roster. */
import { expect, test } from "vitest";
import { ACCESS_WARNING_DAYS, accessAt } from "../../provider/resources/org-user/access-end.ts";
import { formatInstant, parseInstant, shortInstant } from "../../provider/util/instants.ts";

const DAY = 86_400_000;
const END = parseInstant("2026-12-31") ?? "";
const END_MS = Date.parse(END);

test.each([
  [END, END_MS - ACCESS_WARNING_DAYS * DAY - 1, "open"],
  [END, END_MS - 14 * DAY, "endsSoon"],
  [END, END_MS - 1, "endsSoon"],
  [END, END_MS, "ended"],
  [undefined, Number.MAX_SAFE_INTEGER, "open"],
])("access end: with the end %s, access at %i is %s", (end, now, access) => {
  expect(END).toBe("2026-12-31T23:59:59Z");
  expect(accessAt(end, now)).toBe(access);
});

test("access end: an instant with an offset counts in UTC, and is described in full", () => {
  const end = parseInstant("2026-12-31T12:00:00+02:00") ?? "";
  expect(accessAt(end, Date.parse("2026-12-31T09:59:59Z"))).toBe("endsSoon");
  expect(accessAt(end, Date.parse("2026-12-31T10:00:00Z"))).toBe("ended");
  expect([end, END].map(shortInstant)).toEqual(["2026-12-31T10:00:00Z", "2026-12-31"]);
  expect(formatInstant(END_MS)).toBe(END);
});
