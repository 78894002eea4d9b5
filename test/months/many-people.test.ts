// @module-tag full
/** 13 months of a larger organization, by the functions of the command. */
import { test } from "vitest";
import { platformNames } from "../../sandbox/service/index.ts";
import { DirectCommand } from "./direct.ts";
import { checkMonths } from "./organization.ts";

test.each(platformNames)(
  "months: each of 200 people has on each day what the second model says (%s)",
  async (platform) => {
    await checkMonths(DirectCommand, platform, { people: 200, days: 60, seeds: 3 });
  },
);
