/** Swaps at full capacity through the whole of Pulumi, and the numbers of their previews. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { upAll } from "../../sdk/automation/up.ts";
import { completedCounts } from "../sdk/automation/action-counts.ts";
import { FullOrganization } from "../sdk/automation/full-organization.ts";
import { checkCases } from "../setup/cases.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineFixture } from "./fixture.ts";

onEachEngine("swap", (engine) => {
  test("joins, leaves, moves and renames at 95 to 100 % of the seats converge in one command, which does what its preview says", async () => {
    const organizations = new Map<number, FullOrganization>();
    await checkCases(
      { name: `automation: swap on the ${engine.name}`, level: "E", cases: 20 },
      fc.gen(),
      async (draw) => {
        const stacks = draw(() => fc.constantFrom(1, 1, 1, 2));
        const size = { stacks, least: 4, most: 8 };
        const made = async () => FullOrganization.make(await engineFixture(engine, 50), draw, size);
        const organization = organizations.get(stacks) ?? (await made());
        organizations.set(stacks, organization);
        await organization.holds(draw);
      },
    );
  });
});

onEachEngine("somebody who is taken over", (engine) => {
  test("with a token gets a new one in one run, which says that the old value stops", async () => {
    const fixture = await engineFixture(engine, 10);
    const person = { key: "ada", email: "ada@acme.example", seat: true, token: true, protected: false };
    const userId = await fixture.makeMember(person);
    const people = [{ ...person, userId }];
    const organization = await fixture.open({ organizationId: fixture.organizationId, stacks: 1, people });
    await fixture.sandbox.requests();
    const { status, preview, applied } = await upAll(organization, {});

    expect({ status, failures: applied?.failures }).toEqual({ status: "succeeded", failures: [] });
    expect(preview.plan.removals).toEqual([{ type: "UserToken", id: userId }]);
    expect(preview.plan.losingAccess.map(({ label }) => label)).toEqual(["ada@acme.example"]);
    const { issued, revoked, joining } = completedCounts(await fixture.done(), 0);
    expect({ issued, revoked, joining }).toEqual({ issued: 1, revoked: 1, joining: 0 });
  });
});
