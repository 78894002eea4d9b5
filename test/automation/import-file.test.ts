// @module-tag ci
/** `orgseat import-file`: the resources of a stack, and the people of a roster, get into another stack without a request. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { importFile } from "../../sdk/automation/index.ts";
import { readState } from "../../sdk/automation/stacks/stack-state.ts";
import { importedFrom, importFileOf } from "../../sdk/automation/verbs/import-file.ts";
import { pulumiCommand } from "../setup/project.ts";
import { sandbox } from "../setup/sandbox.ts";
import { type Declared, type TestStack, testStack } from "../setup/stack.ts";
import { testOrganization } from "./organization.ts";

const entrySchema = z.object({
  type: z.string(),
  name: z.string(),
  id: z.string().optional(),
  parent: z.string().optional(),
  component: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
});
const fileSchema = z.object({ resources: z.array(entrySchema) });

const previewSchema = z.object({
  people: z.array(z.object({ key: z.string(), actions: z.array(z.string()) })),
});

function entriesIn(file: string) {
  return fileSchema.parse(JSON.parse(readFileSync(file, "utf8"))).resources;
}

/** The command in the folder of a project. */
function orgseat(stack: TestStack, ...args: string[]): Promise<{ code: number; output: string }> {
  const env = environmentOf(stack);
  const command = [join(packageRoot, "sdk/bin/orgseat.js"), ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, command, { cwd: stack.folder, env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
    );
  });
}

const program: Declared[] = [
  { type: "ServiceAccount", name: "bot", args: { name: "bot" } },
  {
    type: "OrgMember",
    name: "ada",
    args: { email: "ada@acme.example", seat: true, token: {}, credentials: "$bot" },
  },
  { type: "OrgUser", name: "bo", args: { email: "bo@acme.example" } },
  { type: "SeatAssignment", name: "bo", args: { userId: "$bo.id" } },
  { type: "UserToken", name: "bo", args: { userId: "$bo.id" } },
];
const importFlags = ["--generate-code=false", "--protect=false", "--yes", "--skip-preview"];
const ROSTER_ID = "0a3f9a52-5c8e-4d0e-9f0b-5d6a3a1f7c11";

function environmentOf(stack: TestStack): Record<string, string> {
  return { ...stack.variables(), ORGSEAT_PULUMI_PATH: pulumiCommand };
}

async function succeeds(command: Promise<{ code: number; output: string }>): Promise<string> {
  const { code, output } = await command;
  expect(code, output).toBe(0);
  return output;
}

function exported(stack: TestStack): Promise<string> {
  return succeeds(stack.pulumi("stack", "export", "--show-secrets"));
}

async function sourceStack(): Promise<TestStack> {
  const stack = await testStack(await sandbox());
  stack.declare(program, { token: "$bo.value" });
  expect(await stack.up()).toMatchObject({ code: 0 });
  await stack.sandbox.requests();
  return stack;
}

