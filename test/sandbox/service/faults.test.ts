import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../../sandbox/service/index.ts";
import { codeOf, exchange, type Sandbox, startSandbox } from "./harness.ts";

type FaultInput = FaultRule["fault"];

/** How many users the database has: whether call 5 had its effect. */
async function users(sandbox: Sandbox): Promise<number> {
  return (await sandbox.management.snapshot()).users.length;
}

function addUser(sandbox: Sandbox, signal?: AbortSignal) {
  return sandbox.send(
    "createUser",
    {},
    { body: { email: "ada@acme.example" }, ...(signal ? { signal } : {}) },
  );
}

/** Sends call 5 on a bare socket and gives every byte that comes back until the connection ends. */
function bytesOf(sandbox: Sandbox): Promise<string> {
  const { hostname, port, pathname } = new URL(sandbox.url("createUser"));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.on("data", (chunk) => chunks.push(Buffer.from(chunk)));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: sandbox\r\nAuthorization: Bearer ${sandbox.accountToken}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
    );
  });
}

/** Resolves when the log says that the fault was played. */
async function played(sandbox: Sandbox, kind: string): Promise<void> {
  for (;;) {
    const requests = await sandbox.management.requests();
    if (requests.some(({ fault }) => fault === kind)) return;
  }
}

describe("each kind of fault", () => {
  it("refuse answers what the rule says, without the effect", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults(
      { fault: { kind: "refuse", status: 503, headers: { "retry-after": "7" } } },
      { fault: { kind: "refuse", status: 500, body: "<html>", headers: [["content-type", "text/html"]] } },
      { fault: { kind: "refuse", status: 422, body: { detail: [] } } },
      { fault: { kind: "refuse", status: 204 } },
    );
    const [first, second, third, fourth] = [
      await addUser(sandbox),
      await addUser(sandbox),
      await addUser(sandbox),
      await addUser(sandbox),
    ];
    expect([first.status, codeOf(first), first.headers.get("retry-after")]).toEqual([
      503,
      "INJECTED_FAULT",
      "7",
    ]);
    expect([second.status, second.text, second.headers.get("content-type")]).toEqual([
      500,
      "<html>",
      "text/html",
    ]);
    expect([third.status, third.body]).toEqual([422, { detail: [] }]);
    expect([fourth.status, fourth.text]).toEqual([204, ""]);
    expect(await users(sandbox)).toBe(0);
  });

  it.each<[FaultInput, number]>([
    [{ kind: "cut-before" }, 0],
    [{ kind: "cut-after" }, 1],
    [{ kind: "cut-middle" }, 1],
  ])("%j leaves no answer and %i effects", async (fault, effects) => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults({ fault });
    await expect(addUser(sandbox)).rejects.toThrow();
    expect(await users(sandbox)).toBe(effects);
    const logged = await sandbox.management.requests();
    expect(logged).toMatchObject([{ call: 5, status: null, fault: fault.kind }]);
    expect((await sandbox.send("listServiceAccounts")).status).toBe(200);
  });

  it("cut-middle sends the head and half of the body", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults({ fault: { kind: "cut-middle" } });
    const [head = "", body = ""] = (await bytesOf(sandbox)).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const length = Number(/content-length: (\d+)/.exec(head)?.[1]);
    expect(body.length).toBe(Math.floor(length / 2));
    expect(body).toMatch(/^\{"id"/);
  });

  it("cut-middle of an answer without a body cuts its head", async () => {
    const sandbox = await startSandbox();
    const user_id = await sandbox.addUser();
    await sandbox.management.addFaults({ fault: { kind: "cut-middle" } });
    await expect(sandbox.send("assignSeat", { user_id })).rejects.toThrow();
    expect((await sandbox.management.snapshot()).users[0]?.seat).toBe(true);
  });

  it.each<["before" | "after", number]>([
    ["before", 0],
    ["after", 1],
  ])("hang %s the effect never answers and leaves %i effects", async (phase, effects) => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults({ fault: { kind: "hang", phase } });
    const giveUp = new AbortController();
    const answer = addUser(sandbox, giveUp.signal);
    answer.catch(() => undefined);
    await played(sandbox, "hang");
    expect(await users(sandbox)).toBe(effects);
    giveUp.abort();
    await expect(answer).rejects.toThrow();
    expect(await users(sandbox)).toBe(effects);
  });

  it.each<FaultInput>([
    { kind: "delay", ms: 30 },
    { kind: "delay", ms: 30, phase: "after" },
  ])("%j answers late and as usual", async (fault) => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults({ fault });
    const from = performance.now();
    expect((await addUser(sandbox)).status).toBe(200);
    expect(performance.now() - from).toBeGreaterThan(25);
    expect(await users(sandbox)).toBe(1);
  });

  it("a closing service ends what hangs and what waits", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults(
      { fault: { kind: "hang" } },
      { fault: { kind: "delay", ms: 3_600_000 } },
    );
    const answers = Promise.allSettled([addUser(sandbox), addUser(sandbox)]);
    await played(sandbox, "hang");
    await sandbox.service.close();
    expect((await answers).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it.each<["instead" | "after", number]>([
    ["instead", 0],
    ["after", 1],
  ])("raw %s the effect writes its bytes as they are and leaves %i effects", async (phase, effects) => {
    const sandbox = await startSandbox();
    const headers: [string, string][] = [
      ["Content-Type", "text/html"],
      ["X-Twice", "1"],
      ["X-Twice", "2"],
      ["Content-Length", "999"],
    ];
    await sandbox.management.addFaults({ fault: { kind: "raw", status: 299, headers, body: "<p>", phase } });
    expect(await bytesOf(sandbox)).toBe(
      "HTTP/1.1 299 Unknown\r\nContent-Type: text/html\r\nX-Twice: 1\r\nX-Twice: 2\r\nContent-Length: 999\r\n" +
        "Connection: close\r\n\r\n<p>",
    );
    expect(await users(sandbox)).toBe(effects);
  });

  it("raw takes bytes that are no text, and a length that lies breaks the client", async () => {
    const sandbox = await startSandbox();
    const body = Buffer.from([0xff, 0x00, 0xfe]).toString("base64");
    await sandbox.management.addFaults(
      { fault: { kind: "raw", body, encoding: "base64" } },
      { fault: { kind: "raw", headers: { "content-length": "10" }, body: "{}" } },
    );
    expect((await bytesOf(sandbox)).endsWith("\r\n\r\n\xff\x00\xfe")).toBe(true);
    await expect(addUser(sandbox)).rejects.toThrow();
  });
});

