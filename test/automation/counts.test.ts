/** The numbers of previews through the whole of Pulumi. */
import fc from "fast-check";
import { test } from "vitest";
import { CountedOrganization } from "../sdk/automation/counted-organization.ts";
import { checkCases } from "../setup/cases.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineFixture } from "./fixture.ts";

onEachEngine("words", (engine) => {
  test("what a preview says in numbers is what the service's log shows was done, adoptions and releases among it", async () => {
    const organization = new CountedOrganization(await engineFixture(engine, 200), { stacks: 1 });
    await checkCases(
      { name: `automation: words on the ${engine.name}`, level: "E", cases: 30 },
      fc.gen(),
      async (draw) => void (await organization.holds(draw)),
    );
  });
});
