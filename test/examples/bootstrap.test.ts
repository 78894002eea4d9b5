// @module-tag ci
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { ProjectStack } from "../setup/project.ts";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { atService, exampleStack, filesThatHold, outputsInReadme } from "./example.ts";

const outputsSchema = z.strictObject({ clientId: z.guid(), clientSecret: z.string() });
type Account = z.output<typeof outputsSchema>;

describe("the example bootstrap", () => {
  test("makes the account alone, rotates it, and leaves nothing", async () => {
    const organization = await sandbox({ seats: 3 });
    const { username, password } = organization.service.seed;
    const stack = await exampleStack(organization, "bootstrap", {
      ORGSEAT_USERNAME: username,
      ORGSEAT_PASSWORD: password,
    });

    expect(await stack.preview()).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);

    const up = await stack.up();
    expect(up).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual(["token", 2, 1]);
    const first = await accountOf(stack);
    expect(await atService(organization)).toEqual({ users: [], tokens: 0, serviceAccounts: ["acme-ci"] });
    expect(outputsInReadme("bootstrap")).toEqual(["clientId", "clientSecret"]);
    expect(up.output).not.toContain(first.clientSecret);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await organization.calls()).toEqual([]);

    await stack.pulumi("config", "set", "rotation", "2");
    const rotated = await stack.pulumi("up", "--yes");
    expect(rotated).toMatchObject({ code: 0 });
    expect(rotated.output, "the preview").toMatch(/\+-1 to replace/);
    expect(rotated.output, "the update").toMatch(/\+-1 replaced/);
    expect(await organization.calls()).toEqual(["token", 2, 1, 3]);
    const second = await accountOf(stack);
    expect(second.clientId).not.toBe(first.clientId);
    expect([await login(organization, first), await login(organization, second)]).toEqual([401, 200]);
    expect(filesThatHold([first.clientSecret, second.clientSecret, password], stack)).toEqual([]);
    expect(filesThatHold([second.clientId], stack), "the search finds what is no secret").not.toEqual([]);
    await organization.calls();

    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect((await organization.calls()).at(-1)).toBe(3);
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