describe("rules", () => {
  const refuse: FaultInput = { kind: "refuse", status: 418 };

  it.each<[string, FaultRule["match"], boolean]>([
    ["its call", { call: 5 }, true],
    ["another call", { call: 6 }, false],
    ["the method", { method: "post" }, true],
    ["another method", { method: "DELETE" }, false],
    ["the path", { path: "/users$" }, true],
    ["another path", { path: "/seats$" }, false],
    ["the body", { body: "ada@" }, true],
    ["another body", { body: "bob@" }, false],
    ["the call, but not the method", { call: 5, method: "DELETE" }, false],
  ])("a rule for %s", async (_, match = {}, hit) => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults({ match, fault: refuse });
    expect((await addUser(sandbox)).status === 418).toBe(hit);
  });

  it("a rule for one user leaves the others alone", async () => {
    const sandbox = await startSandbox();
    const [first, second] = [await sandbox.addUser(), await sandbox.addUser()];
    await sandbox.management.addFaults({ match: { userId: second }, fault: refuse });
    expect((await sandbox.send("assignSeat", { user_id: first })).status).toBe(201);
    expect((await sandbox.send("assignSeat", { user_id: second })).status).toBe(418);
  });

  it("a rule for the token endpoint", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults({ match: { call: "token" }, fault: refuse });
    expect((await sandbox.send("listServiceAccounts")).status).toBe(200);
    expect((await sandbox.askToken({})).status).toBe(418);
  });

  it("let the first through by `after`, count hits by `times`, and the first that fits wins", async () => {
    const sandbox = await startSandbox();
    await sandbox.management.addFaults(
      { after: 1, times: 2, fault: refuse },
      { match: { call: 2 }, times: "always", fault: { kind: "refuse", status: 500 } },
    );
    const statuses = [];
    for (let count = 0; count < 5; count += 1)
      statuses.push((await sandbox.send("listServiceAccounts")).status);
    expect(statuses).toEqual([500, 418, 418, 500, 500]);
    expect((await sandbox.management.faults()).map(({ seen, hits }) => [seen, hits])).toEqual([
      [3, 2],
      [3, 3],
    ]);
    await sandbox.management.clearFaults();
    expect((await sandbox.send("listServiceAccounts")).status).toBe(200);
  });

  it.each([
    { fault: { kind: "explode" } },
    { fault: { kind: "refuse" } },
    { fault: { kind: "cut-before" }, time: 2 },
    { match: { path: "(" }, fault: { kind: "cut-before" } },
  ])("%j is no rule", async (rule) => {
    const sandbox = await startSandbox();
    const answer = await exchange(`${sandbox.service.managementUrl}/faults`, {
      method: "POST",
      body: JSON.stringify([rule]),
    });
    expect(answer.status).toBe(422);
    expect(await sandbox.management.faults()).toEqual([]);
  });
});
