/** The numbers of a preview over random changes, held against what the service's log shows was done. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCases, type Suite } from "../../setup/cases.ts";
import { CountedOrganization } from "./counted-organization.ts";
import { directFixture } from "./fixture.ts";

const suite: Suite = { name: "automation: words", level: "R", cases: 1000 };

test("words: what a preview says in numbers is what the service's log shows was done, after adoptions and with people released too", async () => {
  const organizations = new Map<number, CountedOrganization>();
  const sums = new Map<string, number>();
  await checkCases(suite, fc.gen(), async (draw) => {
    const stacks = draw(fc.integer, { min: 1, max: 3 });
    const organization =
      organizations.get(stacks) ?? new CountedOrganization(await directFixture(5000), { stacks });
    organizations.set(stacks, organization);
    for (const [kind, count] of Object.entries(await organization.holds(draw))) {
      sums.set(kind, (sums.get(kind) ?? 0) + count);
    }
  });
  const takenAway = [...organizations.values()].reduce((sum, one) => sum + one.takenAway, 0);
  expect(takenAway, "something was not there").toBeGreaterThan(0);
  expect(
    [...sums].filter(([, count]) => count === 0),
    "everything has happened",
  ).toEqual([]);
});
