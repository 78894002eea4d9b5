/** 13 months of an organization as a suite of drawn cases. */
import fc from "fast-check";
import { expect } from "vitest";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkCases, type Level } from "../setup/cases.ts";
import { calendarOf } from "./calendar.ts";
import type { MonthsCommand } from "./command.ts";
import { Months } from "./months.ts";

export interface Size {
  readonly people: number;
  /** With a run, from the first to the last one. */
  readonly days: number;
  readonly seeds: number;
}

/** The command by its functions, or as a process. */
interface CommandKind {
  readonly level: Level;
  of(seats: number, platform: PlatformName, seed: number): Promise<MonthsCommand>;
}

export function checkMonths(
  { level, of }: CommandKind,
  platform: PlatformName,
  { people, days, seeds }: Size,
): Promise<void> {
  const name = `Months of ${people} people on ${platform}`;
  return checkCases({ name, level, cases: seeds }, fc.integer({ min: 0 }), async (seed) => {
    const command = await of(10_000, platform, seed);
    const calendar = calendarOf(seed, days, platform);
    const months = new Months(command, people);
    await months.live(calendar);
    command.expectNoSecrets();
    // Where a user has one token at most, it may be that nobody is without one.
    for (const kind of calendar.counts.keys())
      if (kind !== "own token issued" || platform === "anaconda")
        expect(months.counts.get(kind) ?? 0, kind).toBeGreaterThan(0);
    console.log(`${name}: ${JSON.stringify(Object.fromEntries(months.counts))}`);
  });
}
