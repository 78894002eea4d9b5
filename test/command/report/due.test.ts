import { describe, expect, test } from "vitest";
import { reportForms } from "../../../command/report/report.ts";
import type { Report } from "../../../command/report/schema.ts";
import { inDays, person, reportOn, roster } from "./organization.ts";

const endsIn = (days: number) => ({ validUntil: inDays(days), source: "service" as const });

const held = [
  { key: "ada@acme.example", token: endsIn(10) },
  { key: "bob@acme.example", token: { ...endsIn(300), rotateEvery: "90d", issuedAt: inDays(-200) } },
  { key: "cid@acme.example", token: endsIn(-2) },
  { key: "dee@acme.example", token: null },
  { key: "Linux builds", token: endsIn(31) },
];
const listed = [
  ...["ada@acme.example", "bob@acme.example", "cid@acme.example", "Linux builds"].map((key) => person(key)),
  person("dee@acme.example", { accessUntil: inDays(5), team: "Data; and, more" }),
  person("gone@acme.example", { accessUntil: inDays(-5) }),
  person("later@acme.example", { accessUntil: inDays(20) }),
];

function reportDue(due: string): Report {
  return reportOn(held, roster(listed, { subscriptionExpiresAt: inDays(12) }), { due });
}

describe("what is due", () => {
  test("lists each end and each rotation until then, and what has passed, the soonest first", () => {
    const { due, people } = reportDue("30d");
    const { token } = people.find(({ who }) => who === "bob@acme.example") ?? {};
    expect(due?.entries.map(({ what, who, daysLeft }) => [what, who, daysLeft])).toEqual([
      ["rotation", "bob@acme.example", expect.any(Number)],
      ["token", "cid@acme.example", -2],
      ["access", "dee@acme.example", 5],
      ["token", "ada@acme.example", 10],
      ["subscription", "", 12],
      ["access", "later@acme.example", 20],
    ]);
    expect(due?.entries[0]?.at).toBe(token?.rotationDue);
  });

  test.each([
    ["10d", 4],
    ["9d", 3],
    ["31d", 7],
    ["1s", 2],
  ])("%s: %i dates", (within, count) => {
    expect(reportDue(within).due?.entries).toHaveLength(count);
  });

  test("leaves out a subscription whose end nobody declared", () => {
    const declared = roster(listed, { subscriptionExpiresAt: undefined });
    const { due } = reportOn([], declared, { due: "30d" });
    expect(due?.entries.map(({ what }) => what)).toEqual(["access", "access"]);
  });
});

describe("the forms of what is due", () => {
  test("text: a row per date, and their number", () => {
    const text = reportForms.text(reportDue("10d"));
    expect(text.split("\n").map((line) => line.trim())).toEqual([
      expect.stringMatching(/^Person or purpose +Team +What +On +Left$/),
      expect.stringMatching(/^bob@acme\.example +token is due for rotation +[-0-9]+ +passed$/),
      expect.stringMatching(/^cid@acme\.example +token expires +2026-11-19 +passed$/),
      expect.stringMatching(/^dee@acme\.example +Data; and, more +access ends +2026-11-26 +5 days$/),
      expect.stringMatching(/^ada@acme\.example +token expires +2026-12-01 +10 days$/),
      "",
      "Due within 10d: 4 dates.",
      "",
    ]);
    expect(reportForms.text({ ...reportDue("1s"), due: { within: "1s", entries: [] } })).toBe(
      "Due within 1s: 0 dates.\n",
    );
  });

  test("CSV: a row per date", () => {
    const [head, , first, second] = reportForms.csv(reportDue("10d")).split("\n");
    expect(head).toBe("\ufeffwhat,who,key,team,user_id,stack,at,days_left");
    expect(first).toBe(
      `token,cid@acme.example,cid@acme.example,,user-of-cid-acme.example,a,${inDays(-2)},-2`,
    );
    expect(second).toContain('"Data; and, more"');
  });
});
