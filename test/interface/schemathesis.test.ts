// @module-tag ci
/**
 * Self-consistency: schemathesis makes requests from the sandbox's own OpenAPI document and looks whether the answers
 * are those of the document. It says nothing about the interface: the rest of this folder does.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type PlatformName, platforms } from "../../provider/api/calls/platform.ts";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { sandboxServiceAccount } from "../../sandbox/service/index.ts";
import { type Sandbox, startSandbox, temporaryFolder } from "../sandbox/service/harness.ts";
import { full, recordSuite, type Suite, seed } from "../setup/cases.ts";

const suites = {
  basic: { name: "self-consistency", level: "R", cases: 3_000 },
  anaconda: { name: "self-consistency, anaconda", level: "R", cases: 3_000 },
} as const satisfies Record<PlatformName, Suite>;
/** For each operation, besides what its document's edges alone make some five hundred of. */
const EXAMPLES = full ? 250 : 5;
const CHECKS = "not_a_server_error,status_code_conformance,response_schema_conformance";

// `python3 -m venv .orgseat/python && .orgseat/python/bin/pip install --require-hashes -r test/interface/requirements.txt`
const command = join(packageRoot, ".orgseat", "python", "bin", "schemathesis");
const missing = !existsSync(command);
if (missing) for (const suite of Object.values(suites)) recordSuite(suite, 0, performance.now());

const reportSchema = z.object({
  complete: z.boolean(),
  operations: z.object({ tested: z.int() }),
  test_cases: z.object({ generated: z.int() }),
  failures: z.array(z.unknown()),
  errors: z.array(z.unknown()),
});

/** An organization with people, a model, servers: what made-up ids would never meet. */
async function inhabited(platform: PlatformName = "basic"): Promise<Sandbox> {
  const seed = { seats: 20, serviceAccount: sandboxServiceAccount };
  const sandbox = await startSandbox({ platform, seed });
  const { models } = sandbox.management;
  const files = [{ name: "done.gguf" }, { name: "coming.gguf", download: { receivedBytes: 5 } }];
  const { fileIds } = await models.addModel({ id: "model", name: "Model", files });
  for (const status of ["running", "stopped", "errored", "starting"] as const) {
    await models.addServer({ tag: "chat", fileId: fileIds[0] ?? "", port: 8080, status });
  }
  for (let count = 0; count < 25; count += 1)
    await sandbox.addUser({ email: `person-${count}@acme.example` });
  for (const { userId } of (await sandbox.management.snapshot()).users.slice(0, 10)) {
    const body = { expires_at: "2026-06-30T12:00:00Z" };
    await sandbox.send("issueToken", { user_id: userId }, { body });
  }
  await sandbox.management.clearRequests();
  return sandbox;
}

/** The credential of each operation, and ids that are there for most requests. */
async function configurationOf({ management, organizationId, adminToken, accountToken, service }: Sandbox) {
  const { users, servers, tokens } = await management.snapshot();
  const values = {
    org_id: [organizationId],
    user_id: users.map(({ userId }) => userId),
    client_id: [sandboxServiceAccount.clientId],
    server_id: servers.map(({ serverId }) => serverId),
    model_id: ["model"],
    token_id: tokens.map(({ tokenId }) => tokenId),
  };
  const headers = platforms[service.platform].headers.map(
    ([name, value]) => `, ${name} = "${value.replace("{org_id}", organizationId)}"`,
  );
  const operations = {
    "/service-accounts": adminToken,
    "^/api/v1/organizations/[^/]+/users": accountToken,
    "^/serving": service.seed.apiKey,
  };
  return [
    "[cache]\nenabled = false",
    ...Object.entries(values).map(([name, ids]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(ids)}`),
    "[parameters]",
    ...Object.keys(values).map((name) => `"path.${name}" = { dictionary = "${name}", probability = 0.8 }`),
    ...Object.entries(operations).map(
      ([path, token]) =>
        `[[operations]]\ninclude-path-regex = '${path}'\nheaders = { Authorization = "Bearer ${token}"${headers.join("")} }`,
    ),
  ].join("\n");
}

async function run(sandbox: Sandbox, ...more: string[]) {
  const folder = temporaryFolder();
  const [config, report] = [join(folder, "schemathesis.toml"), join(folder, "report.json")];
  writeFileSync(config, await configurationOf(sandbox));
  const location = new URL("/openapi.json", sandbox.service.orgUrl).href;
  const options = ["--checks", CHECKS, "--seed", String(seed), "--report-json-path", report];
  const args = ["--config-file", config, "run", location, ...options, ...more];
  const still = ["--generation-database", "none", "--no-color", "--continue-on-failure"];
  const output = await new Promise<string>((resolve) => {
    execFile(command, [...args, ...still], { cwd: folder, maxBuffer: 2 ** 26 }, (_, out, errors) =>
      resolve(out + errors),
    );
  });
  if (!existsSync(report)) throw new Error(`schemathesis did not run: ${output}`);
  return { output, ...reportSchema.parse(JSON.parse(readFileSync(report, "utf8"))) };
}

describe.skipIf(missing)("self-consistency (schemathesis)", () => {
  test.each([
    ["basic", 17],
    ["anaconda", 29],
  ] as const)("every answer of the sandbox is one of its OpenAPI document: %s", async (platform, tested) => {
    const suite = suites[platform];
    const sandbox = await inhabited(platform);
    const started = performance.now();
    const { output, ...ran } = await run(sandbox, "--max-examples", String(EXAMPLES));
    const { generated } = ran.test_cases;
    console.log(`${suite.name} (${suite.level}): ${generated} cases, seed ${seed}`);
    recordSuite(suite, ran.failures.length === 0 ? Math.min(generated, suite.cases) : 0, started);
    if (ran.failures.length + ran.errors.length > 0) console.log(output);
    expect(ran).toMatchObject({ complete: true, operations: { tested }, failures: [], errors: [] });
    // Most calls also succeeded: refusals alone would prove little.
    const succeeded = (await sandbox.management.requests()).filter(({ status }) => (status ?? 500) < 300);
    expect(new Set(succeeded.map(({ call }) => call)).size).toBeGreaterThan(10);
  });

  test("an answer that is none of the document's is noticed", async () => {
    const sandbox = await inhabited();
    const fault = { kind: "refuse", status: 200, body: { items: [{ name: 1 }] } } as const;
    await sandbox.management.addFaults({ match: { call: 2 }, times: "always", fault });
    const only = ["--include-operation-id", "listServiceAccounts", "--phases", "coverage"];
    expect((await run(sandbox, ...only)).failures.length).toBeGreaterThan(0);
  });
});
