import { describe, expect, test } from "vitest";
import { type GuardContext, violationsOf } from "../../../command/plan/guards/guards.ts";
import { approvalOf } from "../../../command/plan/guards/override.ts";
import type { Plan } from "../../../command/plan/plan.ts";
import { planToMarkdown } from "../../../command/plan/texts/markdown.ts";
import { removalLimit } from "../../../provider/resources/members/removal.ts";
import { guardContext, NOW, ORGANIZATION, plan, row, rows } from "./planned.ts";

const guardsOf = (found: Plan, more: Partial<GuardContext> = {}) =>
  violationsOf(found, { ...guardContext, ...more }).map(({ guard }) => guard);

const all = (count: number, prefix?: string) => plan({ had: rows(count, prefix), has: [] });

describe("the removal limit", () => {
  test.each([4, 40, 400])(
    "allows limit-1 and limit removals of %i people, and refuses limit+1",
    async (managed) => {
      const limit = removalLimit(managed);
      const had = rows(managed);
      const leaving = async (count: number) => guardsOf(await plan({ had, has: had.slice(count) }));
      expect(await leaving(limit - 1)).toEqual([]);
      expect(await leaving(limit)).toEqual([]);
      expect(await leaving(limit + 1)).toEqual(["removal-limit"]);
    },
  );
});

describe("an override", async () => {
  const ten = await all(10);
  const { removals } = ten;
  const given = approvalOf(undefined, ORGANIZATION, removals, NOW).pass;
  const textWith = (override: string, now = NOW, found = ten) =>
    violationsOf(found, { ...guardContext, override, now })[0]?.text;

  test("holds for no person more, less, or other", async () => {
    const another = "it is for a different list of removals, so the plan has changed since then";
    expect(textWith(given, NOW, await all(11))).toContain(another);
    expect(textWith(given, NOW, await all(9))).toContain(another);
    expect(textWith(given, NOW, await all(10, "q"))).toContain(another);
  });
  test("expires", () => {
    expect(textWith(given, NOW + 3_599_000)).toBeUndefined();
    expect(textWith(given, NOW + 3_600_000)).toContain("it expired at 2026-11-21T13:00:00Z");
  });
  test("fails if it is valid for longer than a day, or invalid", () => {
    const [hash] = given.split("@");
    expect(textWith(`${hash}@2027-11-21T13:00:00Z`)).toContain("it is valid for longer than a day");
    expect(() => textWith("yes")).toThrow("invalid --approve yes: copy the whole value");
    expect(textWith(`${hash}@2026-11-21T13:30:00Z`)).toContain("a different list");
  });
});

test("a guard names the person and what is planned in Markdown", async () => {
  const boss = await plan({ had: rows(3).concat(row("boss")), has: rows(3) });
  const violations = violationsOf(boss, { ...guardContext, protected: { names: ["boss"], keys: [] } });
  expect(planToMarkdown({ plan: boss, violations })).toContain("`boss@acme.example: remove from the");
});
