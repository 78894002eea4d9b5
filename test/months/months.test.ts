// @module-tag full
/** 13 months of an organization, by the functions of the command: few days and people, but all that happens. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { calendarOf } from "./calendar.ts";
import { DirectCommand } from "./direct.ts";
import { Months } from "./months.ts";

const START = Date.parse("2026-08-20T10:00:00Z");

describe("an organization over 13 months", () => {
  // Not yet of anaconda: after a restore or a killed rotation, the model there differs from the service.
  test.each<PlatformName>(["basic"])(
    "each person has on each day what the second model says (%s)",
    async (platform) => {
      const suite: Suite = { name: `Months on ${platform}`, level: "R", cases: 1 };
      await checkCases(suite, fc.integer({ min: 0 }), async (seed) => {
        const command = await DirectCommand.of(1000, platform);
        const calendar = calendarOf(seed, 16, platform);
        const months = new Months({ command, calendar, people: 8, start: START });
        await months.live();
        // Where a user has one token at most, it may be that nobody is without one.
        for (const kind of calendar.counts.keys())
          if (kind !== "own token issued" || platform === "anaconda")
            expect(months.counts.get(kind) ?? 0, kind).toBeGreaterThan(0);
        console.log(`Months on ${platform}: ${JSON.stringify(Object.fromEntries(months.counts))}`);
      });
    },
  );
});
