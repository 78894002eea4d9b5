// @module-tag ci
/** The release archives of the packaged plugin: they start anywhere with Node alone. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { credentials } from "@grpc/grpc-js";
import type pluginPb from "@pulumi/pulumi/proto/plugin_pb.js";
import providerGrpc from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb.js";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { listenOnLoopback } from "../setup/loopback.ts";
import { callsOf, sent } from "../setup/plugin-client.ts";
import { projectEnvironment } from "../setup/project.ts";
import { makeServiceAccount, sandbox } from "../setup/sandbox.ts";
import { testStack } from "../setup/stack.ts";
import { stateResources } from "../setup/state-file.ts";
import { temporaryFolder } from "../setup/temporary.ts";
import { bundledPackages } from "./dependencies.ts";

const MOST_BYTES = 15_000_000;
const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8"));

let archives: string[];
let archive: string;
const target = mkdtempSync(join(tmpdir(), "orgseat-archive-"));
afterAll(() => rmSync(target, { recursive: true }));
beforeAll(() => {
  const script = join(packageRoot, "release/archive.cjs");
  archives = execFileSync(process.execPath, [script, target], { encoding: "utf8" }).trim().split("\n");
  [archive = ""] = archives;
});

function extracted(): string {
  const folder = temporaryFolder();
  execFileSync("tar", ["-xzf", archive, "-C", folder]);
  return folder;
}

/** The address of a server that has the files of the release, and nothing else. */
function mirror(): Promise<string> {
  const server = createServer((request, response) => {
    const path = archives.find((one) => request.url === `/${basename(one)}`);
    response.statusCode = path === undefined ? 404 : 200;
    response.end(path === undefined ? undefined : readFileSync(path));
  });
  return listenOnLoopback(server);
}

/** The port of a started plugin, and its process. */
async function started(folder: string, environment: Readonly<Record<string, string>>) {
  const child = spawn(join(folder, "pulumi-resource-orgseat"), ["none"], {
    cwd: temporaryFolder(),
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = await once(createInterface(child.stdout), "line");
  const client = new providerGrpc.ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure());
  onTestFinished(() => client.close());
  return client;
}

test("the archives: have the names that Pulumi asks a release for, and the same content", () => {
  const systems = ["darwin-amd64", "darwin-arm64", "linux-amd64", "linux-arm64"];
  expect(archives.map((path) => basename(path))).toEqual(
    systems.map((system) => `pulumi-resource-orgseat-v${version}-${system}.tar.gz`),
  );
  const [first, ...others] = archives.map((path) => readFileSync(path));
  expect(others.every((other) => first?.equals(other))).toBe(true);
});

test("the archive: is small, and has no step of installation", () => {
  expect(statSync(archive).size).toBeLessThan(MOST_BYTES);
  const folder = extracted();
  expect(readdirSync(folder).toSorted()).toEqual([
    "LICENSE",
    "THIRD-PARTY-LICENSES",
    "node-version.cjs",
    "package.json",
    "pulumi-resource-orgseat",
    "schema.json",
    "server",
  ]);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(manifest).toMatchObject({ version });
  expect(Object.keys(manifest)).not.toContain("dependencies");
  const licenses = readFileSync(join(folder, "THIRD-PARTY-LICENSES"), "utf8");
  for (const name of ["undici", ...bundledPackages()]) expect(licenses).toContain(`${name} `);
});

test("the archive's plugin: serves the schema and a user's lifecycle, without packages around it", async () => {
  const organization = await sandbox();
  const { clientId, clientSecret } = await makeServiceAccount(organization);
  const folder = extracted();
  const client = await started(
    folder,
    projectEnvironment(organization, temporaryFolder(), {
      ORGSEAT_CLIENT_ID: clientId,
      ORGSEAT_CLIENT_SECRET: clientSecret,
    }),
  );
  const info = await sent<pluginPb.PluginInfo>((done) => client.getPluginInfo(new Empty(), done));
  expect(info.getVersion()).toBe(version);
  const schema = await sent<providerPb.GetSchemaResponse>((done) =>
    client.getSchema(new providerPb.GetSchemaRequest(), done),
  );
  const written = readFileSync(join(packageRoot, "plugin/schema.json"), "utf8");
  expect(schema.getSchema()).toBe(written);
  expect(written).not.toContain("{{% examples %}}");

  const { check, configure, create, delete: remove } = callsOf(client);
  await configure({});
  const { inputs, failures } = await check("OrgUser", {}, { email: "ada@acme.example" });
  expect(failures).toEqual([]);
  const { id, outs } = await create("OrgUser", inputs);
  const users = async () => (await organization.service.management.snapshot()).users;
  expect((await users()).map(({ userId, email }) => [userId, email])).toEqual([[id, "ada@acme.example"]]);
  await remove("OrgUser", id, outs);
  expect(await users()).toEqual([]);
});

describe("the archive", () => {
  test("installs from a mirror of a release, and is found without an entry in Pulumi.yaml", async () => {
    const organization = await sandbox();
    const stack = await testStack(organization);
    const preload = join(packageRoot, "test/setup/plugin-types.cjs");
    stack.environment.NODE_OPTIONS = `${stack.environment.NODE_OPTIONS ?? ""} --require=${preload}`;
    stack.programs = "process";
    // The other tests of the run must not find the plugin.
    stack.environment.PULUMI_HOME = join(stack.folder, "home");
    stack.declare([
      { type: "OrgMember", name: "ada", args: { email: "ada@acme.example", seat: true, token: {} } },
    ]);
    // The folder's own commands would be on the PATH before.
    stack.environment.PATH = (stack.variables().PATH ?? "")
      .split(":")
      .filter((one) => !one.endsWith("node_modules/.bin"))
      .join(":");
    const install = ["plugin", "install", "resource", "orgseat", version] as const;
    const installed = await stack.pulumi(...install, "--server", await mirror());
    expect(installed, installed.output).toMatchObject({ code: 0 });
    const up = await stack.up();
    expect(up, up.output).toMatchObject({ code: 0 });
    expect(stateResources(stack.stateFile).map(({ type }) => type)).toContain("orgseat:index:OrgMember");
    const destroyed = await stack.destroy();
    expect(destroyed, destroyed.output).toMatchObject({ code: 0 });
    const fromFile = await stack.pulumi(...install, "--reinstall", "--file", archive);
    expect(fromFile, fromFile.output).toMatchObject({ code: 0 });
  });
});
