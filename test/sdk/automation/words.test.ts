/** The numbers of a preview over random changes, held against what the service's log shows was done. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCases, type Suite } from "../../setup/cases.ts";
import { directGround } from "./ground.ts";
import { ToldOrganization } from "./told.ts";

const suite: Suite = { name: "automation: words", level: "R", cases: 300 };

test("words: what a preview says in numbers is what the service's log shows was done, after adoptions and with people released too", async () => {
  const organizations = new Map<number, ToldOrganization>();
  const sums = new Map<string, number>();
  await checkCases(suite, fc.gen(), async (draw) => {
    const stacks = draw(fc.integer, { min: 1, max: 3 });
    const organization =
      organizations.get(stacks) ?? new ToldOrganization(await directGround(5000), { stacks });
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
