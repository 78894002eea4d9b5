import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import type { OrganizationApi } from "../../../provider/api/calls/organization.ts";
import { platforms } from "../../../provider/api/calls/platform.ts";
import { type ClientSettings, createClient } from "../../../provider/api/client.ts";
import {
  credentials,
  during,
  failureOf,
  type Received,
  type Script,
  type Scripted,
  Service,
  startRaw,
  TestClock,
} from "./service.ts";

const within = (clock: TestClock, ms: number) => ({ deadline: clock.monotonic() + ms });
/** The first answer, then success. */
const then =
  (first: Scripted, success: Scripted = {}): Script =>
  (_, count) =>
    count === 1 ? first : success;

type Start = (org: OrganizationApi, operation: { deadline: number }) => Promise<unknown>;
const post: Start = (org, operation) => org.assignSeat("u", operation);

describe("a request that never left", () => {
  test("leaves once the service is there, a POST too", async () => {
    const clock = new TestClock();
    const { port, free } = await reservePort();
    const org = client(`http://127.0.0.1:${port}`, { clock });
    let listening: Promise<unknown> = Promise.resolve();
    const calls: string[] = [];
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms) => {
      if (clock.sleeps.length === 2) listening = listen(port, calls);
      await listening;
      await sleep(ms);
    };
    await free();
    await post(org, within(clock, 1e5));
    expect(calls.filter((line) => line.includes("seats"))).toHaveLength(1);
    expect(clock.sleeps.length).toBeGreaterThanOrEqual(3);
    await ((await listening) as () => Promise<void>)();
  });

  test.each<[string, string, string]>([
    ["a refused connection", "http://127.0.0.1:1", "ECONNREFUSED"],
    ["an unknown host", "http://nobody.invalid", "E"],
  ])("ends as unreachable at the deadline, after growing pauses: %s", async (_, url, code) => {
    const clock = new TestClock();
    const error = await failureOf(post(client(url, { clock }), within(clock, 10_000)));
    expect(error).toMatchObject({ code: "unreachable", effectUnknown: false });
    expect(error.message).toContain(code);
    expect(Object.keys(error.cause as object)).toEqual(["code", "message"]);
    expect(clock.sleeps.length).toBeGreaterThanOrEqual(4);
    clock.sleeps.forEach((ms, i) => {
      const whole = Math.min(200 * 2 ** i, 5_000);
      expect(ms).toBeGreaterThanOrEqual(whole / 2);
      expect(ms).toBeLessThanOrEqual(whole);
    });
  });

  test("ends at once if the other side speaks no TLS", async () => {
    const clock = new TestClock();
    await using service = await startRaw((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const error = await failureOf(
      post(client(service.url.replace("http", "https"), { clock }), within(clock, 1_000)),
    );
    expect(error.code).toBe("unreachable");
    expect(clock.sleeps).toEqual([]);
  });

  test("keeps the doubt of an earlier attempt of the same call", async () => {
    const clock = new TestClock();
    const service = await Service.start(() => {
      queueMicrotask(() => service[Symbol.asyncDispose]());
      return { fault: "close" };
    });
    const other = createClient({
      orgUrl: service.url,
      tokenUrl: `${service.url}/token`,
      platform: platforms.basic,
      clock,
    });
    const error = await failureOf(other.organization("o", credentials).removeUser("u", within(clock, 3_000)));
    expect(error).toMatchObject({ code: "no-answer", effectUnknown: true });
    expect(error.message).toContain("ECONNREFUSED");
  });
});

describe("limit 4, D31: a 429", () => {
  const DAY = 86_400_000;
  const date = (ms: number) => new Date(new TestClock().now() + ms).toUTCString();
  test.each([
    ["seconds", "7", 0, 7_000],
    ["a date", date(7_000), 0, 7_000],
    ["a date, by a clock a day ahead of this one", date(DAY + 7_000), DAY, 7_000],
    ["a date, by a clock a day behind this one", date(7_000 - DAY), -DAY, 7_000],
    ["a date gone by", new Date(0).toUTCString(), 0, 0],
    ["nothing", undefined, 0, 0],
    ["nonsense", "soon", 0, 0],
  ])("delays the repeat as it asks, of a POST too: %s (D46)", async (_, header, ahead, least) => {
    const clock = new TestClock();
    const asked: Record<string, string> = header === undefined ? {} : { "retry-after": header };
    const headers = { ...asked, date: date(ahead) };
    await using service = await Service.start(then({ status: 429, headers }));
    await post(service.organization({ clock }), within(clock, 20_000));
    expect(service.calls).toHaveLength(2);
    const waited = clock.sleeps.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(Math.max(least, 100));
    expect(waited).toBeLessThan(least + 400);
  });

  test("fails at once if it asks for more time than there is, and says how long", async () => {
    const clock = new TestClock();
    await using service = await Service.start(() => ({ status: 429, headers: { "retry-after": "30" } }));
    const org = service.organization({ clock });
    const error = await failureOf(post(org, within(clock, 20_000)));
    expect(error).toMatchObject({ code: "rate-limited", status: 429, effectUnknown: false });
    expect(error.message).toContain("retry after 30 s");
    const next = await failureOf(org.removeUser("u", within(clock, 20_000)));
    expect(next).toMatchObject({ code: "rate-limited", status: undefined });
    expect(next.message).toContain("limits the request rate for another 30 s");
    expect(service.calls).toHaveLength(1);
  });

  test("holds the whole origin: a storm sends nothing before the time", async () => {
    const clock = new TestClock();
    const times: number[] = [];
    await using service = await Service.start((_, count) => {
      times.push(clock.monotonic());
      return count === 1 ? { status: 429, headers: { "retry-after": "9" } } : {};
    });
    const org = service.organization({ clock, concurrency: 1 });
    const start = clock.monotonic();
    await Promise.all(Array.from({ length: 40 }, () => post(org, within(clock, 60_000))));
    expect(times).toHaveLength(41);
    expect(times.slice(1).every((time) => time >= start + 9_000)).toBe(true);
  });
});

describe("the deadline", () => {
  test("lets nothing out once it has passed", async () => {
    await using service = await Service.start(() => ({}));
    const error = await failureOf(post(service.organization(), { deadline: performance.now() - 1 }));
    expect(error.code).toBe("out-of-time");
    expect(service.calls.length + service.tokenRequests.length).toBe(0);
  });

  test("ends a request that was sent as one without an answer", async () => {
    await using service = await Service.start(() => ({ fault: "hang" }));
    const error = await failureOf(post(service.organization(), during(150)));
    expect(error).toMatchObject({ code: "no-answer", effectUnknown: true });
    expect(service.calls).toHaveLength(1);
  });

  test("ends a wait in line: the request is not sent", async () => {
    await using service = await Service.start(() => ({ fault: "hang" }));
    const org = service.organization({ concurrency: 1 });
    const first = failureOf(post(org, during(400)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const error = await failureOf(post(org, during(50)));
    expect(error).toMatchObject({ code: "out-of-time", effectUnknown: false });
    await first;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(service.calls).toHaveLength(1);
  });

  test("ends repeats with the last error", async () => {
    const clock = new TestClock();
    await using service = await Service.start(() => ({ status: 502, body: "<html>bad gateway" }));
    const error = await failureOf(service.organization({ clock }).removeUser("u", within(clock, 2_000)));
    expect(error).toMatchObject({ code: "service-failed", status: 502 });
    expect(error.message).toContain(`(attempt ${service.calls.length})`);
    expect(service.calls.length).toBeGreaterThan(2);
  });
});

test("a repeat without an answer in time: the error has the answer before it", async () => {
  await using service = await Service.start((_, count) =>
    count === 1 ? { status: 503, body: "tired" } : { fault: "hang" },
  );
  const clock = new TestClock();
  const org = service.organization({ clock, timeoutMs: 500 });
  const error = await failureOf(org.removeSeat("u", within(clock, 2_000)));
  expect(error.code).toBe("no-answer");
  expect(error.message).toMatch(
    /no complete response within \d+ ms \(attempt \d\); the previous attempt failed with HTTP 503: tired \(/,
  );
});

test("no more requests run at once than allowed, and waiting in line does not eat the request's time", async () => {
  let running = 0;
  let most = 0;
  await using service = await Service.start(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 100));
    running--;
    return {};
  });
  const org = service.organization({ concurrency: 4, timeoutMs: 700 });
  await Promise.all(Array.from({ length: 40 }, () => post(org, during())));
  expect(most).toBe(4);
});

test("a kept-alive connection that the server closes costs no POST", async () => {
  // The server ends every connection right after its answer, without saying so.
  await using service = await startRaw((socket, text) => {
    const body = text.includes("/token") ? '{"access_token":"abcdef"}' : "{}";
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  });
  const org = client(service.url);
  for (let i = 0; i < 30; i++) await post(org, during());
});

test("one call of a closed client fails, and at once", async () => {
  await using service = await Service.start(() => ({}));
  const closed = service.client();
  await closed.close();
  const error = await failureOf(post(closed.organization("o", credentials), during()));
  expect(error.message).toContain("the client is closed");
});

test.each(["ftp://host", "nothing", "https://me:secret@host"])("%s is no address (D1)", (orgUrl) => {
  const open = () => createClient({ orgUrl, tokenUrl: "https://host/t", platform: platforms.basic });
  expect(open).toThrow(/orgseat:orgUrl (is not|must not)/);
  expect(open).not.toThrow(/secret@/);
});

test.each(["", "/", "/api/v1", "/api/v1/"])("the address may end in %j (D1)", async (end) => {
  const seen: Received[] = [];
  await using service = await Service.start((request) => {
    seen.push(request);
    return {};
  });
  await post(service.organization({ orgUrl: service.url + end }), during());
  expect(seen[0]?.url).toBe(`${end.replace(/\/$/, "")}/organizations/the-org/users/u/seats`);
});

function client(url: string, settings: Partial<ClientSettings> = {}): OrganizationApi {
  const made = createClient({
    orgUrl: url,
    tokenUrl: `${url}/token`,
    platform: platforms.basic,
    ...settings,
  });
  return made.organization("o", credentials);
}

async function reservePort(): Promise<{ port: number; free: () => Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { port: address.port, free: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** A raw service on that port. @returns what ends it */
async function listen(port: number, calls: string[]): Promise<() => Promise<void>> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      calls.push(data.toString().split("\r\n")[0] ?? "");
      const body = '{"access_token":"abcdef"}';
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return () => new Promise((resolve) => server.close(() => resolve()));
}
