// @module-tag full
/** OrgMember as programs in other languages have it: a resource of the plugin, without a class of this package. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { usePlugin } from "../setup/plugin-stack.ts";
import { run } from "../setup/runs.ts";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type TestStack, testStack } from "../setup/stack.ts";
import { type StateResource, stateResources } from "../setup/state-file.ts";

const people = run === "quick" ? 3 : 300;
const names = Array.from({ length: people }, (_, index) => `p${index}`);

const PROGRAM = `import * as pulumi from "@pulumi/pulumi";
class OrgMember extends pulumi.CustomResource {
  constructor(name, args, options) {
    const outputs = { userId: undefined, hasSeat: undefined, tokenValue: undefined, tokenState: undefined };
    super("orgseat:index:OrgMember", name, { ...outputs, ...args }, options);
  }
}
class Provider extends pulumi.ProviderResource {
  constructor(name, args) { super("orgseat", name, args); }
}
const { ORGSEAT_ORG_URL: orgUrl, ORGSEAT_TOKEN_URL: tokenUrl } = process.env;
const addresses = { orgUrl, tokenUrl };
const member = (name, options, more) =>
  new OrgMember(name, { email: name + "@acme.example", seat: true, token: {}, ...more }, options);
`;

async function stackOf(organization: Sandbox): Promise<TestStack> {
  const stack = await testStack(organization);
  usePlugin(stack);
  stack.programs = "process";
  stack.environment.PULUMI_SKIP_CHECKPOINTS = "true";
  stack.environment.ORGSEAT_MAX_REMOVALS = String(people);
  return stack;
}

function write(stack: TestStack, program: string): void {
  writeFileSync(join(stack.folder, "index.mjs"), `${PROGRAM}${program}`);
}

async function succeeds(command: ReturnType<TestStack["up"]>): Promise<void> {
  const { code, output } = await command;
  expect(code, output).toBe(0);
}

/** The calls on each person in order. */
async function callsByPerson(organization: Sandbox): Promise<unknown[][]> {
  const requests = (await organization.requests()).filter(({ userId }) => userId !== null);
  return [...Map.groupBy(requests, ({ userId }) => userId).values()].map((all) =>
    all.map(({ call }) => call),
  );
}

const nameOf = (urn = ""): string => urn.split("::").at(-1) ?? "";

/** The resources of the state by their names, those of Pulumi left out. */
function resourcesOf(stack: TestStack): Map<string, StateResource> {
  const own = stateResources(stack.stateFile).filter(({ type }) => type.startsWith("orgseat:"));
  return new Map(own.map((resource) => [nameOf(resource.urn), resource]));
}

describe("a member of the plugin", () => {
  test(`adds and removes in order, ${people} side by side`, async () => {
    const organization = await sandbox({ seats: people });
    const { management } = organization.service;
    const stack = await stackOf(organization);
    write(
      stack,
      `export const ids = Object.fromEntries(
        ${JSON.stringify(names)}.map((name) => [name, member(name).userId]),
      );`,
    );
    await succeeds(stack.up());
    expect(await callsByPerson(organization)).toEqual(names.map(() => [5, 6, 7]));
    const { users } = await management.snapshot();
    const expected = users.map(({ email, userId }) => [email?.split("@")[0], userId]);
    expect(await stack.outputs()).toEqual({ ids: Object.fromEntries(expected) });
    const resources = resourcesOf(stack);
    expect([...resources.keys()].toSorted()).toEqual(names.toSorted());
    // An id that never changes names no user.
    const ids = new Set([...resources.values()].map(({ id }) => id));
    expect(ids.size).toBe(people);
    expect(users.filter(({ userId }) => ids.has(userId))).toEqual([]);
    await succeeds(stack.preview("--expect-no-changes"));
    await succeeds(stack.destroy());
    expect(await callsByPerson(organization)).toEqual(names.map(() => [9, 10, 11]));
    expect((await management.snapshot()).users).toEqual([]);
  });

  test("keeps its options: provider, protect, alias, dependsOn; and its secret email", async () => {
    const organization = await sandbox({ seats: 2 });
    const stack = await stackOf(organization);
    const declare = (name: string, options: string) =>
      write(
        stack,
        `const { ORGSEAT_CLIENT_ID: clientId, ORGSEAT_CLIENT_SECRET: clientSecret } = process.env;
        const acme = new Provider("acme", { ...addresses, clientId, clientSecret: pulumi.secret(clientSecret) });
        const first = member("first");
        const ada = member("${name}", { ${options} provider: acme, dependsOn: first }, { email: pulumi.secret("ada@acme.example") });
        export const id = ada.userId;`,
      );
    declare("ada", "protect: true,");
    await succeeds(stack.preview());
    expect(await organization.requests()).toEqual([]);
    await succeeds(stack.up());
    expect(
      (await organization.requests()).map(({ call }) => call).filter((call) => call !== "token"),
    ).toEqual([5, 6, 7, 5, 6, 7]);
    const ada = resourcesOf(stack).get("ada");
    expect(nameOf(ada?.provider?.split("::").slice(0, -1).join("::"))).toBe("acme");
    expect(ada?.protect).toBe(true);
    expect(JSON.stringify(ada)).not.toContain("ada@acme.example");
    declare("countess", 'aliases: [{ name: "ada" }],');
    await organization.requests();
    await succeeds(stack.up());
    expect(await callsByPerson(organization)).toEqual([]);
    expect([...resourcesOf(stack).keys()].filter((name) => name !== "acme").toSorted()).toEqual([
      "countess",
      "first",
    ]);
    await succeeds(stack.destroy());
    expect(await callsByPerson(organization)).toEqual([
      [9, 10, 11],
      [9, 10, 11],
    ]);
  });

  test("shows itself in a preview if the same run makes an account for its Provider", async () => {
    const organization = await sandbox({ seats: 1 });
    const stack = await stackOf(organization);
    write(
      stack,
      `const bot = new pulumi.CustomResource("orgseat:index:ServiceAccount", "bot", { name: "bot", clientId: undefined, clientSecret: undefined });
      const acme = new Provider("acme", { ...addresses, clientId: bot.clientId, clientSecret: bot.clientSecret });
      export const id = member("ada", { provider: acme }).userId;`,
    );
    const { code, output } = await stack.preview();
    expect(code, output).toBe(0);
    expect(output).toContain("orgseat:index:OrgMember");
    expect(await callsByPerson(organization)).toEqual([]);
    await succeeds(stack.up());
    expect(await callsByPerson(organization)).toEqual([[5, 6, 7]]);
    await succeeds(stack.preview("--expect-no-changes"));
    await succeeds(stack.destroy());
    expect(await callsByPerson(organization)).toEqual([[9, 10, 11]]);
  });
});
