/** A machine whose clock is 100 days off: what time decides beside the steps of a member is not done either. */
import { expect, test } from "vitest";
import { sandboxDefaults } from "../../sandbox/service/index.ts";
import type { DirectResource } from "../setup/direct.ts";
import { member, organizationOn } from "./listed.ts";

const DAY = 86_400_000;
const platforms = ["basic", "anaconda"] as const;
const WHY =
  "this machine's clock is 100 days ahead of the service's, so orgseat makes no change that time decides";

/** An organization that was made by a right clock, on a machine that is `days` ahead from then on. */
async function skewed(platform: (typeof platforms)[number], program: readonly DirectResource[]) {
  const organization = await organizationOn(platform);
  const { management, seed } = organization.service;
  const stack = organization.stack({ ORGSEAT_SUBSCRIPTION_EXPIRES_AT: seed.subscriptionExpiresAt });
  expect((await stack.up(program)).errors).toEqual([]);
  await management.setSwitches({ dateHeader: "clock" });
  await organization.calls();
  return {
    organization,
    /** @param days that the machine is ahead */
    async up(days: number, wanted: readonly DirectResource[]) {
      stack.now = () => Date.now() + days * DAY;
      return stack.run(wanted, { continueOnError: true });
    },
    writes: async () =>
      (await organization.calls()).filter((call) => call !== "token" && call !== 17 && call !== 18),
  };
}

test("revokes no earlier token, and deletes no earlier service account, on anaconda", async () => {
  const tokens = (rotation: string) => [
    ...member("p0", { email: "p0@acme.example" }, { token: { rotation, keepPreviousFor: "30d" } }),
    { type: "ServiceAccount" as const, name: "bot", args: { name: "bot", rotation, keepPreviousFor: "30d" } },
  ];
  const run = await skewed("anaconda", tokens("1"));
  expect((await run.up(0, tokens("2"))).errors).toEqual([]);
  await run.organization.calls();
  const { errors } = await run.up(100, tokens("2"));
  expect(errors.toSorted()).toEqual([
    expect.stringContaining("cannot delete the previous service account of bot: "),
    expect.stringContaining("cannot revoke the previous token of p0@acme.example"),
  ]);
  expect(await run.writes()).toEqual([]);
});

test.each([
  ["basic", {}],
  ["anaconda", {}],
  ["basic", { credentials: { adminToken: sandboxDefaults.adminToken } }],
] as const)("rotates no service account on a schedule: %s, %j", async (platform, more) => {
  const args = { name: "bot", rotateEvery: "30d", ...more };
  const bot = [{ type: "ServiceAccount" as const, name: "bot", args }];
  const run = await skewed(platform, bot);
  const { errors } = await run.up(100, bot);
  expect(errors).toEqual([expect.stringContaining(`cannot rotate service account bot: ${WHY}`)]);
  expect(await run.writes()).toEqual([]);
});
