// @module-tag ci
/** `pulumi up` with PULUMI_SKIP_CHECKPOINTS, which writes the state at its end alone, killed after each of its writes. */
import { describe, expect, test } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import { checkEach } from "../setup/cases.ts";
import type { InterceptedRequest } from "../setup/intercepting-proxy.ts";
import { makeServiceAccount, type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Declared, type TestStack, testStack } from "../setup/stack.ts";
import { killedAt } from "./killed-up.ts";

const names = ["ada", "grace"] as const;
const WRITES = [1, 2, 3, 4, 5, 6] as const;

/** @param adopt the id of a user who exists, by email */
function people(adopt: ReadonlyMap<string | null, string> = new Map()): Declared[] {
  return names.flatMap((name) => {
    const email = `${name}@acme.example`;
    const args = { email, adopt: adopt.get(email), onDelete: "delete" };
    return [
      { type: "OrgUser", name, args },
      { type: "SeatAssignment", name: `${name}-seat`, args: { userId: `$${name}.id` } },
      { type: "UserToken", name: `${name}-token`, args: { userId: `$${name}-seat.id` } },
    ];
  });
}

async function begin(): Promise<{ organization: Sandbox; stack: TestStack }> {
  const organization = await sandbox({ seats: 10 }, undefined, "anaconda");
  const stack = await testStack(organization);
  stack.environment.PULUMI_SKIP_CHECKPOINTS = "true";
  return { organization, stack };
}

/** The write of that number. */
function nth(number: number): (passed: InterceptedRequest) => boolean {
  let writes = 0;
  return ({ method }) => method !== "GET" && ++writes === number;
}

/** The writes that the service has done. */
const succeeded = async (organization: Sandbox) =>
  (await organization.requests()).filter(
    ({ call, method, status }) => call !== "token" && method !== "GET" && status !== null && status < 300,
  );

async function revokeAll(organization: Sandbox): Promise<void> {
  const client = createClient({ ...organization.service, platform: platforms.anaconda });
  const serviceAccount = await makeServiceAccount(organization);
  const api = client.organization(organization.organizationId, { user: undefined, serviceAccount });
  for (const { userId, tokenId, revoked } of (await organization.service.management.snapshot()).tokens)
    if (!revoked) await api.revokeToken(userId, { deadline: Number.POSITIVE_INFINITY }, tokenId);
  await client.close();
}

describe("pulumi up with PULUMI_SKIP_CHECKPOINTS", () => {
  test("repeats the removals of a killed run without a second effect", async () => {
    const name = "plain removals without checkpoints";
    await checkEach({ name, level: "E", siblings: 2, cases: WRITES.length }, WRITES, async (write) => {
      const { organization, stack } = await begin();
      stack.declare(people());
      expect(await stack.up()).toMatchObject({ code: 0 });
      await organization.requests();
      const before = stack.resources();
      stack.declare([]);
      await killedAt("after its commit", { stack, organization }, nth(write));
      await stack.pulumi("stack", "export");
      expect(stack.resources()).toEqual(before);
      expect(await stack.up()).toMatchObject({ code: 0 });
      const done = (await succeeded(organization)).map(({ call, userId }) => `${call} ${userId}`);
      expect(new Set(done).size).toBe(WRITES.length);
      expect(done).toHaveLength(WRITES.length);
      expect((await organization.service.management.snapshot()).users).toEqual([]);
    });
  });

  test("asks about everyone whom a killed run added, and adds nobody twice", async () => {
    const name = "plain creations without checkpoints";
    await checkEach({ name, level: "E", siblings: 2, cases: WRITES.length }, WRITES, async (write) => {
      const { organization, stack } = await begin();
      const { management } = organization.service;
      stack.declare(people());
      await killedAt("after its commit", { stack, organization }, nth(write));
      await stack.pulumi("stack", "export");
      expect(stack.resources()).toEqual([]);
      const { users } = await management.snapshot();

      const again = await stack.up("--continue-on-error");
      expect(again.code).not.toBe(0);
      for (const { userId } of users) expect(again.output).toContain(userId);
      await revokeAll(organization);
      stack.declare(people(new Map(users.map(({ email, userId }) => [email, userId]))));
      const last = await stack.up();
      expect(last, last.output).toMatchObject({ code: 0 });
      const all = await management.snapshot();
      expect(all.users.map(({ email, seat }) => [email, seat]).toSorted()).toEqual(
        names.map((name) => [`${name}@acme.example`, true]),
      );
      expect(all.tokens.filter(({ revoked }) => !revoked)).toHaveLength(names.length);
      expect((await stack.preview("--expect-no-changes")).code).toBe(0);
    });
  });
});
