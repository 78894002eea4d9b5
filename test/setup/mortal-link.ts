/**
 * The way of commands to a service, each by an address of its own: a command can be killed at any of its writes. From
 * then on nothing that it sends arrives, and nothing that it waits for comes.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { listenOnLoopback } from "./loopback.ts";

/** Where a command dies: before the service gets its n-th write, or after the service has done it. */
export interface Death {
  /** From 1. */
  readonly write: number;
  readonly place: "before" | "after";
}

interface Life {
  readonly death: Death | undefined;
  readonly onDeath: () => void;
  writes: number;
  isOver: boolean;
}

export class MortalLink {
  readonly #service: string;
  readonly #address: string;
  readonly #lives: Life[] = [];

  private constructor(address: string, service: string) {
    this.#address = address;
    this.#service = service;
  }

  /** @param url any address of the service */
  static async to(url: string): Promise<MortalLink> {
    const server = createServer((incoming, outgoing) => void link.#pass(incoming, outgoing));
    const link = new MortalLink(await listenOnLoopback(server), new URL(url).origin);
    return link;
  }

  /** The address of the service for one command. @param onDeath is called once, at the moment of its death */
  live(url: string, death?: Death, onDeath: () => void = () => undefined): string {
    this.#lives.push({ death, onDeath, writes: 0, isOver: false });
    return url.replace(this.#service, `${this.#address}/${this.#lives.length - 1}`);
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    const [, index = "", path = ""] = /^\/(\d+)(\/.*)$/.exec(url) ?? [];
    const life = this.#lives[Number(index)];
    if (life === undefined || life.isOver) return;
    const isDying = method !== "GET" && ++life.writes === life.death?.write;
    const die = (): void => {
      life.isOver = true;
      life.onDeath();
    };
    if (isDying && life.death?.place === "before") return die();
    const onward = request(new URL(path, this.#service), { method, headers, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", () => incoming.socket.destroy());
      answer.on("end", () => {
        if (isDying) die();
        if (!life.isOver)
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(parts));
      });
    });
    onward.on("error", () => incoming.socket.destroy());
    incoming.pipe(onward);
  }
}
