/**
 * Attacks on a credential by its address: whoever changes one source of the configuration must not receive the credential of
 * the other one. Each attack has a second server, which must receive nothing.
 */
import { createServer, type IncomingMessage } from "node:http";
import providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readSettings } from "../../provider/config/settings.ts";
import { type Lookup, lookups } from "../../provider/direct/lookups.ts";
import { revokeTokens } from "../../provider/direct/revoke.ts";
import { tryCredentials } from "../../provider/direct/try-credentials.ts";
import { readMembers } from "../../provider/service/members.ts";
import { API_KEY, failure, ORGANIZATION, scripted } from "../resources/scripted.ts";
import { heldToken } from "../resources/writes.ts";
import { listenOnLoopback } from "../setup/loopback.ts";
import { pluginClient, secret, sent, struct } from "../setup/plugin-client.ts";

type Values = Readonly<Record<string, string>>;

/** A server that accepts every credential, and keeps what it received. */
async function attacker() {
  const received: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    received.push(
      `${request.method} ${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(chunks)}`,
    );
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ access_token: "t", token_type: "Bearer", expires_in: 900, data: [], items: [] }));
  });
  const url = await listenOnLoopback(server);
  const addresses = { orgUrl: `${url}/api/v1`, tokenUrl: `${url}/token`, modelUrl: `${url}/m` };
  return { received, addresses };
}

const credentials = { clientId: "the-client", clientSecret: "client-secret-0815", apiKey: API_KEY };
const administrator = { username: "admin", password: "password-0815" };
const organization = { organizationId: ORGANIZATION };

