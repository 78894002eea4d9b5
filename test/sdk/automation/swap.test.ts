/** People swapped at full capacity, over random organizations: one command, and who stays never loses the seat. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCases, type Suite } from "../../setup/cases.ts";
import { directFixture } from "./fixture.ts";
import { FullOrganization } from "./full-organization.ts";

const suite: Suite = { name: "automation: swap", level: "R", cases: 1000 };

/** By turns, and anything between. */
const aims = ["short", undefined, "calm", undefined] as const;

test("swap: joins, leaves, moves and renames at 95 to 100 % of the seats, over 1 to 4 stacks, converge in one command", async () => {
  const organizations = new Map<number, FullOrganization>();
  const swapped = { yes: 0, no: 0 };
  let cases = 0;
  await checkCases(suite, fc.gen(), async (draw) => {
    const stacks = draw(fc.integer, { min: 1, max: 4 });
    const made = async () =>
      FullOrganization.make(await directFixture(200), draw, { stacks, least: 4, most: 60 });
    const organization = organizations.get(stacks) ?? (await made());
    organizations.set(stacks, organization);
    swapped[(await organization.holds(draw, aims[cases++ % aims.length])) ? "yes" : "no"]++;
  });
  expect(Math.min(swapped.yes, swapped.no), "both ways have been gone").toBeGreaterThan(5);
});
