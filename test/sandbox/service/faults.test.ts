import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../../sandbox/service/index.ts";
import { exchange, type Sandbox, startSandbox } from "./harness.ts";
import { talksIn } from "./talk.ts";

type FaultInput = FaultRule["fault"];

/** A service that plays one fault. */
async function playing(fault: FaultInput): Promise<Sandbox> {
  const sandbox = await startSandbox();
  await sandbox.management.addFaults({ fault });
  return sandbox;
}

/** How many users the database has: whether call 5 had its effect. */
async function users(sandbox: Sandbox): Promise<number> {
  return (await sandbox.management.snapshot()).users.length;
}

function addUser(sandbox: Sandbox, signal?: AbortSignal) {
  return sandbox.send("createUser", {}, { body: { email: "ada@acme.example" }, ...(signal && { signal }) });
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
async function played({ management }: Sandbox, kind: string): Promise<void> {
  while (!(await management.requests()).some(({ fault }) => fault === kind));
}

talksIn("faults.txt");

describe("each kind of fault", () => {
  it("refuse, delay, and cut-middle send their headers, wait, and send the head and half of the body", async () => {
    const sandbox = await playing({ kind: "refuse", status: 500, headers: [["x-own", "1"]], body: "<html>" });
    const refused = await addUser(sandbox);
    expect([refused.text, refused.headers.get("x-own")]).toEqual(["<html>", "1"]);
    await sandbox.management.addFaults({ fault: { kind: "cut-middle" } });
    const [head = "", body = ""] = (await bytesOf(sandbox)).split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(body.length).toBe(Math.floor(Number(/content-length: (\d+)/.exec(head)?.[1]) / 2));
    for (const phase of ["before", "after"] as const) {
      await sandbox.management.addFaults({ fault: { kind: "delay", ms: 30, phase } });
      const from = performance.now();
      expect((await sandbox.send("createUser", {}, { body: {} })).status).toBe(200);
      expect(performance.now() - from).toBeGreaterThan(25);
    }
    expect(await users(sandbox)).toBe(3);
  });

  it.each([
    ["before", 0],
    ["after", 1],
  ] as const)("hang %s the effect never answers and leaves %i effects", async (phase, effects) => {
    const sandbox = await playing({ kind: "hang", phase });
    const giveUp = new AbortController();
    const answer = addUser(sandbox, giveUp.signal);
    answer.catch(() => undefined);
    await played(sandbox, "hang");
    giveUp.abort();
    await expect(answer).rejects.toThrow();
    expect(await users(sandbox)).toBe(effects);
  });

  it("a closing service ends what hangs and what waits", async () => {
    const sandbox = await playing({ kind: "hang" });
    await sandbox.management.addFaults({ fault: { kind: "delay", ms: 3_600_000 } });
    const answers = Promise.allSettled([addUser(sandbox), addUser(sandbox)]);
    await played(sandbox, "hang");
    await sandbox.service.close();
    expect((await answers).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });

  it.each([
    ["instead", 0],
    ["after", 1],
  ] as const)(
    "raw %s the effect writes its bytes as they are and leaves %i effects",
    async (phase, effects) => {
      const headers: [string, string][] = ["1", "2"].map((value) => ["X-Twice", value]);
      const body = Buffer.from([0xff, 0x00, 0xfe]).toString("base64");
      headers.push(["Content-Length", "999"]);
      const sandbox = await playing({ kind: "raw", status: 299, headers, body, encoding: "base64", phase });
      expect(await bytesOf(sandbox)).toBe(
        "HTTP/1.1 299 Unknown\r\nX-Twice: 1\r\nX-Twice: 2\r\nContent-Length: 999\r\nConnection: close\r\n\r\n\xff\x00\xfe",
      );
      expect(await users(sandbox)).toBe(effects);
    },
  );
});

describe("rules", () => {
  it.each([
    { fault: { kind: "explode" } },
    { fault: { kind: "refuse" } },
    { fault: { kind: "cut-before" }, time: 2 },
    { match: { path: "(" }, fault: { kind: "cut-before" } },
  ])("%j is no rule", async (rule) => {
    const { service, management } = await startSandbox();
    const sent = { method: "POST", body: JSON.stringify([rule]) };
    expect((await exchange(`${service.managementUrl}/faults`, sent)).status).toBe(422);
    expect(await management.faults()).toEqual([]);
  });
});
