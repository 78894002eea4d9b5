/** 13 months of an organization on the platform that the seed chooses: few days and people, but all that happens. */
import { test } from "vitest";
import { seed } from "../setup/cases.ts";
import { checkMonths } from "./organization.ts";

test("months: each person has on each day what the second model says", async () => {
  await checkMonths(seed % 2 === 0 ? "basic" : "anaconda", { people: 8, days: 14, seeds: 1 });
});
