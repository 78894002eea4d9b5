// @module-tag ci
/** `pulumi import` through the packaged plugin: it passes the id alone, and the next preview has no changes. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { createClient, platforms } from "../../provider/api/index.ts";
import { resourceTypes } from "../../provider/resources/resource-types.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { codeBlocks } from "../docs/pages.ts";
import { hangMs } from "../setup/limits.ts";
import { modelArea } from "../setup/model-area.ts";
import { initialize, ProjectStack, projectEnvironment } from "../setup/project.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { type Declared, type Outcome, type TestStack, testStack } from "../setup/stack.ts";
import { stateResources } from "../setup/state-file.ts";
import { missingTools } from "../setup/tools.ts";

const TYPES = "orgseat:index:";

/** A stack whose program registers the plugin's types. */
async function pluginStack(organization: Sandbox, program: Declared[]): Promise<TestStack> {
  const stack = await testStack(organization);
  const { PATH = "", NODE_OPTIONS = "" } = stack.variables();
  stack.environment.PATH = [join(packageRoot, "plugin"), PATH].join(delimiter);
  stack.environment.NODE_OPTIONS = `${NODE_OPTIONS} --require ${join(packageRoot, "test/setup/plugin-types.cjs")}`;
  stack.programs = "process";
  stack.declare(program);
  return stack;
}

async function succeeds(command: Promise<Outcome>): Promise<string> {
  const { code, output } = await command;
  expect(code, output).toBe(0);
  return output;
}

const flags = ["--generate-code=false", "--protect=false", "--yes"];

/** 20 people beside the administrator, two service accounts, a server, and a table of the same name. */
async function wholeOrganization(): Promise<Sandbox> {
  const serviceAccount = sandboxServiceAccount;
  const organization = await sandbox({ seats: 30, serviceAccount }, temporaryFolder(), "anaconda");
  await makeServiceAccount(organization);
  const { organizationId, service } = organization;
  const client = createClient({ ...service, platform: platforms.anaconda });
  onTestFinished(() => client.close());
  const api = client.organization(organizationId, { serviceAccount });
  const operation = { deadline: performance.now() + hangMs };
  const soon = `${new Date(Date.now() + 100 * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`;
  const { subscriptionExpiresAt: end } = service.seed;
  for (let index = 0; index < 20; index++) {
    const email = `person${index}@acme.example`;
    const { id } = await api.createUser({ email, first_name: "Person", last_name: `${index}` }, operation);
    if (index < 16) await api.assignSeat(id, operation);
    if (index < 12) await api.issueToken(id, index % 3 === 0 ? soon : end, operation);
    if (index === 11) await api.issueToken(id, end, operation);
  }
  const area = await modelArea(organization);
  await area.addServer("docs");
  const models = client.models({ apiKey: service.seed.apiKey });
  const schema = { columns: [{ name: "id", type: "integer" }] };
  await models.createTable({ name: "docs", schema }, operation);
  return organization;
}

/** Settings for all of it. */
function credentialsOf({ service: { seed, modelUrl } }: Sandbox): Record<string, string> {
  const { clientId, clientSecret } = sandboxServiceAccount;
  return {
    ...{ ORGSEAT_CLIENT_ID: clientId, ORGSEAT_CLIENT_SECRET: clientSecret },
    ...{ ORGSEAT_USERNAME: seed.username, ORGSEAT_PASSWORD: seed.password },
    ...{ ORGSEAT_MODEL_URL: modelUrl, ORGSEAT_API_KEY: seed.apiKey },
  };
}

/** The commands of the page. */
function commandOfPage(): string {
  const [block] = codeBlocks("docs/adopt.md").filter(({ text }) =>
    text.includes("pulumi import --yes --file"),
  );
  return block?.text ?? "";
}

async function expectNoWrites(organization: Sandbox): Promise<void> {
  const sent = (await organization.requests()).filter(({ call }) => call !== "token");
  expect(sent.length).toBeGreaterThan(20);
  expect(sent.filter(({ method }) => method !== "GET")).toEqual([]);
}

