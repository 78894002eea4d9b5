/** Swaps at full capacity through the whole of Pulumi, and the numbers of their previews. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { upAll } from "../../sdk/automation/up.ts";
import { numbersDone } from "../sdk/automation/numbers.ts";
import { SwappingOrganization } from "../sdk/automation/swapping.ts";
import { checkCases } from "../setup/cases.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineGround } from "./ground.ts";

onEachEngine("swap", (engine) => {
  test("joins, leaves, moves and renames at 95 to 100 % of the seats converge in one command, which does what its preview says", async () => {
    const organizations = new Map<number, SwappingOrganization>();
    await checkCases(
      { name: `automation: swap on the ${engine.name}`, level: "E", cases: 20 },
      fc.gen(),
      async (draw) => {
        const stacks = draw(() => fc.constantFrom(1, 1, 1, 2));
        const size = { stacks, least: 4, most: 8 };
        const made = async () => SwappingOrganization.make(await engineGround(engine, 50), draw, size);
        const organization = organizations.get(stacks) ?? (await made());
        organizations.set(stacks, organization);
        await organization.holds(draw);
      },
    );
  });
});

onEachEngine("somebody who is taken over", (engine) => {
  test("with a token gets a new one in one run, which says that the old value stops", async () => {
    const ground = await engineGround(engine, 10);
    const person = { key: "ada", email: "ada@acme.example", seat: true, token: true, protected: false };
    const userId = await ground.makeMember(person);
    const people = [{ ...person, userId }];
    const organization = await ground.open({ organizationId: ground.organizationId, stacks: 1, people });
    await ground.sandbox.requests();
    const { status, preview, applied } = await upAll(organization, {});

    expect({ status, faults: applied?.failures }).toEqual({ status: "succeeded", faults: [] });
    expect(preview.plan.removals).toEqual([{ type: "UserToken", id: userId }]);
    expect(preview.plan.losingAccess.map(({ label }) => label)).toEqual(["ada@acme.example"]);
    const { issued, revoked, joining } = numbersDone(await ground.done(), 0);
    expect({ issued, revoked, joining }).toEqual({ issued: 1, revoked: 1, joining: 0 });
  });
});
