/** The lookups as functions of the packaged plugin. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import * as sdk from "../../sdk/index.ts";
import { failure, ORGANIZATION, scripted } from "../resources/scripted.ts";
import { configurationOf } from "../setup/direct.ts";
import { directProviders } from "../setup/direct-providers.ts";
import { modelArea } from "../setup/model-area.ts";
import { pluginClient, secret } from "../setup/plugin-client.ts";
import { usePlugin } from "../setup/plugin-stack.ts";
import { makeServiceAccount, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { testStack } from "../setup/stack.ts";
import { packageSchema } from "./package-schema.ts";

const schema = packageSchema.parse(
  JSON.parse(readFileSync(join(packageRoot, "provider/plugin/schema.json"), "utf8")),
);
const KEY = "7d0f4a1e-5b2c-4f63-9a08-1c2d3e4f5a6b";
const server = { id: "s1", tag: "chat", status: "running" };

afterEach(() => vi.unstubAllEnvs());

async function plugin(...args: Parameters<typeof scripted>) {
  const run = await scripted(...args);
  return { ...run, ...(await pluginClient(run.process)) };
}

test("each lookup: returns what the program's does, in the properties of the schema", async () => {
  const organization = await sandbox({ seats: 2 }, temporaryFolder(), "anaconda");
  const { models } = organization.service.management;
  await models.vectorTables();
  const configuration = configurationOf(organization, await makeServiceAccount(organization));
  const area = await modelArea(organization);
  await area.addServer("chat", { status: "running", apiParams: { threads: 2 } });
  await area.addServer("search");
  for (const [name, value] of Object.entries(configuration)) vi.stubEnv(name, value);
  const { process } = directProviders(configuration, Date.now, []);
  const { invoke } = await pluginClient(process);
  const { modelId } = area;
  const expected: Readonly<Record<string, readonly [args: object, result: object]>> = {
    getServiceAccounts: [{}, { serviceAccounts: await sdk.getServiceAccounts() }],
    getUsers: [{}, { users: await sdk.getUsers() }],
    getModelServers: [
      { status: "running" },
      { modelServers: await sdk.getModelServers({ status: "running" }) },
    ],
    getModels: [{ downloaded: true }, { models: await sdk.getModels({ downloaded: true }) }],
    getModel: [{ modelId }, await sdk.getModel(modelId)],
    getModelFiles: [{ modelId }, { modelFiles: await sdk.getModelFiles(modelId) }],
    getVectorTables: [{}, { vectorTables: await sdk.getVectorTables() }],
  };
  expect(Object.keys(expected).map((name) => `orgseat:index:${name}`)).toEqual(Object.keys(schema.functions));
  for (const [name, [args, result]] of Object.entries(expected)) {
    const found = await invoke(name, { ...args });
    expect(found, name).toEqual(result);
    const { properties, required = [] } = schema.functions[`orgseat:index:${name}`]?.outputs ?? {};
    expect(Object.keys(properties ?? {})).toEqual(expect.arrayContaining(Object.keys(found)));
    expect(Object.keys(found)).toEqual(expect.arrayContaining([...required]));
  }
  await process.close();
});

describe("a lookup of the plugin", () => {
  test("marks results as secret only where they can repeat a secret argument", async () => {
    const run = await plugin(() => ({ body: { data: [server] } }));
    const credentials = { apiKey: secret(KEY) };
    const found = { modelServers: [expect.objectContaining({ id: "s1", tag: "chat" })] };
    expect(await run.invoke("getModelServers", { tag: "chat", credentials })).toEqual(found);
    expect(await run.invoke("getModelServers", { tag: secret("chat") })).toEqual({
      modelServers: secret(found.modelServers),
    });
  });

  test("reads the configuration of its Provider", async () => {
    const run = await plugin(() => ({ body: [] }));
    await run.configure({ organizationId: "another" }, "eu");
    await run.invoke("getServiceAccounts", {});
    expect(run.service.calls[0]?.url).toContain("/organizations/another/");
  });

  test("warns where the list can be incomplete", async () => {
    const account = { client_id: "c1", name: "bot", org_id: ORGANIZATION };
    const run = await plugin(() => ({ body: account }));
    const found = { name: "bot", clientId: "c1", organizationId: ORGANIZATION };
    expect(await run.invoke("getServiceAccounts", {})).toEqual({ serviceAccounts: [found] });
    const text =
      "getServiceAccounts: the service did not return a whole list that orgseat can read; there may be others.";
    expect(run.messages).toEqual([{ severity: "warning", text }]);
  });
});

describe("a lookup that fails", () => {
  test.each([
    [
      "getModelServers",
      { prot: 80 },
      "getModelServers: prot: unknown key; did you mean port? Nothing was sent. [invalid-input]",
    ],
    ["getModel", {}, "getModel: modelId: missing (expected a string). Nothing was sent. [invalid-input]"],
    ["getDesks", {}, "the plugin has no function orgseat:index:getDesks [version-mismatch]"],
    ["toString", {}, "the plugin has no function orgseat:index:toString [version-mismatch]"],
  ])("says why before it sends anything: %s of %j", async (name, args, text) => {
    const run = await plugin(() => ({ body: [] }));
    expect((await failure(run.invoke(name, args))).message).toBe(text);
    expect(run.service.calls).toEqual([]);
  });

  test("says why in one sentence at the service, and hides the key", async () => {
    const run = await plugin(
      () => ({ status: 404, body: { error: { code: "INVALID_REQUEST", message: "no such model" } } }),
      { ORGSEAT_PLATFORM: "anaconda" },
    );
    const credentials = { apiKey: secret(KEY) };
    const { message } = await failure(run.invoke("getModel", { modelId: "nobody", credentials }));
    expect(message).toMatch(/^getModel: cannot get model: [^\n]*No model has the id nobody\.[^\n]*$/);
    expect(message).not.toContain(KEY);
  });
});

describe("a lookup of a program", { tags: "ci" }, () => {
  test("runs in previews and updates; a failed one names the reason", async () => {
    const organization = await sandbox();
    const stack = await testStack(organization);
    stack.programs = "process";
    usePlugin(stack);
    const look = (args: object) =>
      writeFileSync(
        join(stack.folder, "index.mjs"),
        `import * as pulumi from "@pulumi/pulumi";
        const found = await pulumi.runtime.invoke("orgseat:index:getServiceAccounts", ${JSON.stringify(args)});
        export const names = found.serviceAccounts.map(({ name }) => name);`,
      );
    look({});
    await organization.requests();
    const preview = await stack.preview();
    expect(preview, preview.output).toMatchObject({ code: 0 });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(await stack.outputs()).toEqual({ names: ["tests"] });
    expect((await organization.calls()).filter((call) => call !== "token")).toEqual([2, 2]);
    look({ organisationId: "acme" });
    const failed = await stack.preview();
    expect(failed.code).not.toBe(0);
    expect(failed.output).toContain(
      "getServiceAccounts: organisationId: unknown key; did you mean organizationId? Nothing was sent.",
    );
  });
});
