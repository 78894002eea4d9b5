/**
 * A proxy that cuts a client off at any of its writes, as if the client were killed: from then on no request arrives, and
 * no response comes. Each client has its own address.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { listenOnLoopback } from "./loopback.ts";

/** When a client is cut off: before the service gets its n-th write, or after the service has done it. */
export interface Cutoff {
  /** From 1. */
  readonly write: number;
  readonly place: "before" | "after";
}

interface Client {
  readonly cutoff: Cutoff | undefined;
  readonly onCutoff: () => void;
  writes: number;
  isCutOff: boolean;
}

export class CutoffProxy {
  readonly #service: string;
  readonly #address: string;
  readonly #clients: Client[] = [];

  private constructor(address: string, service: string) {
    this.#address = address;
    this.#service = service;
  }

  /** @param url any address of the service */
  static async to(url: string): Promise<CutoffProxy> {
    const server = createServer((incoming, outgoing) => void proxy.#pass(incoming, outgoing));
    const proxy = new CutoffProxy(await listenOnLoopback(server), new URL(url).origin);
    return proxy;
  }

  /** The address of the service for one client. @param onCutoff is called once, when the client is cut off */
  addressFor(url: string, cutoff?: Cutoff, onCutoff: () => void = () => undefined): string {
    this.#clients.push({ cutoff, onCutoff, writes: 0, isCutOff: false });
    return url.replace(this.#service, `${this.#address}/${this.#clients.length - 1}`);
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    const [, index = "", path = ""] = /^\/(\d+)(\/.*)$/.exec(url) ?? [];
    const client = this.#clients[Number(index)];
    if (client === undefined || client.isCutOff) return;
    const isLast = method !== "GET" && ++client.writes === client.cutoff?.write;
    const cutOff = (): void => {
      client.isCutOff = true;
      client.onCutoff();
    };
    if (isLast && client.cutoff?.place === "before") return cutOff();
    const onward = request(new URL(path, this.#service), { method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", () => incoming.socket.destroy());
      answer.on("end", () => {
        if (isLast) cutOff();
        if (!client.isCutOff)
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(parts));
      });
    });
    onward.on("error", () => incoming.socket.destroy());
    incoming.pipe(onward);
  }
}
