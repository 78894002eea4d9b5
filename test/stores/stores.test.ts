// @module-tag full
/** examples/stores with the providers' own packages: types, Pulumi's mocks, and a run whose store is a fake. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { loadDeliver } from "../../command/engine/runner/load-deliver.ts";
import type { Deliver } from "../../command/roster/program/deliver.ts";
import { rosterProgram } from "../../command/roster/program/program.ts";
import { readRoster } from "../../command/roster/read.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { deliveringOrganization, storeWrites } from "../automation/delivering.ts";
import { installedOnDemand } from "../setup/on-demand.ts";
import { temporaryFolder } from "../setup/sandbox.ts";

const TOKEN = "a-token-that-stands-nowhere-else";
const SECRET = "4dabf18193072939515e22adb298388d";

/** A copy of the example with the packages that a person would have there. */
async function installedExample(): Promise<string> {
  const installed = await installedOnDemand("stores");
  const folder = temporaryFolder();
  cpSync(join(packageRoot, "examples", "stores"), folder, { recursive: true });
  linkPackages(folder, installed);
  return folder;
}

/** Pulumi's library is linked too, so that the compiler has its types once. */
function linkPackages(folder: string, installed: string): void {
  const scope = join(folder, "node_modules", "@pulumi");
  mkdirSync(scope, { recursive: true });
  for (const name of ["aws", "github", "vault"]) {
    symlinkSync(join(installed, "@pulumi", name), join(scope, name));
  }
  symlinkSync(join(packageRoot, "node_modules", "@pulumi", "pulumi"), join(scope, "pulumi"));
  symlinkSync(packageRoot, join(folder, "node_modules", "orgseat"));
}

interface Registered {
  readonly name: string;
  readonly type: string;
  readonly inputs: Record<string, unknown>;
}

/** @returns the resources of a program, by Pulumi's mocks */
async function resourcesOf(program: () => Promise<unknown>): Promise<Registered[]> {
  const found: Registered[] = [];
  await pulumi.runtime.setMocks({
    call: () => ({}),
    newResource: ({ name, type, inputs }) => {
      found.push({ name, type, inputs });
      const value = pulumi.secret(TOKEN);
      const secrets = {
        ...(type.endsWith(":UserToken") && { value }),
        ...(type.endsWith(":OrgMember") && { tokenValue: value }),
      };
      return { id: `id-of-${name}`, state: { ...inputs, ...secrets } };
    },
  });
  await pulumi.runtime.runInPulumiStack(program);
  await pulumi.runtime.disconnect();
  return found;
}

function expectTokenOnlyIn(found: readonly Registered[], type: string, inputs: object): void {
  const holders = found.filter((one) => JSON.stringify(one.inputs).includes(TOKEN));
  expect(holders.map((one) => one.type)).toEqual(holders.map(() => type));
  expect(holders.find(({ name }) => name === "builds-token")?.inputs).toMatchObject(inputs);
}

const secretOf = (value: string): object => ({ [SECRET]: expect.any(String), value });

describe("the example stores:", () => {
  const modules: readonly [file: string, type: string, inputs: object, count: number][] = [
    [
      ...(["github.ts", "github:index/actionsSecret:ActionsSecret"] as const),
      ...([{ repository: "engines", secretName: "ORGSEAT_BUILDS", value: secretOf(TOKEN) }, 1] as const),
    ],
    [
      ...(["vault.ts", "vault:kv/secretV2:SecretV2"] as const),
      { mount: "secret", name: "orgseat/builds", dataJson: secretOf(JSON.stringify({ token: TOKEN })) },
      2,
    ],
    [
      ...(["aws.ts", "aws:secretsmanager/secretVersion:SecretVersion"] as const),
      ...([{ secretId: "id-of-builds-secret", secretString: secretOf(TOKEN) }, 2] as const),
    ],
  ];

  test.each(modules)(
    "%s puts the value into its resource as a secret, and nowhere else",
    async (...store) => {
      const [file, type, inputs, count] = store;
      const folder = await installedExample();
      const roster = await readRoster(join(folder, "people.csv"));
      let deliver: Deliver | undefined;
      const found = await resourcesOf(async () => {
        deliver = loadDeliver(join(folder, file));
        await rosterProgram({ ...roster, deliver: undefined }, { deliver })();
      });
      expect(found.filter((one) => one.type === type)).toHaveLength(count);
      expectTokenOnlyIn(found, type, inputs);
    },
  );

  test("index.ts delivers from a program of its own", async () => {
    const folder = await installedExample();
    const found = await resourcesOf(async () => {
      createRequire(import.meta.url)(join(folder, "index.ts"));
    });
    expectTokenOnlyIn(found, "vault:kv/secretV2:SecretV2", { name: "orgseat/builds" });
  });

  test("type-checks with the providers' own types", async () => {
    const folder = await installedExample();
    const tsc = join(packageRoot, "node_modules", ".bin", "tsc");
    await promisify(execFile)(tsc, ["-p", folder, "--preserveSymlinks"]);
  });
});

describe("the example stores", () => {
  test("bring a token as a secret by Vault's own package and a fake plugin, and it leaves with its member", async () => {
    const installed = await installedOnDemand("stores");
    const people = ["ada", "bob"].map((key) => ({ key, email: `${key}@acme.example` }));
    const source = readFileSync(join(packageRoot, "examples", "stores", "vault.ts"), "utf8");
    const acme = await deliveringOrganization(people, source);
    // The plugin of the test takes any type: here it serves Vault's.
    const project = join(acme.folder, "Pulumi.yaml");
    writeFileSync(project, readFileSync(project, "utf8").replace("name: plug", "name: vault"));
    renameSync(
      join(acme.folder, "plugin/pulumi-resource-plug"),
      join(acme.folder, "plugin/pulumi-resource-vault"),
    );
    const scope = join(acme.folder, "stores", "node_modules", "@pulumi");
    symlinkSync(join(installed, "@pulumi", "vault"), join(scope, "vault"));
    const first = await acme.orgseat("up", "--yes");
    expect(first, first.stdout + first.stderr).toMatchObject({ code: 0 });
    expect(storeWrites(acme)).toEqual(["create ada-token dataJson=*", "create bob-token dataJson=*"]);
    acme.write(people.slice(1), { deliver: "./stores/deliver.ts" });
    expect(await acme.orgseat("up", "--yes")).toMatchObject({ code: 0 });
    expect(storeWrites(acme)).toEqual(["delete ada-token ada-token-1 dataJson=*"]);
  });
});
