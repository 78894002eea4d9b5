/** The numbers of previews through the whole of Pulumi. */
import fc from "fast-check";
import { test } from "vitest";
import { ToldOrganization } from "../sdk/automation/told.ts";
import { checkCases } from "../setup/cases.ts";
import { onEachEngine } from "../setup/project.ts";
import { engineGround } from "./ground.ts";

onEachEngine("words", (engine) => {
  test("what a preview says in numbers is what the service's log shows was done, adoptions and releases among it", async () => {
    const organization = new ToldOrganization(await engineGround(engine, 200), { stacks: 1 });
    await checkCases(
      { name: `automation: words on the ${engine.name}`, level: "E", cases: 30 },
      fc.gen(),
      async (draw) => void (await organization.holds(draw)),
    );
  });
});
