/** A proxy as HTTPS_PROXY and HTTP_PROXY name one, through which a single service is reached under whatever name. */
import { createServer, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import { listenOnLoopback } from "./loopback.ts";

export interface HttpProxy {
  readonly address: string;
  /** What it was asked for: `CONNECT service.example:8443`, or a method with an absolute address. */
  readonly asked: readonly string[];
  /** The headers of each. */
  readonly headers: readonly IncomingMessage["headers"][];
  /** Lets those through who are held. */
  letGo(): void;
  /** Ends all connections, and takes no more. */
  stop(): Promise<void>;
}

/** Instead of letting requests through: answers with a status, closes the connection, or makes them wait. */
export type Refusal = number | "close" | "hold";

/** @param port of the service */
export async function httpProxy(port: number, refusal?: Refusal): Promise<HttpProxy> {
  const asked: string[] = [];
  const headers: IncomingMessage["headers"][] = [];
  const sockets = new Set<Duplex>();
  const { promise: go, resolve: letGo } = Promise.withResolvers<void>();
  const note = (incoming: IncomingMessage): void => {
    asked.push(`${incoming.method} ${incoming.url}`);
    headers.push(incoming.headers);
  };
  const keep = <Kind extends Duplex>(socket: Kind): Kind => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    return socket;
  };
  const server = createServer(async (incoming, outgoing) => {
    note(incoming);
    if (refusal === "close") return void incoming.socket.destroy();
    if (refusal === "hold") await go;
    if (typeof refusal === "number") return void outgoing.writeHead(refusal).end("refused by the proxy");
    const { pathname, search } = new URL(incoming.url ?? "");
    const options = { port, method: incoming.method, path: pathname + search, headers: incoming.headers };
    const onward = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on("error", () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on("connection", keep);
  server.on("connect", async (incoming, socket) => {
    note(incoming);
    if (refusal === "close") return void socket.destroy();
    if (refusal === "hold") await go;
    if (typeof refusal === "number") return void socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    const onward: Socket = keep(connect(port, "127.0.0.1"));
    onward.once("connect", () => socket.write("HTTP/1.1 200 Connection established\r\n\r\n"));
    onward.pipe(socket);
    socket.pipe(onward);
    onward.once("close", () => socket.destroy());
    socket.once("close", () => onward.destroy());
  });
  const address = await listenOnLoopback(server);
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  onTestFinished(stop);
  return { address, asked, headers, letGo, stop };
}
