// @module-tag ci
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ProjectStack } from "../setup/project.ts";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { atService, callsByPerson, exampleStack, filesThatHold, outputsInReadme } from "./example.ts";

const outputsSchema = z.strictObject({ clientId: z.guid(), clientSecret: z.string() });
type Account = z.output<typeof outputsSchema>;

describe("the example bootstrap", () => {
  test("makes account and members, rotates the account without a call on a member, and leaves nothing", async () => {
    const organization = await sandbox({ seats: 3 });
    const { seed, management } = organization.service;
    const { username, password } = seed;
    const stack = await exampleStack(organization, "bootstrap", {
      ORGSEAT_USERNAME: username,
      ORGSEAT_PASSWORD: password,
    });

    expect(await stack.preview()).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);

    const up = await stack.up();
    expect(up).toMatchObject({ code: 0 });
    const made = await organization.requests();
    expect(made.slice(0, 3).map(({ call }) => call)).toEqual(["token", 2, 1]);
    const first = await accountOf(stack);
    const callers = made.filter(({ userId }) => userId !== null).map(({ caller }) => caller);
    expect(new Set(callers)).toEqual(new Set([first.clientId]));
    const token = seed.subscriptionExpiresAt;
    const full = {
      users: ["ada@acme.example", "grace@acme.example", "Linux builds"].map((name) => ({
        name,
        seat: true,
        token,
      })),
      tokens: 3,
      serviceAccounts: ["acme-ci"],
    };
    expect(await atService(organization)).toEqual(full);
    expect(outputsInReadme("bootstrap")).toEqual(["clientId", "clientSecret"]);
    expect(up.output).not.toContain(first.clientSecret);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);

    const before = await management.snapshot();
    await stack.pulumi("config", "set", "rotation", "2");
    const rotated = await stack.pulumi("up", "--yes");
    expect(rotated).toMatchObject({ code: 0 });
    expect(rotated.output, "the preview").toMatch(/9 to update\s+\+-1 to replace/);
    expect(rotated.output, "the update").toMatch(/9 updated\s+\+-1 replaced/);
    expect(await organization.calls()).toEqual(["token", 2, 1, 3]);
    const second = await accountOf(stack);
    expect(second.clientId).not.toBe(first.clientId);
    expect(await management.snapshot(), "the same people with the same tokens").toMatchObject({
      users: before.users,
      tokens: before.tokens,
      serviceAccounts: [{ clientId: second.clientId, name: "acme-ci" }],
    });
    expect([await login(organization, first), await login(organization, second)]).toEqual([401, 200]);
    expect(filesThatHold([first.clientSecret, second.clientSecret, password], stack)).toEqual([]);
    expect(filesThatHold([second.clientId], stack), "the search finds what is no secret").not.toEqual([]);
    await organization.requests();

    expect(await stack.destroy()).toMatchObject({ code: 0 });
    const removed = await organization.requests();
    expect(removed.at(-1)?.call).toBe(3);
    expect(callsByPerson(removed)).toEqual([
      [9, 10, 11],
      [9, 10, 11],
      [9, 10, 11],
    ]);
    expect(await atService(organization)).toEqual({ users: [], tokens: 0, serviceAccounts: [] });
  });
});

async function accountOf(stack: ProjectStack): Promise<Account> {
  return outputsSchema.parse(await stack.outputs());
}

/** @returns the status with which the token endpoint answers the account */
async function login({ service }: Sandbox, { clientId, clientSecret }: Account): Promise<number> {
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId,
    client_secret: clientSecret,
  });
  const answer = await fetch(service.tokenUrl, { method: "POST", body });
  await answer.arrayBuffer();
  return answer.status;
}
