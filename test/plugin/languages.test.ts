// @module-tag ci
/** What programs in other languages can do besides the examples: lookups, Providers of their own, generated SDKs. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { initialize, ProjectStack, projectEnvironment } from "../setup/project.ts";
import { type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { hasVendorsNodeHost, missingTools } from "../setup/tools.ts";

const PACKAGES = { orgseat: "./node_modules/orgseat/plugin" };
const { clientId, clientSecret, name: accountName } = sandboxServiceAccount;

/** YAML is a superset of JSON. */
async function project(organization: Sandbox, program: object): Promise<ProjectStack> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "Pulumi.yaml"), JSON.stringify({ name: "languages", ...program }));
  const { username, password } = organization.service.seed;
  const environment = projectEnvironment(organization, folder, {
    ORGSEAT_USERNAME: username,
    ORGSEAT_PASSWORD: password,
    ORGSEAT_CLIENT_ID: clientId,
    ORGSEAT_CLIENT_SECRET: clientSecret,
  });
  const stack = new ProjectStack(organization, folder, environment);
  await initialize(stack);
  return stack;
}

async function emailsOf({ service }: Sandbox): Promise<(string | null)[]> {
  return (await service.management.snapshot()).users.map(({ email }) => email);
}

describe("programs in other languages", () => {
  const missing = missingTools("pulumi-language-yaml");
  const name = "YAML: a lookup, and two organizations, one by the arguments of a Provider";
  const title = missing.length === 0 ? name : `${name} (skipped: ${missing.join(", ")} is missing)`;
  test.skipIf(missing.length > 0)(title, async () => {
    const serviceAccount = sandboxServiceAccount;
    const mine = await sandbox({ seats: 1, serviceAccount });
    const other = await sandbox({ seats: 1, serviceAccount, organizationId: crypto.randomUUID() });
    const { organizationId, subscriptionExpiresAt } = other.service.seed;
    const { orgUrl, tokenUrl, platform } = other.service;
    const member = (email: string, options: object = {}) => ({
      type: "orgseat:OrgMember",
      properties: { email, seat: true, token: {} },
      options,
    });
    const stack = await project(mine, {
      runtime: "yaml",
      packages: PACKAGES,
      variables: {
        accounts: { "fn::invoke": { function: "orgseat:getServiceAccounts", return: "serviceAccounts" } },
      },
      resources: {
        other: {
          type: "pulumi:providers:orgseat",
          properties: {
            ...{ organizationId, orgUrl, tokenUrl, platform, subscriptionExpiresAt },
            ...{ clientId, clientSecret: { "fn::secret": clientSecret } },
          },
        },
        ada: member("ada@acme.example"),
        grace: member("grace@acme.example", { provider: "$" + "{other}" }),
      },
      outputs: {
        account: "$" + "{accounts[0].name}",
        ada: "$" + "{ada.tokenValue}",
        grace: "$" + "{grace.tokenValue}",
      },
    });
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect([await emailsOf(mine), await emailsOf(other)]).toEqual([
      ["ada@acme.example"],
      ["grace@acme.example"],
    ]);
    const { account, ada, grace } = await stack.outputs();
    expect(account).toBe(accountName);
    expect(await mine.service.management.probe(String(ada))).toMatchObject({ live: true });
    expect(await other.service.management.probe(String(grace))).toMatchObject({ live: true });
    expect(await stack.preview("--expect-no-changes")).toMatchObject({ code: 0 });
    expect(await stack.destroy()).toMatchObject({ code: 0 });
    expect([await emailsOf(mine), await emailsOf(other)]).toEqual([[], []]);
  });

  test.skipIf(!hasVendorsNodeHost())("Node.js: the generated SDK is what the program needs", async () => {
    const stack = await project(await sandbox(), { runtime: "nodejs" });
    const generated = await stack.pulumi("package", "gen-sdk", PACKAGES.orgseat, "--language", "nodejs");
    expect(generated, generated.output).toMatchObject({ code: 0 });
    writeFileSync(join(stack.folder, "index.ts"), NODE_PROGRAM);
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, types: ["node"] },
      ...{ target: "ES2022", module: "node16", paths: { "@orgseat/plugin": ["./sdk/nodejs"] } },
    };
    const config = { compilerOptions, files: ["index.ts"] };
    writeFileSync(join(stack.folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(packageRoot, "node_modules", ".bin", "tsc");
    expect(execFileSync(tsc, ["-p", stack.folder], { encoding: "utf8" })).toBe("");
  });
});

const NODE_PROGRAM = `
import * as pulumi from "@pulumi/pulumi";
import * as orgseat from "@orgseat/plugin";
const bot = new orgseat.ServiceAccount("bot", { name: "bot" });
const credentials = { clientId: bot.clientId, clientSecret: bot.clientSecret };
const ada = new orgseat.OrgMember("ada", { email: "ada@acme.example", seat: true, token: {}, credentials });
export const token: pulumi.Output<string | undefined> = ada.tokenValue;
export const isKept = ada.tokenState.apply((made) => made?.value === "kept");
export const names = orgseat.getServiceAccountsOutput().serviceAccounts.apply((all) => all.map(({ name }) => name));
// @ts-expect-error: an OrgMember has no such argument.
new orgseat.OrgMember("grace", { email: "grace@acme.example", desk: true });
`;
