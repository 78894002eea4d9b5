// @module-tag ci
/** The lifecycles of the organization area in the platform `anaconda`, by the commands of an engine. */
import { expect, onTestFinished, test } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { hangMs } from "../setup/limits.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Door, onEachDoor, testStack } from "../setup/stack.ts";
import { type LivingStack, lifecycles } from "./lifecycles.ts";

async function livingStack(door: Door): Promise<LivingStack> {
  const serviceAccount = sandboxServiceAccount;
  const organization = await sandbox({ seats: 10, serviceAccount }, temporaryFolder(), "anaconda");
  const { service, organizationId } = organization;
  const stack = await testStack(organization, {}, door);
  const client = createClient({ ...service, platform: platforms.anaconda });
  onTestFinished(() => client.close());
  const done = async (command: Promise<{ code: number; output: string }>) => {
    const outcome = await command;
    expect(outcome, outcome.output).toMatchObject({ code: 0 });
  };
  return {
    organization,
    org: client.organization(organizationId, { serviceAccount }),
    operation: { deadline: performance.now() + hangMs },
    settle: async (program) => {
      stack.declare(program);
      await done(stack.up());
      await done(stack.refresh("--expect-no-changes"));
      expect(stack.resources()).toHaveLength(program.length);
      await done(stack.preview("--expect-no-changes"));
    },
    remove: async () => {
      await done(stack.destroy());
      expect(stack.resources()).toEqual([]);
    },
    configure: (variable, value) => {
      stack.environment[variable] = value;
    },
    outputOf: (name, output) => {
      const found = stack.resources().find(({ urn }) => urn.endsWith(`::${name}`));
      return stack.inTheClear(found?.outputs?.[output]);
    },
  };
}

onEachDoor("the platform anaconda", (door) => {
  test.each(lifecycles)(
    "runs the lifecycle of %s, with a refresh after each step that changes nothing",
    async (_, live) => {
      await live(await livingStack(door));
    },
  );
});
