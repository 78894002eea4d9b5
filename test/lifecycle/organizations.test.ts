// @module-tag ci
/** Several organizations in one process, by inline programs of Pulumi's Automation API. */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { environmentName, type Key, secretKeys, settingKeys } from "../../provider/config/setting-values.ts";
import { withCli } from "../../sandbox/pulumi/cli.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { isolatedEnvironment } from "../../sandbox/start/isolated-environment.ts";
import { runIn } from "../package/install.ts";
import { configurationOf } from "../setup/direct.ts";
import { pulumiCommand, pulumiReady } from "../setup/project.ts";
import { compileCache } from "../setup/quick-node.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { resultSchema, type ScriptInput } from "./organizations-script.ts";

type Scripted = ScriptInput["organizations"][number];

/** A service of its own with what is configured for it, as variables. */
async function organization(name: string) {
  const own = name === "acme" ? {} : { organizationId: randomUUID() };
  const service = await sandbox({ seats: 2, ...own }, temporaryFolder(), "anaconda");
  const variables = configurationOf(service, await makeServiceAccount(service));
  const settingOf = (key: Key) => variables[environmentName(key)] ?? "";
  await service.requests();
  return { name, service, variables, settingOf };
}
type Organization = Awaited<ReturnType<typeof organization>>;

/** All settings in the configuration of the stack. */
function byConfiguration({ name, settingOf }: Organization): Scripted {
  const isSecret = (key: Key) => secretKeys.some((secret) => secret === key);
  const values = settingKeys.filter((key) => settingOf(key) !== "");
  const configuration = Object.fromEntries(
    values.map((key) => [`orgseat:${key}`, { value: settingOf(key), secret: isSecret(key) }]),
  );
  return { name, configuration, envVars: {}, options: { admin: {}, account: {} } };
}

/** The settings of resources in the variables of the workspace, and those of lookups in their options. */
function byOptions({ name, variables, settingOf }: Organization): Scripted {
  const optionsOf = (...credentials: Key[]) => ({
    ...Object.fromEntries(
      (["organizationId", "orgUrl", "tokenUrl", "platform"] as const).map((key) => [key, settingOf(key)]),
    ),
    credentials: Object.fromEntries(credentials.map((key) => [key, settingOf(key)])),
  });
  const options = {
    admin: optionsOf("username", "password"),
    account: optionsOf("clientId", "clientSecret"),
  };
  return { name, configuration: {}, envVars: variables, options };
}

/** Runs the script. @param environment of its process */
async function runScript(organizations: readonly Scripted[], environment: Record<string, string> = {}) {
  await pulumiReady();
  const workDir = temporaryFolder();
  mkdirSync(join(workDir, "state"));
  symlinkSync(join(packageRoot, "node_modules"), join(workDir, "node_modules"));
  const variables = isolatedEnvironment(process.env, {
    ...{ folder: workDir, passphrase: "for tests", compileCache },
    configuration: environment,
  });
  const input: ScriptInput = { workDir, organizations: [...organizations] };
  const script = fileURLToPath(new URL("organizations-script.ts", import.meta.url));
  const { stdout, output } = await runIn(
    workDir,
    process.execPath,
    [script, JSON.stringify(input)],
    withCli(variables, { command: pulumiCommand }),
  );
  expect(stdout, output).toMatch(/^\[.*\]\n$/);
  const stored = (name: string) => [`Pulumi.${name}.yaml`, `state/.pulumi/stacks/organizations/${name}.json`];
  const files = Object.fromEntries(
    organizations.map(({ name }) => [
      name,
      stored(name)
        .map((file) => readFileSync(join(workDir, file), "utf8"))
        .join(""),
    ]),
  );
  return { results: z.array(resultSchema).parse(JSON.parse(stdout)), files };
}

async function emailsIn({ service }: Sandbox): Promise<(string | null | undefined)[]> {
  return (await service.management.snapshot()).users.map(({ email }) => email);
}

describe("two organizations in one process, at the same time", () => {
  test.each([
    ["the configuration of their stacks", byConfiguration],
    ["the options of lookups and the workspace's envVars", byOptions],
  ])("keep each call of resources and lookups to their own by %s", async (_, scripted) => {
    const both = await Promise.all([organization("acme"), organization("globex")]);
    const { results, files } = await runScript(both.map(scripted));
    for (const [index, { name, service, settingOf }] of both.entries()) {
      const email = `ada@${name}.example`;
      expect(await emailsIn(service)).toEqual([email]);
      const [ada] = (await service.service.management.snapshot()).users;
      expect(results[index]).toEqual({
        name,
        outputs: {
          organizations: [settingOf("organizationId")],
          emails: expect.arrayContaining([email]),
          userId: ada?.userId,
        },
      });
      const calls = (await service.calls()).filter((call) => call !== "token");
      // In each of three runs, both lookups; the resource lists the users, and adds one.
      expect(calls.filter((call) => call === 2)).toHaveLength(3);
      expect(calls.filter((call) => call === 5)).toHaveLength(1);
      for (const key of ["clientSecret", "password"] as const)
        expect(files[name]).not.toContain(settingOf(key));
    }
  });

  test("fail if the environment of the process has another organization than the configuration", async () => {
    const [acme, globex] = [await organization("acme"), await organization("globex")];
    const { results } = await runScript([byConfiguration(globex)], acme.variables);
    expect(results[0]?.error).toContain(
      "getServiceAccounts: the stack's configuration has orgseat:organizationId, orgseat:orgUrl, orgseat:tokenUrl, ",
    );
    expect(results[0]?.error).toContain(", but the environment of this process sets ORGSEAT_ORG_URL, ");
    for (const { service } of [acme, globex]) expect(await service.calls()).toEqual([]);
  });
});
