import { describe, expect, it } from "vitest";
import { calls } from "../../../provider/api/calls/calls.ts";
import { createdServiceAccountSchema } from "../../../provider/api/schemas/schemas.ts";
import { accessTokenOf, codeOf, exchange, organizationCalls, startSandbox } from "./harness.ts";

const OTHER = {
  organizationId: "11111111-1111-4111-8111-111111111111",
  username: "boss@other.example",
  password: "other-password",
  seats: 1,
  subscriptionExpiresAt: "2026-12-31",
};
const variables = { user_id: "nobody", client_id: "nobody" };

describe("the token endpoint", () => {
  it("authentication: organization area 1, authentication: organization area 5, D3: gives a bearer token of 900 seconds for both grants", async () => {
    const sandbox = await startSandbox();
    const { username, password } = sandbox.service.seed;
    const { clientId, clientSecret } = sandbox.account;
    const forms = [
      { grant_type: "password", username, password },
      { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret },
    ];
    for (const form of forms) {
      const answer = await sandbox.askToken(form);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 900,
      });
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
  });

  it.each([
    ["no grant type", {}, 400, "invalid_request"],
    ["another grant", { grant_type: "refresh_token" }, 400, "unsupported_grant_type"],
    ["no password", { grant_type: "password", username: "x" }, 400, "invalid_request"],
    [
      "a wrong password",
      { grant_type: "password", username: "admin@acme.example", password: "x" },
      400,
      "invalid_grant",
    ],
    ["an unknown username", { grant_type: "password", username: "x", password: "x" }, 400, "invalid_grant"],
    [
      "a wrong secret",
      { grant_type: "client_credentials", client_id: "x", client_secret: "x" },
      401,
      "invalid_client",
    ],
  ])("D3: refuses %s", async (_, form, status, error) => {
    const sandbox = await startSandbox();
    const answer = await sandbox.askToken(form);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, error_description: expect.any(String) });
  });

  it("D3: accepts only forms", async () => {
    const sandbox = await startSandbox();
    const { username, password } = sandbox.service.seed;
    const answer = await exchange(sandbox.service.tokenUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ grant_type: "password", username, password }),
    });
    expect(answer.status).toBe(400);
    expect((await exchange(sandbox.service.tokenUrl)).status).toBe(405);
  });

  it("D3: takes a username in any letter case", async () => {
    const sandbox = await startSandbox();
    const { username, password } = sandbox.service.seed;
    expect(
      (await sandbox.askToken({ grant_type: "password", username: username.toUpperCase(), password })).status,
    ).toBe(200);
  });
});

describe("authorization", () => {
  it("D2, authentication: model area 2: keys are UUIDs in any letter case, and the log names them", async () => {
    const sandbox = await startSandbox();
    const { models } = sandbox.management;
    const key = crypto.randomUUID();
    await models.addApiKey({ key, name: "second" });
    await expect(models.addApiKey({ key, name: "third" })).rejects.toThrow("409");
    await expect(models.addApiKey({ key: "not-a-uuid", name: "third" })).rejects.toThrow("422");
    expect((await sandbox.send("listServers", {}, { token: key.toUpperCase() })).status).toBe(200);
    expect((await sandbox.send("listServers", {}, { token: crypto.randomUUID() })).status).toBe(401);
    const log = await sandbox.management.requests();
    expect(log).toMatchObject([
      { call: 12, status: 200, credential: "apiKey", caller: "second" },
      { call: 12, status: 401, credential: "invalid", caller: null },
    ]);
    expect(JSON.stringify(log)).not.toContain(key);
  });

  it("model area: an organization's own key goes with its seed", async () => {
    const sandbox = await startSandbox();
    const apiKey = crypto.randomUUID();
    await sandbox.management.addOrganization({ ...OTHER, apiKey });
    expect((await sandbox.send("listServers", {}, { token: apiKey })).status).toBe(200);
    await sandbox.management.reset();
    expect((await sandbox.send("listServers", {}, { token: apiKey })).status).toBe(401);
    expect((await sandbox.send("listServers")).status).toBe(200);
  });

  it("D5: takes the administrator's token of the seed until the subscription ends, for service accounts alone", async () => {
    const sandbox = await startSandbox({ seed: { subscriptionExpiresAt: "2026-02-01" } });
    const { adminToken: token = "" } = sandbox.service.seed;
    const made = await sandbox.send("createServiceAccount", {}, { token, body: { name: "bot" } });
    expect(made.status).toBe(200);
    expect((await sandbox.send("listServiceAccounts", {}, { token })).status).toBe(200);
    const { client_id } = createdServiceAccountSchema.parse(made.body);
    expect((await sandbox.send("deleteServiceAccount", { client_id }, { token })).status).toBe(204);
    const refused = await sandbox.send("createUser", {}, { token, body: {} });
    expect([refused.status, codeOf(refused)]).toEqual([403, "WRONG_CREDENTIAL"]);
    await sandbox.management.advance(30 * 86_400_000);
    expect((await sandbox.send("listServiceAccounts", {}, { token })).status).toBe(401);
  });

  it("ends an access token after 900 seconds of the service's clock", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.advance(899_999);
    expect((await sandbox.send("listServiceAccounts")).status).toBe(200);
    await sandbox.management.advance(1);
    expect((await sandbox.send("listServiceAccounts")).status).toBe(401);
  });

  it("ends the access tokens and the secret of a deleted service account", async () => {
    const sandbox = await startSandbox();
    const { clientId, clientSecret } = sandbox.account;
    expect((await sandbox.send("deleteServiceAccount", { client_id: clientId })).status).toBe(204);
    expect((await sandbox.send("createUser", {}, { body: {} })).status).toBe(401);
    const form = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
    expect((await sandbox.askToken(form)).status).toBe(401);
  });

  it("authentication: organization area 4, D38: refuses a caller who is no longer an admin with 403", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.changeAdmin(sandbox.service.seed.username, { admin: false });
    const refused = await sandbox.send("listServiceAccounts");
    expect([refused.status, codeOf(refused)]).toEqual([403, "NOT_AN_ADMIN"]);
  });

  it("error body: message: answers 403 for another organization and 404 for an unknown one, each with a message", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addOrganization(OTHER);
    const other = await sandbox.send("listServiceAccounts", { org_id: OTHER.organizationId });
    expect([other.status, codeOf(other)]).toEqual([403, "OTHER_ORGANIZATION"]);
    for (const name of organizationCalls) {
      const body = calls[name].request ? {} : undefined;
      const unknown = await sandbox.send(name, { ...variables, org_id: "nobody" }, { body });
      expect([unknown.status, codeOf(unknown)]).toEqual([404, "ORGANIZATION_NOT_FOUND"]);
    }
  });

  it("shares nothing between two organizations", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addOrganization(OTHER);
    const { username, password } = OTHER;
    const token = accessTokenOf(await sandbox.askToken({ grant_type: "password", username, password }));
    const org = { org_id: OTHER.organizationId };
    expect((await sandbox.send("listServiceAccounts", org, { token })).body).toEqual({ items: [] });
    const foreign = { ...org, client_id: sandbox.account.clientId };
    expect((await sandbox.send("deleteServiceAccount", foreign, { token })).status).toBe(404);
  });
});
