// @module-tag full
/** A stack goes from dynamic resources to the packaged plugin and back: nothing happens at the service. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { usePlugin } from "../setup/plugin-stack.ts";
import { nodeOptions } from "../setup/quick-node.ts";
import { run } from "../setup/runs.ts";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { type Declared, type TestStack, testStack } from "../setup/stack.ts";
import { stateResources } from "../setup/state-file.ts";

const people = run === "quick" ? 3 : 300;
const names = Array.from({ length: people }, (_, index) => `p${index}`);

const member = (name: string): Declared => ({
  type: "OrgMember",
  name,
  args: { email: `${name}@acme.example`, seat: true, token: {} },
});

/** A user wired by hand, with an account of the same program. */
const wired: readonly Declared[] = [
  { type: "ServiceAccount", name: "bot", args: { name: "bot" } },
  { type: "OrgUser", name: "eve", args: { email: "eve@acme.example", credentials: "$bot" } },
  { type: "SeatAssignment", name: "eve-seat", args: { userId: "$eve.id" } },
  { type: "UserToken", name: "eve-token", args: { seat: "$eve-seat" } },
];

function declare(stack: TestStack, members: readonly string[]): void {
  const tokens = [["eve", "$eve-token.value"], ...members.map((name) => [name, `$${name}.tokenValue`])];
  stack.declare([...wired, ...members.map(member)], Object.fromEntries(tokens));
}

/** What a program adds that has resources of the plugin in its state. */
const ALIASES = `import * as pulumi from "@pulumi/pulumi";
pulumi.runtime.registerStackTransformation(({ type, props, opts }) => {
  if (!type.startsWith("pulumi-nodejs:orgseat:")) return undefined;
  const aliases = [{ type: type.replace("pulumi-nodejs:orgseat:", "orgseat:index:") }];
  return { props, opts: pulumi.mergeOptions(opts, { aliases }) };
});
`;

/** From now on the program has dynamic resources again. */
function useDynamicResources(stack: TestStack): void {
  stack.environment.NODE_OPTIONS = nodeOptions;
  const path = join(stack.folder, "index.mjs");
  writeFileSync(path, `${ALIASES}${readFileSync(path, "utf8")}`);
}

/** How many resources of each type the state has, the stack and the providers left out. */
function typesIn(stack: TestStack): Record<string, number> {
  const types = stateResources(stack.stateFile)
    .map(({ type }) => type)
    .filter((type) => !type.startsWith("pulumi:"));
  return Object.fromEntries([...Map.groupBy(types, (type) => type)].map(([type, all]) => [type, all.length]));
}

/** The types of a stack with some members, and those that are wired. */
function typesWith(prefix: string, members: number): Record<string, number> {
  return {
    [`${prefix}:OrgMember`]: members,
    ...Object.fromEntries(
      ["ServiceAccount", "OrgUser", "SeatAssignment", "UserToken"].map((type) => [`${prefix}:${type}`, 1]),
    ),
  };
}

/** The calls that change something, on each person in order. */
async function writesByPerson(organization: Sandbox): Promise<unknown[][]> {
  const requests = (await organization.requests()).filter(({ userId }) => userId !== null);
  return [...Map.groupBy(requests, ({ userId }) => userId).values()].map((all) =>
    all.map(({ call }) => call),
  );
}

describe("migration", () => {
  test(`moves ${people} people to the plugin and back without a request, then removes them in order`, async () => {
    const organization = await sandbox({ seats: people + 2 });
    const stack = await testStack(organization);
    stack.programs = "process";
    stack.environment.PULUMI_SKIP_CHECKPOINTS = "true";
    stack.environment.ORGSEAT_MAX_REMOVALS = String(people + 2);
    declare(stack, names);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(typesIn(stack)).toEqual(typesWith("pulumi-nodejs:orgseat", people));
    const issued = await stack.outputs();
    expect(Object.keys(issued)).toHaveLength(people + 1);
    const before = await organization.service.management.snapshot();
    await organization.requests();

    usePlugin(stack);
    await changesNothing(stack, organization);
    expect(typesIn(stack)).toEqual(typesWith("orgseat:index", people));
    expect(await stack.outputs()).toEqual(issued);
    expect(await organization.service.management.snapshot()).toEqual(before);

    // What the plugin itself has written lacks the text of a dynamic provider.
    declare(stack, [...names, "late"]);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await writesByPerson(organization)).toEqual([[5, 6, 7]]);
    const { late, ...others } = await stack.outputs();
    expect(others).toEqual(issued);

    useDynamicResources(stack);
    await changesNothing(stack, organization);
    expect(typesIn(stack)).toEqual(typesWith("pulumi-nodejs:orgseat", people + 1));
    expect(await stack.outputs()).toEqual({ ...issued, late });

    expect(await stack.destroy()).toMatchObject({ code: 0 });
    const removals = await writesByPerson(organization);
    expect(removals).toHaveLength(people + 2);
    for (const calls of removals) expect(calls).toEqual([9, 10, 11]);
    const { users, tokens, serviceAccounts } = await organization.service.management.snapshot();
    expect({ users, tokens }).toEqual({ users: [], tokens: [] });
    expect(serviceAccounts.map(({ name }) => name)).toEqual(["tests"]);
  });
});

/** Moves the state to the other types. The next preview is empty. */
async function changesNothing(stack: TestStack, organization: Sandbox): Promise<void> {
  const preview = await stack.preview();
  expect(preview).toMatchObject({ code: 0 });
  expect(preview.output).not.toMatch(/to (create|delete|replace)|\breplace/);
  const up = await stack.up();
  expect(up).toMatchObject({ code: 0 });
  expect(up.output).not.toMatch(/\d (created|deleted|replaced)/);
  const next = await stack.preview("--expect-no-changes");
  expect(next, next.output).toMatchObject({ code: 0 });
  expect(await organization.calls()).toEqual([]);
}
