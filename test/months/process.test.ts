// @module-tag full
/** 13 months of a small organization, by the command with the Pulumi CLI: fewer people and days, as each day is several runs. */
import { test } from "vitest";
import { platformNames } from "../../sandbox/service/index.ts";
import { checkMonths } from "./organization.ts";
import { ProcessCommand } from "./process.ts";

test.each(platformNames)(
  "months: each person has on each day what the second model says, by the command (%s)",
  async (platform) => {
    await checkMonths(ProcessCommand, platform, { people: 12, days: 14, seeds: 3 });
  },
);
