// @module-tag ci
/** The examples with every resource and every lookup: the same organization from each language. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { sandboxServiceAccount } from "../../../sandbox/service/index.ts";
import type { ProjectStack } from "../../setup/project.ts";
import { type Sandbox, sandbox, temporaryFolder } from "../../setup/sandbox.ts";
import { hasTool, missingTools } from "../../setup/tools.ts";
import { exampleStack, filesThatHold } from "../example.ts";
import { pythonProgram, yamlProgram } from "./program.ts";

const schema = z
  .object({ resources: z.record(z.string(), z.unknown()), functions: z.record(z.string(), z.unknown()) })
  .parse(JSON.parse(readFileSync(join(packageRoot, "provider/plugin/schema.json"), "utf8")));
const outputsSchema = z.object({
  ...{ users: z.array(z.object({ email: z.string() })), models: z.array(z.unknown()) },
  ...{ serviceAccounts: z.array(z.unknown()), servers: z.array(z.object({ tag: z.string() })) },
  ...{
    model: z.object({ id: z.string() }),
    modelFiles: z.array(z.unknown()),
    vectorTables: z.array(z.unknown()),
  },
  ...{
    clientId: z.guid(),
    adaToken: z.string(),
    graceId: z.string(),
    graceToken: z.string(),
    rows: z.number(),
  },
  ...{ statuses: z.record(z.string(), z.string()), serverStatus: z.string() },
});

function organization(): Promise<Sandbox> {
  return sandbox(
    { dataSet: "lanternfield", serviceAccount: sandboxServiceAccount },
    temporaryFolder(),
    "anaconda",
  );
}

/** A stack of the example, with all credentials of the sandbox. */
async function stackOf(service: Sandbox, name: string): Promise<ProjectStack> {
  const { modelUrl, seed } = service.service;
  const { username, password, apiKey } = seed;
  return exampleStack(service, name, {
    ...{ ORGSEAT_USERNAME: username, ORGSEAT_PASSWORD: password },
    ...{
      ORGSEAT_CLIENT_ID: sandboxServiceAccount.clientId,
      ORGSEAT_CLIENT_SECRET: sandboxServiceAccount.clientSecret,
    },
    ...{ ORGSEAT_MODEL_URL: modelUrl, ORGSEAT_API_KEY: apiKey },
  });
}

/** Applies the example and destroys it. */
async function live(stack: ProjectStack): Promise<void> {
  const { management } = stack.sandbox.service;
  const before = await management.snapshot();
  const up = await stack.up();
  expect(up, up.output).toMatchObject({ code: 0 });
  const found = outputsSchema.parse(await stack.outputs());
  expect(found.servers).toMatchObject([{ tag: "code" }]);
  expect(found).toMatchObject({ rows: 1, model: { id: "wick-chat-8b" } });
  expect(found.statuses).toEqual({ "margaret@acme.example": "inProcess" });
  const tokens = [found.adaToken, found.graceToken];
  for (const token of tokens) expect(await management.probe(token)).toMatchObject({ live: true });
  expect(filesThatHold(tokens, stack)).toEqual([]);
  const { users, serviceAccounts } = await management.snapshot();
  const known = new Set(before.users.map(({ userId }) => userId));
  const added = users.filter(({ userId }) => !known.has(userId));
  expect(added.map(({ email, seat }) => [email, seat]).toSorted()).toEqual(
    ["ada", "grace", "margaret"].map((name) => [`${name}@acme.example`, true]),
  );
  expect(serviceAccounts.map(({ name }) => name)).toContain("ci");
  expect((await management.models.vectorTables()).map(({ name }) => name)).toContain("handbook");

  const destroyed = await stack.destroy();
  expect(destroyed, destroyed.output).toMatchObject({ code: 0 });
  const after = await management.snapshot();
  expect(after.users.map(({ email }) => email).filter((email) => email?.endsWith("@acme.example"))).toEqual([
    ...before.users.map(({ email }) => email).filter((email) => email?.endsWith("@acme.example")),
    "margaret@acme.example",
  ]);
  expect(after.serviceAccounts).toHaveLength(before.serviceAccounts.length);
  expect((await management.models.vectorTables()).map(({ name }) => name)).not.toContain("handbook");
}

describe("the examples with every resource", () => {
  test("declare each resource and each lookup of the plugin's schema once", () => {
    const { resources, variables } = yamlProgram();
    const tokens = (names: readonly string[]) => names.map((name) => name.replace(":", ":index:")).toSorted();
    expect(tokens(Object.values(resources).map(({ type }) => type))).toEqual(
      Object.keys(schema.resources).toSorted(),
    );
    expect(tokens(Object.values(variables).map((one) => one.function))).toEqual(
      Object.keys(schema.functions).toSorted(),
    );
  });

  test.skipIf(!hasTool("python3"))("declare the same in Python and in YAML, as Python reads it", () => {
    expect(pythonProgram()).toEqual(yamlProgram());
  });
});

describe("the examples with every resource, by the host of their language", () => {
  for (const { name, host, tools } of [
    { name: "all-typescript", host: "pulumi-language-nodejs", tools: [] },
    { name: "all-yaml", host: "pulumi-language-yaml", tools: [] },
    { name: "all-python", host: "pulumi-language-python", tools: ["python3", "pip3"] },
  ]) {
    const missing = missingTools(host, ...tools);
    const title = missing.length === 0 ? name : `${name} (skipped: ${missing.join(", ")} is missing)`;
    test.skipIf(missing.length > 0)(title, async () => {
      const stack = await stackOf(await organization(), name);
      if (name === "all-python") expect(await stack.pulumi("install")).toMatchObject({ code: 0 });
      await live(stack);
    });
  }
});
