import { test } from "vitest";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { configurationOf, DirectStack } from "../setup/direct.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { argsOf, Expectation, onboardingArbitrary, onboardingSeed } from "../setup/onboardings.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";

test.each(platformNames)(
  "onboarding, %s: random organizations, lists and lost answers: one status per email, no seat too many, and one welcome email per person",
  async (platform) => {
    const organization = await sandbox(onboardingSeed, temporaryFolder(), platform);
    const proxy = await InterceptingProxy.before(organization.service.orgUrl);
    const configuration = configurationOf(organization, sandboxServiceAccount);
    configuration.ORGSEAT_ORG_URL = proxy.through(organization.service.orgUrl);

    await checkCases(
      { name: `onboarding, ${platform}`, level: "R", cases: 250, siblings: platformNames.length },
      onboardingArbitrary,
      async (drawn) => {
        const expected = await Expectation.prepare(drawn, organization, proxy);
        const stack = new DirectStack({ ...configuration });
        for (const step of drawn.steps) {
          await expected.begin(step);
          if (step.forgotten) stack.state.clear();
          for (let run = 0; run < step.runs; run++) {
            const program = [{ type: "Onboarding", name: "team", args: argsOf(step) } as const];
            const { errors } = await stack.up(program);
            const statuses = stack.state.get("team")?.outs.statuses;
            await expected.afterRun(step, errors.length > 0, statuses);
          }
        }
      },
    );
  },
);
