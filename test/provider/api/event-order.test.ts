/**
 * What the client relies on of undici, directly and through proxies: a request counts as sent from `onRequestStart` on, and
 * no byte of it leaves before or without that. A POST is repeated only if that has not come. A release of undici that
 * changes this turns something red here.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Dispatcher } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { proxyOf } from "../../../provider/api/client/proxies.ts";
import { exchange, type HttpRequest, openConnections } from "../../../provider/api/client/transport.ts";
import { packageRoot } from "../../../sandbox/pulumi/package-root.ts";
import { makeCertificate, trust } from "../../setup/certificate.ts";
import { type HttpProxy, httpProxy, type Refusal } from "../../setup/http-proxy.ts";
import { type Script, Service } from "./service.ts";

const certificate = makeCertificate("localhost", "service.example");
const post: HttpRequest = { method: "POST", path: "/x", headers: ["accept", "*/*"], body: '{"a":1}' };
const inTime = 5_000;

/** A service and how it is reached. */
interface Reached {
  readonly service: Service;
  readonly connections: Dispatcher;
  readonly origin: string;
}

type Reach = (script: Script, front?: Refusal) => Promise<Reached & { readonly front: HttpProxy }>;

async function open(origin: string, environment: Record<string, string> = {}): Promise<Dispatcher> {
  const proxy = proxyOf(new URL(origin), environment);
  if (proxy && "error" in proxy) throw new Error(proxy.error);
  const connections = await openConnections({ concurrency: 1, timeoutMs: inTime, proxy });
  onTestFinished(() => connections.destroy());
  return connections;
}

async function serve(script: Script, isSecure: boolean): Promise<Service> {
  if (isSecure) trust(certificate);
  const service = await Service.start(script, undefined, isSecure ? certificate : undefined);
  onTestFinished(() => service[Symbol.asyncDispose]());
  return service;
}

