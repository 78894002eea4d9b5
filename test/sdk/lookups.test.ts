import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { unknown } from "@pulumi/pulumi/output.js";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keysOf } from "../../provider/config/setting-groups.ts";
import { environmentName } from "../../provider/config/setting-values.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import {
  getModelFiles,
  getModelFilesOutput,
  getModelServers,
  getModelServersOutput,
  getServiceAccounts,
  getServiceAccountsOutput,
  getVectorTables,
  getVectorTablesOutput,
  type ServerFilter,
} from "../../sdk/index.ts";
import { type ModelArea, modelArea, sharedService } from "../setup/model-area.ts";
import { makeServiceAccount, type Sandbox } from "../setup/sandbox.ts";
import { failureOf, resolved } from "./mocked.ts";

const service = sharedService();
let organization: Sandbox;
let management: Sandbox["service"]["management"];

/** The service is what is configured, by the environment. */
beforeEach(async () => {
  organization = await service();
  management = organization.service.management;
  for (const name of Object.keys(process.env)) if (name.startsWith("ORGSEAT_")) vi.stubEnv(name, undefined);
  const { seed, orgUrl, tokenUrl, modelUrl } = organization.service;
  vi.stubEnv("ORGSEAT_ORGANIZATION_ID", seed.organizationId);
  vi.stubEnv("ORGSEAT_ORG_URL", orgUrl);
  vi.stubEnv("ORGSEAT_TOKEN_URL", tokenUrl);
  vi.stubEnv("ORGSEAT_MODEL_URL", modelUrl);
  vi.stubEnv("ORGSEAT_USERNAME", seed.username);
  vi.stubEnv("ORGSEAT_PASSWORD", seed.password);
  vi.stubEnv("ORGSEAT_API_KEY", seed.apiKey);
});
afterEach(() => {
  vi.unstubAllEnvs();
  pulumi.runtime.setAllConfig({});
});

describe("getModelServers", () => {
  let area: ModelArea;
  let chat: string;
  let search: string;

  beforeEach(async () => {
    await management.reset();
    area = await modelArea(organization);
    chat = await area.addServer("chat", { port: 8080, status: "running", apiParams: { threads: 2 } });
    search = await area.addServer("search", { port: 8081, host: "10.0.0.7" });
    await organization.requests();
  });

  test("finds all without a filter, with all that the service says", async () => {
    const servers = await getModelServers();
    expect(servers.map(({ id }) => id)).toEqual([chat, search]);
    expect(servers[0]).toEqual({
      id: chat,
      tag: "chat",
      serverProcessId: expect.any(Number),
      modelFile: {
        id: area.fileId,
        name: "tiny-q4.gguf",
        localPath: expect.any(String),
        isDownloaded: true,
        quantization: "Q4_K_M",
      },
      serverConfig: expect.objectContaining({ modelFileName: "tiny-q4.gguf", apiParams: { threads: 2 } }),
      endpoint: { host: "127.0.0.1", port: 8080 },
      status: "running",
    });
    expect(await organization.calls()).toEqual([12]);
  });

  test("looks with the key that is given, over the configured one", async () => {
    const key = "0f1e2d3c-4b5a-4678-9abc-def012345678";
    await management.models.addApiKey({ name: "own", key });
    await getModelServers({}, { credentials: { apiKey: key } });
    expect((await organization.requests()).map(({ caller }) => caller)).toEqual(["own"]);
  });
});

describe("getModelFiles", () => {
  test("finds the files of a model, with how far a download is", async () => {
    const { modelId } = await management.models.addModel({
      name: "big",
      files: [
        { name: "done.gguf" },
        {
          name: "coming.gguf",
          sizeBytes: 1000,
          download: { receivedBytes: 250, bytesPerSecond: 1, paused: true },
        },
      ],
    });
    const [done, coming] = await getModelFiles(modelId);
    expect(done).toMatchObject({
      name: "done.gguf",
      isDownloaded: true,
      sizeBytes: 4_000_000_000,
      format: "gguf",
    });
    expect(coming).toMatchObject({ isDownloaded: false, sizeBytes: 1000 });
    expect(coming?.downloadStatus?.progress).toMatchObject({
      modelId,
      filename: "coming.gguf",
      downloadedRatio: 0.25,
      transferredBytes: 250,
      totalBytes: 1000,
      paused: true,
      downloadTimeTaken: 250_000,
    });
  });

  test("says that a model is unknown, and gives no empty list", async () => {
    const said = await failureOf(getModelFiles("nobody"));
    expect(said).toMatch(
      /^getModelFiles: cannot list model files: .* \(HTTP 404.*, GET .*\/models\/nobody\/files\)/,
    );
    expect(said).toMatch(
      /[^.]\. No model has the id nobody\. Correct it, then run the command again\. \[refused\]$/,
    );
  });
});

