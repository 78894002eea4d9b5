// @module-tag full
/** The processes of the packaged plugin: a sudden end. */
import { describe, expect, test } from "vitest";
import { createClient, platforms } from "../../provider/api/index.ts";
import { usePlugin } from "../setup/plugin-stack.ts";
import { killBelow } from "../setup/process-tree.ts";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Declared, type TestStack, testStack } from "../setup/stack.ts";

const names = ["ada", "ben", "cleo", "dan"];

const people = names.map(
  (name): Declared => ({
    type: "OrgMember",
    name,
    args: { email: `${name}@acme.example`, seat: true, token: {} },
  }),
);

async function pluginStack(organization: Sandbox): Promise<TestStack> {
  const stack = await testStack(organization);
  stack.programs = "process";
  usePlugin(stack);
  return stack;
}

/** What the service has of the people. */
async function madeOf({ service }: Sandbox) {
  const { users, tokens } = await service.management.snapshot();
  const own = users.filter(({ email }) => names.some((name) => email === `${name}@acme.example`));
  return {
    users: own.length,
    seats: own.filter(({ seat }) => seat).length,
    tokens: tokens.filter(({ revoked }) => !revoked).length,
  };
}

/** Runs until nothing is left to decide: adopts the people whom an error names, and revokes the tokens that it names. */
async function untilDecided(stack: TestStack, { service, organizationId }: Sandbox): Promise<void> {
  const decided = new Map<string, string>();
  let last = "";
  for (let runs = 0; runs <= 2 * names.length; runs++) {
    const { code, output } = await stack.up("--continue-on-error");
    if (code === 0) return;
    last = output;
    for (const [, name = "", id = ""] of output.matchAll(
      /(\w+)@acme\.example is already a member, as user ([^.]+)\./g,
    ))
      decided.set(name, id);
    const declared = people.map((one) => {
      const adopt = decided.get(one.name);
      return adopt === undefined ? one : { ...one, args: { ...one.args, adopt, onDelete: "delete" } };
    });
    stack.declare(declared, Object.fromEntries(names.map((name) => [name, `$${name}.tokenValue`])));
    const client = createClient({ ...service, platform: platforms.anaconda });
    const serviceAccount = {
      clientId: stack.variables().ORGSEAT_CLIENT_ID ?? "",
      clientSecret: stack.variables().ORGSEAT_CLIENT_SECRET ?? "",
    };
    const api = client.organization(organizationId, { user: undefined, serviceAccount });
    for (const [, name = "", tokens = ""] of output.matchAll(
      /(\w+)@acme\.example has the tokens (\S+(?:, \S+)*), which the state/g,
    ))
      for (const tokenId of tokens.split(", "))
        await api.revokeToken(decided.get(name) ?? "", { deadline: Number.POSITIVE_INFINITY }, tokenId);
    await client.close();
  }
  throw new Error(`no end of decisions: ${last}`);
}

describe("kill -9 of the plugin", () => {
  test.each([
    ["users", 5],
    ["seats", 6],
    ["tokens", 7],
  ] as const)(
    "leaves %s made, unknown to the plugin: the next runs finish, each exactly once, and ask about people and tokens",
    async (what, call) => {
      const organization = await sandbox({ seats: 10 }, undefined, "anaconda");
      const stack = await pluginStack(organization);
      const { management } = organization.service;
      const tokens = Object.fromEntries(names.map((name) => [name, `$${name}.tokenValue`]));
      stack.declare(people, tokens);
      const late = { kind: "delay", ms: 60_000, phase: "after" } as const;
      await management.addFaults({ match: { call }, after: 1, times: "always", fault: late });
      const { pid, ended } = stack.start("up", "--yes", "--skip-preview");
      while ((await madeOf(organization))[what] < 2);
      await killBelow(pid, /pulumi-resource-orgseat/);
      expect((await ended).code).not.toBe(0);
      await management.clearFaults();

      await untilDecided(stack, organization);
      const count = names.length;
      expect(await madeOf(organization)).toEqual({ users: count, seats: count, tokens: count });
      const outputs = await stack.outputs();
      for (const name of names)
        expect(await management.probe(String(outputs[name])), name).toMatchObject({ live: true });
      const next = await stack.preview("--refresh", "--expect-no-changes");
      expect(next, next.output).toMatchObject({ code: 0 });
    },
  );
});
