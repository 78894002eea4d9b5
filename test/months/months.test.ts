/** 13 months of an organization on the platform that the seed chooses: few days and people, but all that happens. */
import { test } from "vitest";
import { seed } from "../setup/cases.ts";
import { DirectCommand } from "./direct.ts";
import { checkMonths } from "./organization.ts";

test("months: each person has on each day what the second model says", async () => {
  const platform = seed % 2 === 0 ? "basic" : "anaconda";
  await checkMonths(DirectCommand, platform, { people: 8, days: 14, seeds: 1 });
});
