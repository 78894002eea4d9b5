import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { createdServiceAccountSchema, issuedTokenSchema } from "../../../provider/api/schemas/schemas.ts";
import { sandboxDefaults } from "../../../sandbox/service/index.ts";
import { exchange, START, SUBSCRIPTION_END, startSandbox } from "./harness.ts";

describe("the management side", () => {
  it("answers on its own port alone, where the calls do not", async () => {
    const sandbox = await startSandbox();
    const { orgUrl, managementUrl } = sandbox.service;
    expect((await exchange(new URL("/snapshot", orgUrl).href)).status).toBe(404);
    expect(
      (await exchange(sandbox.url("listServiceAccounts").replace(new URL(orgUrl).origin, managementUrl)))
        .status,
    ).toBe(404);
  });

  it("shifts, fixes and frees the clock", async () => {
    const sandbox = await startSandbox();
    const now = async () => Date.parse((await sandbox.management.clock()).now) - START;
    await sandbox.management.setClock({ offsetMs: 60_000 });
    expect(await now()).toBe(60_000);
    await sandbox.management.advance(5_000);
    expect(await now()).toBe(65_000);
    await sandbox.management.setClock({ fixedAt: "2026-01-15T12:00:10Z" });
    await sandbox.management.advance(5_000);
    expect(await now()).toBe(15_000);
    await sandbox.management.setClock({});
    expect(await now()).toBe(0);
  });

  it("changes passwords: the old one is refused, the new one taken", async () => {
    const sandbox = await startSandbox();
    const { username, password } = sandbox.service.seed;
    await sandbox.management.changeAdmin(username, { password: "new" });
    const status = async (tried: string) =>
      (await sandbox.askToken({ grant_type: "password", username, password: tried })).status;
    expect([await status(password), await status("new")]).toEqual([400, 200]);
  });

  it("adds admins", async () => {
    const sandbox = await startSandbox();
    const admin = { username: "second@acme.example", password: "p" };
    await sandbox.management.addAdmin({ organizationId: sandbox.organizationId, ...admin });
    expect((await sandbox.askToken({ grant_type: "password", ...admin })).status).toBe(200);
  });

  it("reports why one of its own requests failed", async () => {
    const sandbox = await startSandbox();
    const { management, organizationId } = sandbox;
    const { username } = sandbox.service.seed;
    await expect(management.changeSubscription("nobody", { seats: 1 })).rejects.toThrow("404");
    await expect(management.changeSubscription(organizationId, { seats: -1 })).rejects.toThrow("422");
    await expect(management.changeAdmin("nobody", { admin: true })).rejects.toThrow("404");
    await expect(management.addAdmin({ organizationId, username, password: "p" })).rejects.toThrow("409");
  });

  it("refuses web pages", async () => {
    const sandbox = await startSandbox();
    const headers = { origin: "https://elsewhere.example" };
    const answer = await exchange(`${sandbox.service.managementUrl}/reset`, { method: "POST", headers });
    expect(answer.status).toBe(403);
  });

  it.each([
    "evil.example",
    "evil.example:<port>",
    "127.0.0.1.evil.example:<port>",
    "localhost.evil.example:<port>",
    "localhost",
    "localhost:1",
    "127.0.0.1:<port>@evil.example",
  ])("refuses a page whose name leads to this machine: host %j", async (host) => {
    const { service, management } = await startSandbox();
    await management.setSwitches({ repeatSeat: "409" });
    for (const [method, path] of [
      ["GET", "/snapshot"],
      ["POST", "/reset"],
    ] as const) {
      const named = host.replace("<port>", new URL(service.managementUrl).port);
      // Node's own server refuses what is no host at all.
      expect([400, 403]).toContain(await statusOf(`${service.managementUrl}${path}`, method, named));
    }
    expect((await management.switches()).repeatSeat).toBe("409");
  });

  it.each(["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "[::1]"])(
    "answers at its port under the name %s",
    async (name) => {
      const { managementUrl } = (await startSandbox()).service;
      const host = `${name}:${new URL(managementUrl).port}`;
      expect(await statusOf(`${managementUrl}/health`, "GET", host)).toBe(200);
    },
  );
});

describe("the request log", () => {
  it("shows who sent which request, in order, without secrets", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser({ email: "ada@acme.example" });
    await sandbox.send("assignSeat", { user_id });
    await sandbox.send("listServiceAccounts", {}, { token: "unknown-token" });
    await sandbox.signIn();
    const log = await sandbox.management.requests();
    const caller = sandbox.account.clientId;
    expect(log).toMatchObject([
      {
        call: 5,
        method: "POST",
        status: 200,
        credential: "serviceAccount",
        caller,
        userId: user_id,
        fields: ["email"],
      },
      {
        call: 6,
        method: "POST",
        status: 201,
        credential: "serviceAccount",
        caller,
        userId: user_id,
        fields: [],
      },
      { call: 2, method: "GET", status: 401, credential: "invalid", caller: null, userId: null },
      { call: "token", status: 200, credential: "user", fields: ["grant_type", "username", "password"] },
    ]);
    expect(log.map(({ number }) => number)).toEqual(log.map((_, index) => (log[0]?.number ?? 0) + index));
    const text = JSON.stringify(log);
    for (const secret of [sandbox.service.seed.password, sandbox.adminToken, "unknown-token", "ada@"]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("secrets", () => {
  it("never appear in a snapshot", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    const issued = await sandbox.send("issueToken", { user_id }, { body: { expires_at: "2026-06-30" } });
    const token = JSON.parse(issued.text).token;
    const text = JSON.stringify(await sandbox.management.snapshot());
    for (const secret of [token, sandbox.account.clientSecret, sandbox.service.seed.password]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("markers", () => {
  it("begin every secret that is made from then on", async () => {
    const sandbox = await startSandbox();
    const marker = `"m\u00e4rk\\er'`;
    await sandbox.management.setSwitches({ secretMarker: marker, accessTokenMarker: `"mark'` });
    const made = await sandbox.send("createServiceAccount", {}, { body: { name: "marked" } });
    const { client_id: clientId, client_secret: clientSecret } = createdServiceAccountSchema.parse(made.body);
    expect(clientSecret.slice(0, marker.length)).toBe(marker);
    sandbox.account = { clientId, clientSecret };
    await sandbox.signInAccount();
    expect(sandbox.accountToken).toMatch(/^"mark'.{43}$/);
    const user_id = await sandbox.addUser();
    const issued = await sandbox.send("issueToken", { user_id }, { body: { expires_at: "2026-06-30" } });
    const { token } = issuedTokenSchema.parse(issued.body);
    expect(token.slice(0, marker.length)).toBe(marker);
    expect(await sandbox.management.probe(token)).toMatchObject({ live: true });
    await expect(sandbox.management.setSwitches({ accessTokenMarker: "m\u00e4rk" })).rejects.toThrow("ASCII");
  });
});

describe("reset", () => {
  it("brings everything back to the seed", async () => {
    const sandbox = await startSandbox();
    const { management } = sandbox;
    await sandbox.addUser();
    await management.models.addModel({ name: "tiny", files: [{ name: "a.gguf" }] });
    await management.setClock({ offsetMs: 1000 });
    await management.setSwitches({ repeatSeat: "409" });
    await management.changeSubscription(sandbox.organizationId, { seats: 99, expiresAt: "2030-01-01" });
    await management.addFaults({ times: "always", fault: { kind: "cut-before" } });
    await management.reset();
    expect(await management.snapshot()).toEqual({
      organizations: [
        {
          organizationId: sandboxDefaults.organizationId,
          seats: 2,
          seatsHeld: 0,
          subscriptionExpiresAt: SUBSCRIPTION_END,
        },
      ],
      admins: [
        { organizationId: sandboxDefaults.organizationId, username: sandboxDefaults.username, isAdmin: true },
      ],
      serviceAccounts: [],
      users: [],
      tokens: [],
      modelFiles: [],
      servers: [],
    });
    expect(await management.requests()).toEqual([]);
    expect((await management.clock()).setting).toEqual({ offsetMs: 0 });
    expect((await management.switches()).repeatSeat).toBe("201");
    expect((await sandbox.send("listServiceAccounts")).status).toBe(401);
    await sandbox.signIn();
    expect((await sandbox.send("listServiceAccounts")).status).toBe(200);
  });
});

/** The status of a request that asks for its own host choice, which `fetch` does not let it. */
function statusOf(url: string, method: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers: { host } }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode));
    })
      .once("error", reject)
      .end();
  });
}