describe("pulumi import of a whole organization", () => {
  const missing = missingTools("pulumi-language-yaml", "jq");
  const name = "YAML: the commands of the page write a program without changes, and nothing to the service";
  const title = missing.length === 0 ? name : `${name} (skipped: ${missing.join(", ")} is missing)`;
  test.skipIf(missing.length > 0)(title, async () => {
    const organization = await wholeOrganization();
    const folder = temporaryFolder();
    const project = {
      name: "whole",
      runtime: "yaml",
      packages: { orgseat: "./node_modules/orgseat/plugin" },
    };
    const write = (program: object) =>
      writeFileSync(join(folder, "Pulumi.yaml"), JSON.stringify({ ...project, ...program }));
    write({});
    const environment = projectEnvironment(organization, folder, credentialsOf(organization));
    const stack = new ProjectStack(organization, folder, environment);
    await initialize(stack);
    await organization.requests();
    writeFileSync(join(folder, "import.sh"), commandOfPage());
    await promisify(execFile)("sh", ["-e", "import.sh"], { cwd: folder, env: stack.variables() });

    const generated = readFileSync(join(folder, "imported.yaml"), "utf8");
    for (const setting of ["organizationId", "subscriptionExpiresAt", "credentials"])
      expect(generated).not.toContain(setting);
    const program = z.object({ resources: z.record(z.string(), z.unknown()) }).parse(parse(generated));
    expect(Object.keys(program.resources)).toHaveLength(25);
    write(program);
    const preview = await stack.preview("--expect-no-changes");
    expect(preview, preview.output).toMatchObject({ code: 0 });
    expect(preview.output).toContain("26 unchanged");
    await expectNoWrites(organization);
  });

  test("a program of Node: the inputs that the import found are no change, and neither is a program that imports by them", async () => {
    const organization = await wholeOrganization();
    const { management } = organization.service;
    const { users, serviceAccounts, servers } = await management.snapshot();
    const ids: readonly (readonly [Declared["type"], readonly (readonly [name: string, id: string])[]])[] = [
      ["OrgMember", users.map(({ email, userId }) => [email ?? userId, userId])],
      ["ServiceAccount", serviceAccounts.map(({ name, clientId }) => [name, clientId])],
      ["ModelServer", servers.map(({ tag, serverId }) => [tag, serverId])],
      ["VectorTable", [["docs", "docs"]]],
    ];
    const stack = await pluginStack(organization, []);
    Object.assign(stack.environment, credentialsOf(organization));
    const resources = ids.flatMap(([type, all]) =>
      all.map(([name, id]) => ({ type: TYPES + type, name, id })),
    );
    writeFileSync(join(stack.folder, "ids.json"), JSON.stringify({ resources }));
    await organization.requests();
    await succeeds(stack.pulumi("import", "--file", "ids.json", ...flags));
    const found = stateResources(stack.stateFile).filter(({ type }) => type.startsWith(TYPES));
    expect(found).toHaveLength(resources.length);
    const program = resources.map(({ id, name, type }) => {
      const { inputs: args = {} } = found.find((one) => one.id === id) ?? {};
      return {
        type: z.enum(resourceTypes).parse(type.slice(TYPES.length)),
        name,
        args,
        options: { import: id },
      };
    });
    for (const { args } of program)
      for (const setting of ["organizationId", "subscriptionExpiresAt", "credentials"])
        expect(Object.keys(args)).not.toContain(setting);
    stack.declare(program.map(({ options: _, ...one }) => one));
    await succeeds(stack.preview("--expect-no-changes"));

    const other = await pluginStack(organization, program);
    Object.assign(other.environment, credentialsOf(organization));
    expect(await succeeds(other.up())).toContain(`${program.length} imported`);
    await succeeds(other.preview("--expect-no-changes"));
    await expectNoWrites(organization);
  });
});
