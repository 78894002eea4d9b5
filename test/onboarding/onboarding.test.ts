import { test } from "vitest";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { Gate } from "../setup/gate.ts";
import { argsOf, Expectation, onboardingArbitrary, onboardingSeed } from "../setup/onboardings.ts";
import { sandbox } from "../setup/sandbox.ts";
import { onEachEngine, testStack } from "../setup/stack.ts";

/** An engine takes its time: of each case it has the first runs only. */
const RUNS = 2;

onEachEngine("onboarding", (engine) => {
  test("of random organizations, lists and lost answers gives one verdict an email, no seat too many, nobody two welcome mails", async () => {
    const organization = await sandbox(onboardingSeed);
    const gate = await Gate.before(organization.service.orgUrl);
    const stack = await testStack(engine, organization, {
      ORGSEAT_ORG_URL: gate.through(organization.service.orgUrl),
      ORGSEAT_CLIENT_ID: sandboxServiceAccount.clientId,
      ORGSEAT_CLIENT_SECRET: sandboxServiceAccount.clientSecret,
    });
    let index = 0;

    await checkCases(
      { name: `onboarding on the ${engine.name}`, level: "E", cases: 20 },
      onboardingArbitrary,
      async (drawn) => {
        const expected = await Expectation.prepare(drawn, organization, gate);
        const name = `team-${index++}`;
        const runs = drawn.steps.flatMap((step) =>
          Array.from({ length: step.runs }, (_, run) => ({ step: { ...step, forgotten: false }, run })),
        );
        for (const { step, run } of runs.slice(0, RUNS)) {
          if (run === 0) await expected.begin(step);
          stack.declare([{ type: "Onboarding", name, args: argsOf(step) }]);
          const { code } = await stack.up();
          const team = stack.resources().find(({ urn }) => urn.endsWith(`::${name}`));
          await expected.afterRun(step, code !== 0, team?.outputs?.statuses);
        }
      },
    );
  });
});
