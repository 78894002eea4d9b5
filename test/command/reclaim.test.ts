/** Which idle seats leave the roster, and when; stories/reading.txt has whole runs. */
import { describe, expect, test } from "vitest";
import type { ReportedPerson } from "../../command/report/schema.ts";
import { staleness } from "../../command/roster/last-seen.ts";
import { decisionOn } from "../../command/verbs/reclaim.ts";
import { person } from "./people.ts";

const NOW = Date.parse("2026-11-26T12:00:00Z");
const ago = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

type Status = NonNullable<ReportedPerson["seatUse"]>["status"];
const use = (status: Status, unusedSince: string | null = null) => ({
  ...{ status, lastSeen: unusedSince, unusedSince, unusedDays: null },
});
const row = (more: object) => ({ ...person("ada"), place: "people.csv, line 2", ...more });

describe("an idle seat", () => {
  test.each([
    ["that nobody has noticed", {}, "notice"],
    ["with a notice of today", { idleNotice: ago(0) }, "wait"],
    ["with a notice of the 6th day before", { idleNotice: `${ago(6).slice(0, 10)}T23:59:59Z` }, "wait"],
    ["with a notice of the 7th day before", { idleNotice: `${ago(7).slice(0, 10)}T23:59:59Z` }, "reclaim"],
    ["of a protected person", { protected: true }, undefined],
    ["of a protected person who is not exempt", { protected: true, exempt: false }, "notice"],
    ["of an exempt person", { exempt: true }, undefined],
    ["of a person who became exempt", { exempt: true, idleNotice: ago(9) }, "withdraw"],
    ["that the roster no longer declares", { seat: false, token: false }, undefined],
  ] as const)("%s: %s", (_, more, decision) => {
    expect(decisionOn(row(more), use("idle"), NOW)).toBe(decision);
  });
});

test("gets a new notice after a use that followed the first one", () => {
  const noticed = row({ idleNotice: ago(100) });
  expect(decisionOn(noticed, use("idle", ago(99)), NOW)).toBe("notice");
  expect(decisionOn(noticed, use("idle", ago(101)), NOW)).toBe("reclaim");
});

describe("any other seat stays", () => {
  const statuses: readonly Status[] = ["used", "new", "unknown", "notInFile", "withoutEmail"];
  test.each(statuses)("%s", (status) => {
    expect(decisionOn(row({}), use(status), NOW)).toBeUndefined();
    const noticed = decisionOn(row({ idleNotice: ago(90) }), use(status), NOW);
    expect(noticed).toBe(status === "used" || status === "new" ? "withdraw" : undefined);
  });
});

describe("a file of last uses", () => {
  test.each([
    ["7 days old", ago(7)],
    ["of today", ago(0)],
    ["of tomorrow in another time zone", ago(-1)],
  ])("counts as new if its newest use is %s", async (_, at) => {
    const seen = new Map([
      ["ada@acme.example", at],
      ["bob@acme.example", null],
    ]);
    expect(staleness(seen, NOW)).toBeUndefined();
  });
});