describe("import-file", () => {
  test("writes every resource of a stack with its secrets, for its owner alone, and sends nothing", async () => {
    const stack = await sourceStack();
    const token = await stack.stackOutput("token");

    const wrote = await orgseat(stack, "import-file", "--from-stack", "test", "--out", "import.json");

    expect(wrote, wrote.output).toMatchObject({ code: 0 });
    expect(wrote.output).toContain(
      "Wrote 7 resources to import.json (mode 0600). It contains secrets in plain",
    );
    expect(wrote.output).not.toContain(token);
    const file = join(stack.folder, "import.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain(JSON.stringify(JSON.stringify(token)));
    const entries = entriesIn(file);
    expect(entries.map(({ name }) => name).toSorted()).toEqual(
      ["ada", "ada-seat", "ada-token", "ada-user", "bo", "bo (2)", "bo (3)", "bot"].toSorted(),
    );
    for (const { type, component, inputs, outputs, parent } of entries) {
      if (component) expect({ type, parent }).toEqual({ type: "orgseat:index:OrgMember", parent: undefined });
      else
        expect([inputs?.__provider, outputs?.__provider]).toEqual([expect.any(String), expect.any(String)]);
    }
    expect(await stack.sandbox.requests()).toEqual([]);
    const again = await orgseat(stack, "import-file", "--from-stack", "test", "--out", "import.json");
    expect(again).toMatchObject({ code: 1, output: expect.stringContaining("the file exists") });
    const none = await orgseat(stack, "import-file", "--from-stack", "nope", "--out", "other.json");
    expect(none).toMatchObject({ code: 1, output: expect.stringContaining("cannot find stack nope") });
  });

  test("writes the plugin's types without the provider's text, and dynamic ones again from such a state", async () => {
    const stack = await sourceStack();
    const options = { folder: stack.folder, fromStack: "test", environment: environmentOf(stack) };
    const { file } = await importFile({ ...options, plugin: true });
    const plugin = fileSchema.parse(file).resources.filter(({ component }) => component !== true);
    expect(new Set(plugin.map(({ type }) => type))).toEqual(
      new Set(
        ["ServiceAccount", "OrgUser", "SeatAssignment", "UserToken"].map((type) => `orgseat:index:${type}`),
      ),
    );
    expect(JSON.stringify(file)).not.toContain("__provider");
    const text = (await exported(stack)).replaceAll("pulumi-nodejs:orgseat:", "orgseat:index:");
    const state = JSON.parse(text, (key, value: unknown) => (key === "__provider" ? undefined : value));
    const back = importFileOf(importedFrom("test", readState("test", state)), "dynamic");
    expect(back).toEqual((await importFile(options)).file);
  });

  test("writes the members whom the service lists, as the program of the roster has them", async () => {
    const acme = await testOrganization({}, undefined, "anaconda");
    const { subscriptionExpiresAt: end } = acme.sandbox.service.seed;
    await acme.behindOurBack(async (api, operation) => {
      for (const name of ["ada", "grace", "edsger"]) {
        const { id } = await api.createUser({ email: `${name}@acme.example` }, operation);
        if (name !== "edsger") await api.assignSeat(id, operation);
        if (name === "ada") await api.issueToken(id, end, operation);
      }
      await api.createUser({ first_name: "CI builds" }, operation);
    });
    acme.write(
      [
        { email: "ada@acme.example", protected: "yes" },
        { email: "grace@acme.example", token: "no" },
        { email: "edsger@acme.example", token: "no" },
        { email: "nobody@acme.example" },
        { key: "ci", purpose: "CI builds", token: "no" },
      ],
      { subscription: end.slice(0, 10), roster: ROSTER_ID },
    );
    await acme.sandbox.requests();

    const { code, stdout, stderr } = await acme.orgseat(
      "import-file",
      "--out",
      join(acme.folder, "people.json"),
    );

    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toContain("Wrote 6 resources to ");
    expect(stdout).not.toContain("plain text");
    expect(stdout).toContain("Not in the file: nobody@acme.example: not a member");
    expect(stdout).toMatch(/Not in the file: CI builds: may be user \S+: write its id into `user_id`/);
    expect(stdout).toContain("Not in the file: edsger@acme.example: SeatAssignment: the service has none");
    const sent = await acme.sandbox.requests();
    expect(new Set(sent.filter(({ call }) => call !== "token").map(({ method }) => method))).toEqual(
      new Set(["GET"]),
    );
    expect(existsSync(join(acme.folder, ".orgseat", "pulumi", "Pulumi.people.yaml"))).toBe(false);
    expect((await acme.pulumi("stack", "init", "people")).code).toBe(0);
    const imported = await acme.pulumi(
      "import",
      "--file",
      join(acme.folder, "people.json"),
      "--stack",
      "people",
      ...importFlags,
    );
    expect(imported.code, imported.stdout + imported.stderr).toBe(0);
    expect(await acme.sandbox.requests()).toEqual([]);
    const { people } = await acme.json(previewSchema, "preview");
    expect(people.map(({ key, actions }) => [key, ...actions]).toSorted()).toEqual([
      ["ada@acme.example", "protect"],
      ["ci", "join", "assignSeat"],
      ["edsger@acme.example", "assignSeat"],
      ["nobody@acme.example", "join", "assignSeat", "issueToken"],
    ]);
  });
});

describe("import-file with `pulumi import`", () => {
  test("moves members into another stack without a request, and they are removed in order", async () => {
    const stack = await sourceStack();
    const token = await stack.stackOutput("token");
    await orgseat(stack, "import-file", "--from-stack", "test", "--out", "import.json");
    await succeeds(stack.pulumi("stack", "init", "other"));
    stack.environment.PULUMI_STACK = "other";

    await succeeds(stack.pulumi("import", "--file", "import.json", ...importFlags));
    await succeeds(stack.preview("--expect-no-changes"));
    await succeeds(stack.up());
    await succeeds(stack.preview("--expect-no-changes"));

    expect(await stack.sandbox.requests()).toEqual([]);
    expect((await stack.outputs()).token).toBe(token);
    const others = readFileSync(stack.stateFile.replace("test.json", "other.json"), "utf8");
    expect(others + stack.printed.join()).not.toContain(token);
    await succeeds(stack.destroy());
    const requests = (await stack.sandbox.requests()).filter(({ userId }) => userId !== null);
    const byPerson = Map.groupBy(requests, ({ userId }) => userId);
    expect([...byPerson.values()].map((mine) => mine.map(({ call }) => call))).toEqual([
      [9, 10, 11],
      [9, 10, 11],
    ]);
  });

  test("moves members to the packaged plugin and back without a request", async () => {
    const stack = await sourceStack();
    const token = await stack.stackOutput("token");
    stack.programs = "process";
    const { PATH = "", NODE_OPTIONS = "" } = stack.variables();
    const plugin = {
      PATH: [join(packageRoot, "plugin"), PATH].join(delimiter),
      NODE_OPTIONS: `${NODE_OPTIONS} --require ${join(packageRoot, "test/setup/plugin-types.cjs")}`,
    };
    for (const [from, to, flags, variables] of [
      ["test", "plugin", ["--plugin"], plugin],
      ["plugin", "back", [], { PATH, NODE_OPTIONS }],
    ] as const) {
      const out = `${to}.json`;
      await succeeds(orgseat(stack, "import-file", "--from-stack", from, "--out", out, ...flags));
      await succeeds(stack.pulumi("stack", "init", to));
      Object.assign(stack.environment, variables, { PULUMI_STACK: to });
      await succeeds(stack.pulumi("import", "--file", out, ...importFlags));
      await succeeds(stack.preview("--expect-no-changes"));
      await succeeds(stack.up());
      expect((await stack.outputs()).token).toBe(token);
    }
    expect(await stack.sandbox.requests()).toEqual([]);
    await succeeds(stack.destroy());
    expect((await stack.sandbox.service.management.snapshot()).users).toEqual([]);
  });
});
