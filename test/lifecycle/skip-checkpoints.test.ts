// @module-tag ci
/** `pulumi up` with PULUMI_SKIP_CHECKPOINTS, which writes the state at its end alone, killed after each of its writes. */
import { describe, expect, test } from "vitest";
import { listedOrganization, member, operation } from "../resources/listed.ts";
import { checkEach } from "../setup/cases.ts";
import type { InterceptedRequest } from "../setup/intercepting-proxy.ts";
import type { Sandbox } from "../setup/sandbox.ts";
import { type Declared, testStack } from "../setup/stack.ts";
import { killedAfter } from "./killed-up.ts";

const names = ["ada", "grace"] as const;
const WRITES = [1, 2, 3, 4, 5, 6] as const;

/** @param adopt the id of a user who exists, by email */
function people(adopt: ReadonlyMap<string | null, string> = new Map()): Declared[] {
  return names.flatMap((name) => {
    const email = `${name}@acme.example`;
    return member(name, { email, adopt: adopt.get(email), onDelete: "delete" });
  });
}

async function begin() {
  const organization = await listedOrganization();
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
      await killedAfter(nth(write), { stack, organization });
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
      await killedAfter(nth(write), { stack, organization });
      await stack.pulumi("stack", "export");
      expect(stack.resources()).toEqual([]);
      const { users } = await management.snapshot();

      const again = await stack.up("--continue-on-error");
      expect(again.code).not.toBe(0);
      for (const { userId } of users) expect(again.output).toContain(userId);
      for (const { userId, tokenId, revoked } of (await management.snapshot()).tokens)
        if (!revoked) await organization.neighbor.revokeToken(userId, operation, tokenId);
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
