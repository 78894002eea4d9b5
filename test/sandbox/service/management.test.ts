import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { sandboxDefaults } from "../../../sandbox/service/index.ts";
import { exchange, startSandbox } from "./harness.ts";
import { talks } from "./talk.ts";

const { organizationId, username } = sandboxDefaults;

talks(`
the clock is shifted, fixed and freed
  manage.setClock { offsetMs: 60000 }
  manage.clock -> { now: "/^2026-01-15T12:01:00/" }
  manage.advance 5000
  manage.clock -> { now: "/^2026-01-15T12:01:05/" }
  manage.setClock { fixedAt: 2026-01-15T12:00:10Z }
  manage.advance 5000
  manage.clock -> { now: "/^2026-01-15T12:00:15/" }
  manage.setClock {}
  manage.clock -> { now: "/^2026-01-15T12:00:00/" }

passwords are changed, and admins added
  manage.changeAdmin $seed.username, { password: new }
  askToken { grant_type: password, username: $seed.username, password: $seed.password } -> 400
  askToken { grant_type: password, username: $seed.username, password: new } -> 200
  manage.addAdmin { organizationId: $org, username: second@acme.example, password: p }
  askToken { grant_type: password, username: second@acme.example, password: p } -> 200

the management side reports why one of its own requests failed
  manage.changeSubscription nobody, { seats: 1 } -> ! 404
  manage.changeSubscription $org, { seats: -1 } -> ! 422
  manage.changeAdmin nobody, { admin: true } -> ! 404
  manage.addAdmin { organizationId: $org, username: $seed.username, password: p } -> ! 409

secrets that are made begin with a marker from then on
  manage.setSwitches { secretMarker: "m\u00e4rk\\\\er'", accessTokenMarker: "\\"mark'" }
  $made = createServiceAccount { body: { name: marked } } -> 200 { client_secret: "/^m\u00e4rk\\\\\\\\er'/" }
  askToken { grant_type: client_credentials, client_id: $made.client_id, client_secret: $made.client_secret }
    -> 200 { access_token: "/^\\"mark'.{43}$/" }
  $ada = addUser
  $token = issueToken { user_id: $ada, body: { expires_at: 2026-06-30 } } -> 200 { token: "/^m\u00e4rk\\\\\\\\er'/" }
  manage.probe $token.token -> { live: true }
  manage.setSwitches { accessTokenMarker: "m\u00e4rk" } -> ! ASCII

a reset brings everything back to the seed
  addUser
  models.addModel { name: tiny, files: [{ name: a.gguf }] }
  manage.setClock { offsetMs: 1000 }
  manage.setSwitches { repeatSeat: "409" }
  manage.changeSubscription $org, { seats: 99, expiresAt: 2030-01-01 }
  manage.addFaults { times: always, fault: { kind: cut-before } }
  manage.reset
  manage.snapshot -> = { serviceAccounts: [], users: [], tokens: [], modelFiles: [], servers: [],
    admins: [{ organizationId: ${organizationId}, username: ${username}, isAdmin: true }],
    organizations: [{ organizationId: ${organizationId}, seats: 2, seatsHeld: 0, subscriptionExpiresAt: 2026-12-31T23:59:59Z }] }
  manage.requests -> []
  manage.clock -> { setting: { offsetMs: 0 } }
  manage.switches -> { repeatSeat: "201" }
  listServiceAccounts -> 401
  signIn
`);

describe("the management side", () => {
  it("answers on its own port alone, where the calls do not", async () => {
    const sandbox = await startSandbox();
    const { orgUrl, managementUrl } = sandbox.service;
    const elsewhere = sandbox.url("listServiceAccounts").replace(new URL(orgUrl).origin, managementUrl);
    for (const url of [new URL("/snapshot", orgUrl).href, elsewhere])
      expect((await exchange(url)).status).toBe(404);
  });

  it("refuses web pages, also one whose name leads to this machine", async () => {
    const { service, management } = await startSandbox();
    await management.setSwitches({ repeatSeat: "409" });
    const headers = { origin: "https://elsewhere.example" };
    const answer = await exchange(`${service.managementUrl}/reset`, { method: "POST", headers });
    expect(answer.status).toBe(403);
    const { port } = new URL(service.managementUrl);
    // Node's own server refuses what is no host at all.
    for (const host of [
      ...[
        "evil.example",
        `evil.example:${port}`,
        `127.0.0.1.evil.example:${port}`,
        `localhost.evil.example:${port}`,
      ],
      ...["localhost", "localhost:1", `127.0.0.1:${port}@evil.example`],
    ])
      for (const [method, path] of [
        ["GET", "/snapshot"],
        ["POST", "/reset"],
      ] as const)
        expect([400, 403], host).toContain(await statusOf(`${service.managementUrl}${path}`, method, host));
    expect((await management.switches()).repeatSeat).toBe("409");
    for (const name of ["localhost", "LOCALHOST", "127.0.0.1", "127.0.0.2", "[::1]"])
      expect(await statusOf(`${service.managementUrl}/health`, "GET", `${name}:${port}`), name).toBe(200);
  });
});

describe("the request log and the snapshot", () => {
  it("show who sent which request, in order, without secrets", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser({ email: "ada@acme.example" });
    await sandbox.send("assignSeat", { user_id });
    const { text } = await sandbox.send("issueToken", { user_id }, { body: { expires_at: "2026-06-30" } });
    await sandbox.send("listServiceAccounts", {}, { token: "unknown-token" });
    await sandbox.signIn();
    const log = await sandbox.management.requests();
    const ours = { credential: "serviceAccount", caller: sandbox.account.clientId, userId: user_id };
    expect(log).toMatchObject([
      { call: 5, method: "POST", status: 200, ...ours, fields: ["email"] },
      { call: 6, method: "POST", status: 201, ...ours, fields: [] },
      { call: 7, method: "POST", status: 200, ...ours, fields: ["expires_at"] },
      { call: 2, method: "GET", status: 401, credential: "invalid", caller: null, userId: null },
      { call: "token", status: 200, credential: "user", fields: ["grant_type", "username", "password"] },
    ]);
    expect(log.map(({ number }) => number)).toEqual(log.map((_, index) => (log[0]?.number ?? 0) + index));
    const { token } = JSON.parse(text);
    const shown = JSON.stringify([log, await sandbox.management.snapshot()]);
    const { clientSecret } = sandbox.account;
    for (const secret of [
      sandbox.service.seed.password,
      sandbox.adminToken,
      "unknown-token",
      token,
      clientSecret,
    ])
      expect(shown).not.toContain(secret);
    expect(JSON.stringify(log)).not.toContain("ada@");
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
