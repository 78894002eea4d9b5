// @module-tag ci
/** An explicit Provider of the packaged plugin: the state keeps it, and every command works by it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { usePlugin } from "../setup/plugin-stack.ts";
import { makeServiceAccount, type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Outcome, testStack } from "../setup/stack.ts";
import { stateResources } from "../setup/state-file.ts";

const PROGRAM = `import * as pulumi from "@pulumi/pulumi";
class Provider extends pulumi.ProviderResource {
  constructor(name, args) { super("orgseat", name, args); }
}
const { ACME_ID: clientId, ACME_SECRET: clientSecret } = process.env;
const { ACME_ORG_URL: orgUrl, ACME_TOKEN_URL: tokenUrl } = process.env;
const secrets = { clientSecret: pulumi.secret(clientSecret), password: pulumi.secret(process.env.ACME_PASSWORD) };
const provider = new Provider("acme", { orgUrl, tokenUrl, clientId, username: process.env.ACME_USER, ...secrets });
const make = (type, name, args, options) =>
  new pulumi.CustomResource("orgseat:index:" + type, name, { name: undefined, ...args }, { provider, ...options });
`;

/** Variables of the program, for the arguments of its Provider. */
function argumentsOf({ service: { orgUrl, tokenUrl, seed } }: Sandbox): Record<string, string> {
  return {
    ...{ ACME_ORG_URL: orgUrl, ACME_TOKEN_URL: tokenUrl },
    ...{ ACME_USER: seed.username, ACME_PASSWORD: seed.password },
  };
}

describe("an explicit Provider", () => {
  test("makes, refreshes, and removes without credentials of the environment", async () => {
    const organization = await sandbox();
    const { management } = organization.service;
    const stack = await testStack(organization);
    usePlugin(stack);
    stack.programs = "process";
    const { clientId, clientSecret } = await makeServiceAccount(organization);
    for (const name of ["ORGSEAT_CLIENT_ID", "ORGSEAT_CLIENT_SECRET"]) stack.environment[name] = "";
    for (const name of ["ORGSEAT_USERNAME", "ORGSEAT_PASSWORD"]) stack.environment[name] = "";
    for (const name of ["ORGSEAT_ORG_URL", "ORGSEAT_TOKEN_URL"]) stack.environment[name] = "";
    Object.assign(stack.environment, argumentsOf(organization), {
      ACME_ID: clientId,
      ACME_SECRET: clientSecret,
    });
    const write = (program: string) => writeFileSync(join(stack.folder, "index.mjs"), PROGRAM + program);
    const succeeds = async (command: Promise<Outcome>) => {
      const { code, output } = await command;
      expect(code, output).toBe(0);
    };
    const calls = async () => (await organization.calls()).filter((call) => call !== "token");
    write(`const ada = make("OrgUser", "ada", { email: "ada@acme.example" });
      make("SeatAssignment", "ada", { userId: ada.id });`);
    await succeeds(stack.preview());
    await organization.requests();
    await succeeds(stack.up());
    expect(await calls()).toEqual([5, 6]);
    const stored = stateResources(stack.stateFile);
    const provider = stored.find(({ type }) => type === "pulumi:providers:orgseat");
    expect(JSON.stringify(provider)).not.toContain(clientSecret);
    expect(await stack.inTheClear(provider?.inputs?.clientSecret)).toBe(clientSecret);
    const served = stored.filter(({ type }) => type.startsWith("orgseat:"));
    expect(served.map(({ provider: by }) => by)).toEqual(Array(2).fill(`${provider?.urn}::${provider?.id}`));

    // From here on the program cannot say the secret: the state does.
    writeFileSync(join(stack.folder, "index.mjs"), "throw new Error('no program')");
    for (const name of ["ACME_SECRET", "ACME_PASSWORD", "ACME_ORG_URL"]) stack.environment[name] = "";
    await succeeds(stack.refresh());
    await succeeds(stack.destroy());
    expect(await calls()).toEqual([10, 11]);
    expect(stateResources(stack.stateFile)).toEqual([]);
    expect((await management.snapshot()).users).toEqual([]);
  });
});