const variables = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      `ORGSEAT_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
      value,
    ]),
  );

/** Everything outside of a run of Pulumi that sends a credential. */
const commands = {
  "the trial before `up`": (source) => tryCredentials(source),
  "the list of members": (source) =>
    readMembers(source, { organizationId: ORGANIZATION, tokensOf: () => [] }),
  "offboard's revocation": (source) => revokeTokens(source, [{ organizationId: ORGANIZATION, userId: "u1" }]),
  "a lookup of service accounts": (source) => lookups.getServiceAccounts(lookupOf(source), {}),
  "a lookup of servers": (source) => lookups.getModelServers(lookupOf(source), {}),
} satisfies Record<string, (source: Source) => Promise<unknown>>;

interface Source {
  readonly config: (key: string) => string | undefined;
  readonly environment: Values;
}

function lookupOf({ config, environment }: Source): Lookup {
  return { name: "lookup", settings: () => readSettings(config, environment), warn: () => undefined };
}

function sourceOf(configured: Values, environment: Values): Source {
  return { config: (key) => configured[key.replace(/^orgseat:/, "")], environment: variables(environment) };
}

describe.each(Object.entries(commands))("%s", (_, command) => {
  test("sends no credential of the environment to an address of the configuration", async () => {
    const { received, addresses } = await attacker();
    const source = sourceOf(
      { ...addresses, ...organization },
      { ...credentials, ...administrator, platform: "anaconda" },
    );
    const error = await failure(command(source));
    expect(error.message).toMatch(
      /two sources, so orgseat uses neither: .*ORGSEAT_CLIENT_SECRET.* from the environment, orgseat:orgUrl, orgseat:tokenUrl from the configuration\. Complete the environment with ORGSEAT_ORG_URL, ORGSEAT_TOKEN_URL, or remove ORGSEAT_CLIENT_ID/,
    );
    expect(error.message).toMatch(
      /ORGSEAT_API_KEY from the environment, orgseat:modelUrl from the configuration/,
    );
    expect(error.message).not.toContain("0815");
    expect(received).toEqual([]);
  });

  test("never asks an address of the configuration if the environment is complete", async () => {
    const [good, evil] = [await attacker(), await attacker()];
    const source = sourceOf(
      { ...organization, ...evil.addresses, clientId: "other", clientSecret: "other-secret" },
      { ...credentials, ...administrator, ...good.addresses, platform: "anaconda" },
    );
    await command(source).catch(() => undefined);
    expect(good.received).not.toEqual([]);
    expect(evil.received).toEqual([]);
    expect(good.received.join()).not.toContain("other");
  });
});

test("the administrator's token goes to no address of another source", async () => {
  const [good, evil] = [await attacker(), await attacker()];
  const secret = { adminToken: "admin-token-0815", platform: "anaconda" };
  const ask = (configured: Values, environment: Values) =>
    lookups.getServiceAccounts(lookupOf(sourceOf({ ...organization, ...configured }, environment)), {});
  const error = await failure(ask(evil.addresses, secret));
  expect(error.message).toMatch(/ORGSEAT_ADMIN_TOKEN from the environment, orgseat:orgUrl/);
  expect(error.message).not.toContain("0815");
  expect(evil.received).toEqual([]);
  await ask({ ...evil.addresses, adminToken: "other-token" }, { ...good.addresses, ...secret });
  expect(evil.received).toEqual([]);
  expect(good.received).toEqual([expect.stringContaining("Bearer admin-token-0815")]);
});

describe("the provider", () => {
  const none = Object.fromEntries(
    Object.keys(variables({ ...credentials, ...administrator, orgUrl: "", tokenUrl: "", modelUrl: "" })).map(
      (name) => [name, ""],
    ),
  );
  const properties = { organizationId: ORGANIZATION, email: "ada@acme.example" };

  test("sends no credential of the environment to an address of the state of dynamic resources", async () => {
    const { received, addresses } = await attacker();
    const run = await scripted(() => ({}), { ...none, ...variables(credentials) });
    // Plain destroy and refresh get the configuration from the state.
    run.process.configure((key) => ({ ...addresses, ...organization })[key.replace(/^orgseat:/, "")]);
    const { failures = [] } = await run.orgUser.check({}, properties);
    expect(failures.map(({ reason }) => reason)).toEqual([expect.stringContaining("from two sources")]);
    const ended = await Promise.allSettled([
      run.orgUser.create(properties),
      run.orgUser.read("u1", { ...properties, userId: "u1", stateVersion: 1 }),
      run.token.delete("token-1", heldToken),
      run.server.read("s1", { serverId: "s1", onDelete: "delete", stateVersion: 1 }),
    ]);
    expect(ended.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    expect(received).toEqual([]);
    expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);
  });

  test("destroys with a complete environment, whatever addresses the state has", async () => {
    const { received, addresses } = await attacker();
    const run = await scripted(() => ({ status: 204 }));
    run.process.configure((key) => ({ ...addresses, ...organization })[key.replace(/^orgseat:/, "")]);
    await run.token.delete("token-1", heldToken);
    expect(run.service.calls).toHaveLength(1);
    expect(received).toEqual([]);
  });

  test.each([
    ["addresses", (addresses: Values) => addresses],
    ["an address", ({ orgUrl = "" }: Values) => ({ orgUrl })],
    ["a username", () => ({ username: "of-the-program" })],
  ])("gives an explicit Provider with %s and no credentials none of the environment", async (_, argsOf) => {
    const { received, addresses } = await attacker();
    const run = await scripted(() => ({}));
    const plugin = await pluginClient(run.process);
    await plugin.configure({ ...organization, ...argsOf(addresses), platform: "basic" }, "organization-b");
    const error = await failure(plugin.create("OrgUser", properties));
    expect(error.message).toMatch(/from the arguments of the Provider, .* from the environment/);
    expect(error.message).toContain("Complete the arguments of the Provider with ");
    const modelError = await failure(plugin.read("ModelServer", "s1", { serverId: "s1" }, {}));
    expect(modelError).toBeInstanceOf(Error);
    expect(received).toEqual([]);
    expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);
  });

  test("keeps the credentials of an explicit Provider from an address of the environment", async () => {
    const run = await scripted(() => ({}));
    const plugin = await pluginClient(run.process);
    const { clientId, clientSecret } = { clientId: "of-the-program", clientSecret: "program-secret" };
    await plugin.configure(
      { ...organization, clientId, clientSecret: secret(clientSecret) },
      "organization-b",
    );
    const error = await failure(plugin.create("OrgUser", properties));
    expect(error.message).toContain(
      "Complete the arguments of the Provider with orgseat:orgUrl, orgseat:tokenUrl",
    );
    expect(error.message).not.toContain(clientSecret);
    expect([...run.service.calls, ...run.service.tokenRequests]).toEqual([]);
  });

  test("fails an explicit Provider at its check, before any resource", async () => {
    const { received, addresses } = await attacker();
    const run = await scripted(() => ({}));
    const { client } = await pluginClient(run.process);
    for (const [name, value] of Object.entries(variables(credentials))) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const request = new providerPb.CheckRequest();
    request.setName("organization-b");
    request.setNews(struct({ ...organization, ...addresses }));
    const response = await sent<providerPb.CheckResponse>((done) => client.checkConfig(request, done));
    expect(response.getFailuresList().map((one) => one.getReason())).toEqual([
      expect.stringContaining("the organization area come from two sources"),
      expect.stringContaining("the model area come from two sources"),
    ]);
    expect(received).toEqual([]);
  });
});
