// @module-tag ci
/** The example roster-program: the store has the tokens of the members, and nothing else. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import type { ProjectStack } from "../setup/project.ts";
import { type Sandbox, sandbox } from "../setup/sandbox.ts";
import { atService, exampleStack, filesThatHold, outputsInReadme } from "./example.ts";

const STORE = ".orgseat/tokens";
const outputsSchema = z.strictObject({ entries: z.array(z.string()) });

async function exampleOf(organization: Sandbox): Promise<ProjectStack> {
  const { clientId, clientSecret } = sandboxServiceAccount;
  const stack = await exampleStack(organization, "roster-program", {
    ORGSEAT_CLIENT_ID: clientId,
    ORGSEAT_CLIENT_SECRET: clientSecret,
    // As examples/README.md says, to destroy it.
    ORGSEAT_ALLOW_REMOVALS: `${organization.organizationId}:4`,
  });
  mkdirSync(join(stack.folder, STORE), { recursive: true });
  expect(await stack.pulumi("config", "set", "store", STORE)).toMatchObject({ code: 0 });
  return stack;
}

function changeRoster({ folder }: ProjectStack, from: string, to: string): void {
  const file = join(folder, "people.csv");
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

async function succeed(stack: ProjectStack): Promise<void> {
  const { code, output } = await stack.up();
  expect(code, output).toBe(0);
}

function storeOf({ folder }: ProjectStack): Record<string, string> {
  const names = readdirSync(join(folder, STORE)).toSorted();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, STORE, name), "utf8")]));
}

/** The tokens that the service accepts. */
async function liveIn(values: Record<string, string>, { service }: Sandbox): Promise<string[]> {
  const probes = Object.entries(values).map(async ([name, token]) => {
    const { live } = await service.management.probe(token);
    return live ? [name] : [];
  });
  return (await Promise.all(probes)).flat();
}

describe("the example roster-program", () => {
  test("keeps the entry of each token up to date, and no token in the clear elsewhere", async () => {
    const organization = await sandbox({ seats: 10, serviceAccount: sandboxServiceAccount });
    const stack = await exampleOf(organization);
    await succeed(stack);
    const first = storeOf(stack);
    const names = ["ada", "grace", "linux-builds"].map((key) => `${key}.token`);
    expect(await liveIn(first, organization)).toEqual(names);
    for (const name of names) expect(statSync(join(stack.folder, STORE, name)).mode & 0o777).toBe(0o600);
    const { entries } = outputsSchema.parse(await stack.outputs());
    expect(entries).toEqual(names.map((name) => `${STORE}/${name}`));
    expect(outputsInReadme("roster-program")).toEqual(["entries"]);
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });

    changeRoster(stack, "ada@acme.example,,ada,,", "ada@acme.example,,ada,,2026-12-01T00:00:00Z");
    changeRoster(stack, "grace@acme.example,,grace,,\n", "");
    await succeed(stack);
    const second = storeOf(stack);
    expect(await liveIn(second, organization)).toEqual(["ada.token", "linux-builds.token"]);
    expect(second["ada.token"]).not.toBe(first["ada.token"]);
    expect(second["linux-builds.token"]).toBe(first["linux-builds.token"]);
    expect(await liveIn(first, organization)).toEqual(["linux-builds.token"]);

    const values = [...Object.values(first), ...Object.values(second)];
    for (const value of values) expect(stack.printed.join("")).not.toContain(value);
    const holders = filesThatHold(values, stack).filter((file) => !file.includes(STORE));
    expect(holders).toEqual([]);

    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect(storeOf(stack)).toEqual({});
    expect(await atService(organization)).toMatchObject({ users: [], tokens: 0 });
  });

  test("keeps the member whose entry the store does not delete, until it does", async () => {
    const organization = await sandbox({ seats: 10, serviceAccount: sandboxServiceAccount });
    const stack = await exampleOf(organization);
    await succeed(stack);
    const entry = join(stack.folder, STORE, "grace.token");
    rmSync(entry);
    mkdirSync(entry);
    await organization.requests();
    changeRoster(stack, "grace@acme.example,,grace,,\n", "");
    expect(await stack.up()).toMatchObject({ code: 1 });
    expect(await organization.calls()).toEqual([]);
    rmSync(entry, { recursive: true });
    await succeed(stack);
    expect(await organization.calls()).toEqual(["token", 9, 10, 11]);
  });
});
