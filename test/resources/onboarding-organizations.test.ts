import { test } from "vitest";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { configurationOf, DirectStack } from "../setup/direct.ts";
import { Gate } from "../setup/gate.ts";
import { argsOf, Expectation, onboardingArbitrary, onboardingSeed } from "../setup/onboardings.ts";
import { sandbox } from "../setup/sandbox.ts";

test("onboarding: random organizations, lists and lost answers: one verdict an email, no seat too many, nobody two welcome mails", async () => {
  const organization = await sandbox(onboardingSeed);
  const gate = await Gate.before(organization.service.orgUrl);
  const configuration = configurationOf(organization, sandboxServiceAccount);
  configuration.ORGSEAT_ORG_URL = gate.through(organization.service.orgUrl);

  await checkCases({ name: "onboarding", level: "R", cases: 500 }, onboardingArbitrary, async (drawn) => {
    const expected = await Expectation.prepare(drawn, organization, gate);
    const stack = new DirectStack({ ...configuration });
    for (const step of drawn.steps) {
      await expected.begin(step);
      if (step.forgotten) stack.state.clear();
      for (let run = 0; run < step.runs; run++) {
        const { errors } = await stack.up([{ type: "Onboarding", name: "team", args: argsOf(step) }]);
        const verdicts = stack.state.get("team")?.outs.verdicts;
        await expected.afterRun(step, errors.length > 0, verdicts);
      }
    }
  });
});
