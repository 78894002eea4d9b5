import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { exchange, startSandbox } from "./harness.ts";
import { talksIn } from "./talk.ts";

talksIn("management.txt");

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
