/** A proxy before a service that counts every request, those for access tokens too, and does something at one of them. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { listenOnLoopback } from "../setup/loopback.ts";

interface Plan {
  /** From 1. */
  readonly request: number;
  /** Whether the service goes away there: before it gets the request, or before its answer leaves; or stays. */
  readonly goes: "before" | "after" | "never";
  readonly onRequest: () => void;
}

export class FailingService {
  readonly #service: string;
  #address = "";
  #plan: Plan | undefined;
  #isAway = false;
  /** Since the last plan. */
  requests = 0;

  private constructor(service: string) {
    this.#service = service;
  }

  /** @param url any address of the service */
  static async before(url: string): Promise<FailingService> {
    const proxy = new FailingService(new URL(url).origin);
    const server = createServer((incoming, outgoing) => proxy.#pass(incoming, outgoing));
    proxy.#address = await listenOnLoopback(server);
    return proxy;
  }

  through(url: string): string {
    return url.replace(this.#service, this.#address);
  }

  /** Whether the request of the plan came. */
  get struck(): boolean {
    return this.#plan !== undefined && this.requests >= this.#plan.request;
  }

  /** Counts from now on; without a plan, the service is there. */
  plan(plan?: Plan): void {
    this.requests = 0;
    this.#isAway = false;
    this.#plan = plan;
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.requests += 1;
    const isHere = this.requests === this.#plan?.request;
    if (isHere) this.#plan?.onRequest();
    if (isHere && this.#plan?.goes === "before") this.#isAway = true;
    if (this.#isAway) {
      incoming.socket.destroy();
      return;
    }
    if (isHere && this.#plan?.goes === "after") this.#isAway = true;
    const { method, url = "", headers } = incoming;
    const onward = request(new URL(url, this.#service), { method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", () => incoming.socket.destroy());
      answer.on("end", () => {
        if (this.#isAway) incoming.socket.destroy();
        else outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(parts));
      });
    });
    onward.on("error", () => incoming.socket.destroy());
    incoming.pipe(onward);
  }
}