/** Passes connections on, byte by byte: what stands before a service that is reached directly. */
async function directProxy(port: number, refusal?: Refusal): Promise<HttpProxy> {
  const sockets = new Set<Socket>();
  const { promise: go, resolve: letGo } = Promise.withResolvers<void>();
  const server = createServer(async (socket) => {
    sockets.add(socket.on("error", () => socket.destroy()));
    if (refusal === "close") return void socket.destroy();
    if (refusal === "hold") await go;
    const onward = connect(port, "127.0.0.1").on("error", () => socket.destroy());
    sockets.add(onward);
    socket.pipe(onward);
    onward.pipe(socket);
    onward.once("close", () => socket.destroy());
    socket.once("close", () => onward.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(stop);
  const { port: own } = server.address() as AddressInfo;
  return { address: `https://localhost:${own}`, asked: [], headers: [], letGo, stop };
}

const directly: Reach = async (script, refusal) => {
  const service = await serve(script, true);
  const front = await directProxy(service.port, refusal);
  return { service, front, origin: front.address, connections: await open(front.address) };
};

const throughTunnel: Reach = async (script, refusal) => {
  const service = await serve(script, true);
  const front = await httpProxy(service.port, refusal);
  const connections = await open(service.url, { HTTPS_PROXY: front.address });
  return { service, front, origin: service.url, connections };
};

const throughForwarding: Reach = async (script, refusal) => {
  const service = await serve(script, false);
  const front = await httpProxy(service.port, refusal);
  const origin = `http://service.example:${service.port}`;
  return { service, front, origin, connections: await open(origin, { HTTP_PROXY: front.address }) };
};

/** The events of one request in their order; `turn over` comes at the end of the turn in which it was started. */
function watch(path: string): {
  readonly events: string[];
  readonly handler: Dispatcher.DispatchHandler;
  readonly over: Promise<void>;
} {
  const events: string[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const onWritten = (message: unknown): void => {
    const { request } = z
      .object({ request: z.object({ path: z.string(), method: z.string() }) })
      .parse(message);
    if (request.method === "POST" && request.path.endsWith(path)) events.push("written");
  };
  subscribe("undici:client:sendHeaders", onWritten);
  onTestFinished(() => void unsubscribe("undici:client:sendHeaders", onWritten));
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => {
      events.push("started");
      queueMicrotask(() => events.push("turn over"));
    },
    onResponseStart: (_, status) => void events.push(`answered ${status}`),
    onResponseData: () => {},
    onResponseEnd: () => {
      events.push("ended");
      resolve();
    },
    onResponseError: (controller) => {
      events.push(`failed ${controller === null ? "before" : "after"} it had a connection`);
      resolve();
    },
  };
  return { events, handler, over };
}

describe.each<[string, Reach]>([
  ["directly", directly],
  ["through the tunnel of a proxy", throughTunnel],
  ["through a proxy that forwards", throughForwarding],
])("a request that is sent %s", (_, reach) => {
  test("starts once, in the turn in which it is written and before that, and then ends with the answer", async () => {
    const { service, connections, origin } = await reach(() => ({}));
    const { events, handler, over } = watch("/x");
    connections.dispatch({ ...post, headers: [...post.headers], body: post.body ?? null, origin }, handler);
    expect(events, "not in the turn in which it is dispatched").toEqual([]);
    await over;
    expect(events).toEqual(["started", "written", "turn over", "answered 200", "ended"]);
    expect(service.calls).toHaveLength(1);
  });

  test("stays unwritten if given up at its start", async () => {
    const { service, connections, origin } = await reach(() => ({}));
    const { events, handler, over } = watch("/x");
    const start: Dispatcher.DispatchHandler["onRequestStart"] = (controller) => {
      events.push("started");
      controller.abort(new Error("given up"));
    };
    connections.dispatch(
      { ...post, headers: [...post.headers], body: post.body ?? null, origin },
      { ...handler, onRequestStart: start },
    );
    await over;
    expect(events).toEqual(["started", expect.stringMatching(/^failed/)]);
    expect(await exchange(connections, origin, { ...post, path: "/y" }, inTime)).toMatchObject({
      status: 200,
    });
    expect(service.calls.map(({ url }) => url)).toEqual(["/y"]);
  });

  test("never left where nobody listens", async () => {
    const { service, connections, origin, front } = await reach(() => ({}));
    await front.stop();
    const outcome = await exchange(connections, origin, post, inTime);
    expect(outcome).toMatchObject({ loss: "never-left", code: "ECONNREFUSED" });
    expect(service.calls).toEqual([]);
  });

  test.each([["close"], ["cut"], ["hang"]] as const)(
    "counts as lost unless the answer comes whole: %s",
    async (fault) => {
      const { service, connections, origin } = await reach(() => ({ fault }));
      expect(await exchange(connections, origin, post, fault === "hang" ? 500 : inTime)).toMatchObject({
        loss: "lost",
      });
      expect(service.calls).toHaveLength(1);
    },
  );

  test("counts as lost if its connection was just being closed", async () => {
    const { service, connections, origin, front } = await reach((__, count) =>
      count === 1 ? {} : { fault: "close" },
    );
    expect(await exchange(connections, origin, post, inTime)).toMatchObject({ status: 200 });
    expect(await exchange(connections, origin, post, inTime)).toMatchObject({ loss: "lost" });
    expect(service.calls).toHaveLength(2);
    await front.stop();
  });

  test("waits for the one before it, and is not started on a connection that this one lost", async () => {
    const { service, connections, origin } = await reach((__, count) =>
      count === 1 ? { fault: "close" } : {},
    );
    const outcomes = await Promise.all(
      ["/1", "/2"].map((path) => exchange(connections, origin, { ...post, path }, inTime)),
    );
    expect(outcomes).toMatchObject([{ loss: "lost" }, { status: 200 }]);
    expect(service.calls.map(({ url }) => url)).toEqual(["/1", "/2"]);
  });
});

describe.each<[string, Reach]>([
  ["directly", directly],
  ["through the tunnel of a proxy", throughTunnel],
])("a request that is to be sent %s", (_, reach) => {
  test("never leaves if given up while connecting, even once there is a connection", async () => {
    const { service, connections, origin, front } = await reach(() => ({}), "hold");
    const outcome = await exchange(connections, origin, post, 100);
    expect(outcome).toMatchObject({ loss: "never-left", code: "TIMEOUT" });
    front.letGo();
    expect(await exchange(connections, origin, { ...post, path: "/y" }, inTime)).toMatchObject({
      status: 200,
    });
    expect(service.calls.map(({ url }) => url)).toEqual(["/y"]);
  });

  test("never left where the connection is closed before it is secure", async () => {
    const { service, connections, origin } = await reach(() => ({}), "close");
    expect(await exchange(connections, origin, post, inTime)).toMatchObject({ loss: "never-left" });
    expect(service.calls).toEqual([]);
  });

  test("never left where the certificate is not trusted", async () => {
    const other = makeCertificate("localhost", "service.example");
    const service = await Service.start(() => ({}), undefined, other);
    onTestFinished(() => service[Symbol.asyncDispose]());
    const isDirect = reach === directly;
    const front = isDirect ? await directProxy(service.port) : await httpProxy(service.port);
    const origin = isDirect ? front.address : service.url;
    const connections = await open(origin, isDirect ? {} : { HTTPS_PROXY: front.address });
    const outcome = await exchange(connections, origin, post, inTime);
    expect(outcome).toMatchObject({ loss: "never-left", code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(service.calls).toEqual([]);
  });
});

describe("a proxy that refuses", () => {
  test.each([[407], [502], [403], [301]])(
    "keeps a request from leaving if it refuses the tunnel by %s",
    async (status) => {
      const { service, connections, origin } = await throughTunnel(() => ({}), status);
      expect(await exchange(connections, origin, post, inTime)).toMatchObject({ loss: "never-left" });
      expect(service.calls).toEqual([]);
    },
  );

  test("makes 407 a lost answer and any other status an answer if it refuses to forward", async () => {
    const asked = await throughForwarding(() => ({}), 407);
    expect(await exchange(asked.connections, asked.origin, post, inTime)).toMatchObject({ loss: "lost" });
    const bad = await throughForwarding(() => ({}), 502);
    expect(await exchange(bad.connections, bad.origin, post, inTime)).toMatchObject({ status: 502 });
  });
});

test("the version of undici is exact, and the one that was looked at here", () => {
  const { dependencies } = z
    .object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")));
  const { version }: { version: string } = createRequire(import.meta.url)("undici/package.json");
  expect(dependencies.undici).toBe(version);
});
