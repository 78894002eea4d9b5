import { expect, test } from "vitest";
import { planOf } from "../../command/plan/plan.ts";
import { countsOf } from "../../command/plan/texts/counts.ts";
import { platformNames } from "../../provider/api/calls/platform.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { configurationOf, DirectStack } from "../setup/direct.ts";
import { stepOf } from "../setup/direct-engine.ts";
import { InterceptingProxy } from "../setup/intercepting-proxy.ts";
import { argsOf, Expectation, onboardingArbitrary, onboardingSeed } from "../setup/onboardings.ts";
import { sandbox, temporaryFolder } from "../setup/sandbox.ts";

test.each(platformNames)(
  "onboarding, %s: random organizations, lists and lost answers: one status per email, no seat too many, one welcome email per person, and as many emails as the preview said",
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
            const preview = (await stack.run(program, { isDry: true })).steps.map((one) =>
              stepOf("people", one),
            );
            const { errors } = await stack.up(program);
            const statuses = stack.state.get("team")?.outs.statuses;
            const sent = await expected.afterRun(step, errors.length > 0, statuses);
            const { organizationId } = organization;
            const plan = planOf(preview, { organizationId, declaredSeats: undefined, now: Date.now() });
            expect(countsOf(plan).mailedPeople, "emails in the preview").toBe(sent.length);
            const planned = plan.entries.map(({ action }) => action);
            expect(planned.includes("onboard"), "invitations in the preview").toBe(sent.length > 0);
          }
        }
      },
    );
  },
);
