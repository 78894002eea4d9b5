/** 13 months of an organization on the platform that the seed chooses: few days and people, but all that happens. */
import { test } from "vitest";
import { seed } from "../setup/cases.ts";
import { DirectCommand } from "./direct.ts";
import { checkMonths } from "./organization.ts";

/** A new one can bring about what the driver has no answer to: the full run draws those. */
const TRIED = [2003, 2004, 2005, 2006, 2007, 2008];

test("months: each person has on each day what the second model says", async () => {
  const platform = seed % 2 === 0 ? "basic" : "anaconda";
  await checkMonths(DirectCommand, platform, { people: 8, days: 14, seeds: 1, among: TRIED });
});