describe("getVectorTables", () => {
  test("finds tables with schema and rows, or by names alone; a database that does not run is an error", async () => {
    const key = organization.service.seed.apiKey;
    const body = {
      name: "lookups",
      schema: { columns: [{ name: "id", type: "bigint" }] },
      data: [{ id: 1 }],
    };
    await fetch(`${organization.service.modelUrl}/api/vector-db/tables`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const table = {
      name: "lookups",
      schema: { columns: [expect.objectContaining({ name: "id" })] },
      numRows: 1,
    };
    expect(await getVectorTables()).toContainEqual(table);
    await management.setSwitches({ tableItems: "name" });
    expect(await getVectorTables()).toContainEqual({ name: "lookups", schema: null, numRows: null });
    await management.models.runVectorDatabase(false);
    const said = await failureOf(getVectorTables());
    expect(said).toContain("getVectorTables: cannot list tables: ");
    expect(said).toContain("Start the vector database in the service");
  });
});

describe("getServiceAccounts", () => {
  test("finds the accounts without their secrets, with one token for two lookups", async () => {
    const { clientId } = await makeServiceAccount(organization);
    await organization.requests();
    const account = { name: "tests", clientId, organizationId: organization.organizationId };
    expect(await getServiceAccounts()).toContainEqual(account);
    expect(await getServiceAccounts()).toContainEqual(account);
    expect(await organization.calls()).toEqual(["token", 2, 2]);
  });

  test("asks for another organization that it names", async () => {
    const other = "00000000-0000-4000-8000-00000000ffff";
    expect(await failureOf(getServiceAccounts({ organizationId: other }))).toContain(
      `/organizations/${other}/`,
    );
  });

  test("names a wrong password or a missing one in one sentence without it", async () => {
    const credentials = { username: organization.service.seed.username, password: "not the password" };
    const said = await failureOf(getServiceAccounts({ credentials }));
    expect(said).toContain("Correct the credentials, then run the command again.");
    expect(said).not.toContain("not the password");
    vi.stubEnv("ORGSEAT_USERNAME", undefined);
    vi.stubEnv("ORGSEAT_PASSWORD", undefined);
    const missing = await failureOf(getServiceAccounts());
    expect(missing).toContain("Set orgseat:username and orgseat:password");
    expect(missing).toContain("or the lookup's `credentials`");
  });

  test("finds them by an administrator's token, of the configuration or its own", async () => {
    const { adminToken = "" } = organization.service.seed;
    vi.stubEnv("ORGSEAT_USERNAME", undefined);
    vi.stubEnv("ORGSEAT_PASSWORD", undefined);
    const missing = await failureOf(getServiceAccounts());
    expect(missing).toContain("(single sign-on) needs orgseat:adminToken instead, or ORGSEAT_ADMIN_TOKEN");
    const found = await getServiceAccounts({ credentials: { adminToken } });
    vi.stubEnv("ORGSEAT_ADMIN_TOKEN", adminToken);
    expect(await getServiceAccounts()).toEqual(found);
    vi.stubEnv("ORGSEAT_ADMIN_TOKEN", "an-expired-token");
    const refused = await failureOf(getServiceAccounts());
    expect(refused).toMatch(
      /the administrator token, which has expired or was revoked, so set a new one \(orgseat:adminToken, or ORGSEAT_ADMIN_TOKEN, or the lookup's `credentials`\)/,
    );
    expect(refused).not.toContain("an-expired-token");
  });

  test("takes one bare account as a list of one, with a warning", async () => {
    const warn = vi.spyOn(pulumi.log, "warn").mockResolvedValue();
    const account = { name: "a", client_id: "c", org_id: "o" };
    await management.addFaults({ match: { call: 2 }, fault: { kind: "refuse", status: 200, body: account } });
    expect(await getServiceAccounts()).toEqual([{ name: "a", clientId: "c", organizationId: "o" }]);
    expect(warn).toHaveBeenCalledWith(expect.stringContaining("there may be others"));
    warn.mockRestore();
  });
});

const lookups = [
  ["getServiceAccounts", 2, () => getServiceAccounts()],
  ["getModelServers", 12, () => getModelServers()],
  ["getModelFiles", 13, () => getModelFiles("m")],
  ["getVectorTables", 15, () => getVectorTables()],
] as const;

describe.each(lookups)("%s", (name, call, lookup) => {
  test.each([
    ["500", { kind: "refuse", status: 500 }],
    ["null", { kind: "refuse", status: 200, body: null }],
  ] as const)("answered by %s fails, and finds no empty list", async (_, fault) => {
    vi.stubEnv("ORGSEAT_OPERATION_TIMEOUT", "300ms");
    await management.addFaults({ match: { call }, times: "always", fault: { ...fault } });
    expect(await failureOf(lookup())).toMatch(new RegExp(`^${name}: cannot list `));
  });

  test("names the key of its area's address if that is missing, whatever the other area has, and sends nothing", async () => {
    const area =
      call === 2 ? ["ORGSEAT_ORG_URL", "orgseat:orgUrl"] : ["ORGSEAT_MODEL_URL", "orgseat:modelUrl"];
    const [variable = "", key] = area;
    vi.stubEnv(variable, undefined);
    const said = await failureOf(lookup());
    expect(said).toContain(`${name}: missing orgseat configuration: ${key} (or ${variable})`);
    expect(await organization.calls()).toEqual([]);
  });

  test("says what is wrong with the configuration, and sends nothing", async () => {
    vi.stubEnv("ORGSEAT_MODEL_URL", "http://models.example");
    expect(await failureOf(lookup())).toContain("ORGSEAT_MODEL_URL is not an https:// address");
    expect(await organization.calls()).toEqual([]);
  });

  test("reads the stack's configuration, over which a complete environment wins", async () => {
    const { modelUrl, orgUrl, tokenUrl, seed } = organization.service;
    for (const key of [...keysOf("organization"), ...keysOf("model")])
      vi.stubEnv(environmentName(key), undefined);
    const key = "99999999-4b5a-4678-9abc-def012345678";
    pulumi.runtime.setAllConfig({
      ...{ "orgseat:orgUrl": orgUrl, "orgseat:tokenUrl": tokenUrl },
      ...{ "orgseat:username": seed.username, "orgseat:password": seed.password },
      ...{ "orgseat:modelUrl": modelUrl, "orgseat:apiKey": key },
    });
    if (call === 2) return void (await lookup());
    expect(await failureOf(lookup())).toContain("(HTTP 401 UNAUTHORIZED, ");
    await organization.requests();
    vi.stubEnv("ORGSEAT_API_KEY", seed.apiKey);
    expect(await failureOf(lookup())).toContain("Complete the environment with ORGSEAT_MODEL_URL");
    expect(await organization.requests()).toEqual([]);
    vi.stubEnv("ORGSEAT_MODEL_URL", modelUrl);
    if (call === 13) expect(await failureOf(lookup())).toContain("(HTTP 404");
    else await lookup();
  });
});

describe("an argument that is wrong", () => {
  const wrong = (filter: object) => getModelServers(filter as ServerFilter);
  const half = { credentials: { username: "u" } } as object;
  test.each<[says: string, lookup: () => Promise<unknown>]>([
    ["; did you mean running? Nothing was sent. [invalid-input]", () => wrong({ status: "runing" })],
    ["getModelServers: port: not a port: a whole number from 1 to 65535.", () => wrong({ port: 70_000 })],
    ["getModelServers: host: expected a string, got a number", () => wrong({ host: 7 })],
    ["getModelServers: expected an object, got a list", () => wrong([])],
    ["getModelFiles: modelId: empty", () => getModelFiles("")],
    ["credentials.apiKey: not a UUID.", () => getVectorTables({ credentials: { apiKey: "a-secret-key" } })],
    [
      "credential: unknown key; did you mean credentials?",
      () => getVectorTables({ credential: {} } as object),
    ],
    ["did you mean credentials.apiKey?", () => getModelServers({}, { apiKey: "a-secret-key" } as object)],
    ["did you mean credentials.password?", () => getServiceAccounts({ pasword: "a-secret-key" } as object)],
    [
      "organizationId: not an organization id: it contains U+002F in column 3.",
      () => getServiceAccounts({ organizationId: "../x" }),
    ],
    ["credentials.password: missing", () => getServiceAccounts(half)],
    ["did you mean credentials.adminToken?", () => getServiceAccounts({ admintoken: "secret" } as object)],
  ])("fails before any request, and says: %s", async (says, lookup) => {
    const said = await failureOf(lookup());
    expect(said).toContain(says);
    expect(said).not.toContain("a-secret-key");
    expect(await organization.calls()).toEqual([]);
  });
});

describe("the forms for Outputs", () => {
  test("take Outputs at any depth and find the same", async () => {
    await management.reset();
    const area = await modelArea(organization);
    const chat = await area.addServer("chat");
    const apiKey = pulumi.output(organization.service.seed.apiKey);
    const byTag = getModelServersOutput({ tag: pulumi.output("chat") }, { credentials: { apiKey } });
    expect((await resolved(byTag)).map(({ id }) => id)).toEqual([chat]);
    expect(await resolved(getModelServersOutput())).toHaveLength(1);
    expect(await resolved(getModelFilesOutput(pulumi.output(area.modelId)))).toHaveLength(1);
    expect(await resolved(getVectorTablesOutput())).toEqual([]);
    const { organizationId } = organization;
    const accounts = getServiceAccountsOutput({ organizationId: pulumi.output(organizationId) });
    expect(Array.isArray(await resolved(accounts))).toBe(true);
  });

  test("stay unknown in a preview as long as an argument is, and then send nothing", async () => {
    const mocks: pulumi.runtime.Mocks = { call: () => ({}), newResource: () => ({ id: "", state: {} }) };
    await pulumi.runtime.setMocks(mocks, "p", "s", true);
    const later = pulumi.output(unknown as unknown as string);
    const found = [
      getModelServersOutput({ tag: later }),
      getModelServersOutput({}, { credentials: { apiKey: later } }),
      getModelFilesOutput(later),
      getVectorTablesOutput({ credentials: { apiKey: later } }),
      getServiceAccountsOutput({ organizationId: later }),
    ];
    expect(await Promise.all(found.map((output) => Reflect.get(output, "isKnown")))).toEqual(
      found.map(() => false),
    );
    expect(await organization.calls()).toEqual([]);
    const known = getVectorTablesOutput();
    expect(await Reflect.get(known, "isKnown"), "what is known is read in a preview too").toBe(true);
    expect(await organization.calls()).toEqual([15]);
    await pulumi.runtime.setMocks(mocks, "p", "s", false);
  });

  test("stay secret if an argument is", async () => {
    const apiKey = pulumi.secret(organization.service.seed.apiKey);
    const found = getVectorTablesOutput({ credentials: { apiKey } });
    expect(await Reflect.get(found, "isSecret")).toBe(true);
    expect(await Reflect.get(getVectorTablesOutput(), "isSecret")).toBe(false);
  });
});

test("one that fails is no more than its sentence: Node warns of late handling for other failures alone", async () => {
  const script = `
    import * as pulumi from "@pulumi/pulumi";
    import { getModelServersOutput } from "./sdk/index.ts";
    process.on("unhandledRejection", () => {});
    // As Pulumi does it: the failure is told, and the Outputs are looked at after that.
    const late = (promise) => new Promise((seen) => process.once("unhandledRejection", () => setImmediate(() => promise().catch(seen))));
    const found = getModelServersOutput({ port: pulumi.output(70000) }).apply((servers) => servers.length);
    console.log((await late(() => pulumi.output({ found }).promise())).message);
    const other = Promise.reject(new Error("another failure"));
    await late(() => other);`;
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script],
    { cwd: packageRoot },
  );
  expect(stdout).toMatch(/^getModelServers: port: not a port.*\n$/);
  expect(stderr.match(/PromiseRejectionHandledWarning/g)).toHaveLength(1);
});

test("a program without a lookup loads neither the client nor zod", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ resolve(name, context, next) { const found = next(name, context); loaded.push(found.url); return found; } });
    await import("./sdk/index.ts");
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
    cwd: packageRoot,
  });
  const loaded: string[] = JSON.parse(stdout);
  expect(loaded.some((url) => url.endsWith("/sdk/lookups/lookups.ts"))).toBe(true);
  expect(loaded.filter((url) => /node_modules\/(zod|undici)\//.test(url))).toEqual([]);
  const ofProvider = new Set(loaded.flatMap((url) => /\/(provider\/.*\.ts)$/.exec(url)?.[1] ?? []));
  expect([...ofProvider].toSorted()).toEqual([
    "provider/config/inline-program.ts",
    "provider/config/setting-groups.ts",
    "provider/resources/claims.ts",
    "provider/resources/resource-types.ts",
    "provider/util/error-codes.ts",
    "provider/util/text.ts",
  ]);
});
