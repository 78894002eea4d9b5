import { describe, expect, test } from "vitest";
import { usersOfDay } from "../../command/service/token-turns.ts";
import { DAY_MS } from "../../provider/util/instants.ts";

const users = Array.from({ length: 500 }, (_, index) => `user-${index}`);
const MOST = 90;
/** Days of a cycle. */
const CYCLE = 6;
const start = Math.ceil(20_000 / CYCLE) * CYCLE;

function onDay(day: number, hours = 0): string[] {
  return usersOfDay(users, MOST, day * DAY_MS + hours * 3_600_000);
}

describe("usersOfDay", () => {
  test("reads each user once in a cycle of daily runs, and never more than the budget", () => {
    const days = Array.from({ length: CYCLE }, (_, day) => onDay(start + day));
    expect(days.flat().toSorted()).toEqual(users.toSorted());
    expect(Math.max(...days.map((day) => day.length))).toBeLessThanOrEqual(MOST);
  });

  test("returns the same users on the same day, in whatever order the states have them", () => {
    expect(onDay(start, 23)).toEqual(onDay(start));
    expect(usersOfDay(users.toReversed(), MOST, start * DAY_MS)).toEqual(onDay(start));
  });

  test.each([2, 6, 7, 30])("reaches each user if runs are %i days apart", (days) => {
    const runs = Array.from({ length: 60 }, (_, run) => onDay(start + run * days));
    expect(new Set(runs.flat()).size).toBe(users.length);
  });

  test("returns all users if the budget suffices", () => {
    expect(usersOfDay(users, users.length, 0)).toEqual(users);
    expect(usersOfDay([], MOST, 0)).toEqual([]);
  });
});
