/** A proxy in front of a service: it records every request, and can hold one, or answer in the place of the service. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { listenOnLoopback } from "./loopback.ts";

/** A request that reached the proxy. */
export interface InterceptedRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Undefined as long as the service has not answered. */
  answer: Answer | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What is held: the request, not yet sent on; or its answer, the service having done its work. */
export type Place = "request" | "answer";

export interface HeldRequest {
  readonly passed: InterceptedRequest;
  /** Lets the answer go, as the last one of its connection. Resolves when the client has read it. */
  deliver(): Promise<void>;
}

interface Trap {
  readonly place: Place;
  readonly matches: (passed: InterceptedRequest) => boolean | Promise<boolean>;
  readonly caught: (held: HeldRequest) => void;
}

interface Stand {
  readonly matches: (passed: InterceptedRequest) => boolean;
  readonly answer: (passed: InterceptedRequest) => Answer;
}

export class InterceptingProxy {
  readonly passed: InterceptedRequest[] = [];
  readonly address: string;
  readonly #service: string;
  readonly #underWay = new Set<Promise<unknown>>();
  #trap: Trap | undefined;
  #stand: Stand | undefined;

  private constructor(address: string, service: string) {
    this.address = address;
    this.#service = service;
  }

  /** @param url any address of the service */
  static async before(url: string): Promise<InterceptingProxy> {
    const server = createServer((incoming, outgoing) => {
      void proxy.#pass(incoming, incoming.socket, (answer) => {
        outgoing.writeHead(answer.status, answer.headers).end(answer.body);
      });
    });
    const proxy = new InterceptingProxy(await listenOnLoopback(server), new URL(url).origin);
    return proxy;
  }

  /** An address of the service, through the proxy. */
  through(url: string): string {
    return url.replace(this.#service, this.address);
  }

  /** Holds the first request that matches, for ever. Resolves when it is there. */
  hold(place: Place, matches: Trap["matches"]): Promise<HeldRequest> {
    return new Promise((caught) => {
      this.#trap = { place, matches, caught };
    });
  }

  /** From now on answers in the service's place what matches. @param answer may look at the service's own answer */
  answerInstead(matches: Stand["matches"], answer: Stand["answer"]): void {
    this.#stand = { matches, answer };
  }

  /** Resolves when the service has answered everything that was sent on to it. */
  async quiet(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async #pass(incoming: IncomingMessage, socket: Socket, answerWith: (answer: Answer) => void) {
    const { method = "", url = "", headers } = incoming;
    const body = await wholeBody(incoming).catch(() => undefined);
    if (body === undefined) return;
    const passed: InterceptedRequest = {
      method,
      path: url.split("?")[0] ?? "",
      headers,
      body: body.toString("utf8"),
      answer: undefined,
    };
    this.passed.push(passed);
    const trap = this.#trap;
    const held = trap !== undefined && (await trap.matches(passed)) && this.#trap === trap;
    if (held) this.#trap = undefined;
    const deliver = () => deliverLast(passed, socket);
    if (held && trap.place === "request") return trap.caught({ passed, deliver });
    const sent = send(new URL(url, this.#service), method, headers, body);
    this.#underWay.add(sent);
    try {
      passed.answer = await sent;
    } catch {
      socket.destroy();
      return;
    } finally {
      this.#underWay.delete(sent);
    }
    if (held) trap.caught({ passed, deliver });
    else answerWith(this.#stand?.matches(passed) ? this.#stand.answer(passed) : passed.answer);
  }
}

async function wholeBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function send(url: URL, method: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onward = request(url, { method, headers, agent: false }, (message) => {
      const { statusCode: status = 502, headers } = message;
      wholeBody(message).then((whole) => resolve({ status, headers, body: whole }), reject);
    });
    onward.on("error", reject);
    onward.end(body);
  });
}

/** The client closes a connection after the answer that says it is the last: then it has read the answer. */
function deliverLast({ answer }: InterceptedRequest, socket: Socket): Promise<void> {
  if (!answer) throw new Error("a request that was held has no answer");
  const kept = Object.entries(answer.headers).filter(
    ([name]) => !/^(connection|keep-alive|transfer-encoding|content-length)$/.test(name),
  );
  const lines = [
    `HTTP/1.1 ${answer.status} Held`,
    ...kept.map(([name, value]) => `${name}: ${String(value)}`),
    ...(answer.status === 204 ? [] : [`content-length: ${answer.body.length}`]),
    "connection: close",
  ];
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
    socket.write(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), answer.body]));
  });
}
