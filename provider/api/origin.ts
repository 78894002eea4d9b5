/**
 * Everything that goes to one origin: who may send when. A bounded number of requests run at once, the others wait
 * in line; after a 429 that names a time, nobody sends before it.
 */
import type { Dispatcher } from "undici";
import type { Clock } from "./clock.ts";
import type { Operation } from "./organization.ts";
import type { ProxyServer } from "./proxies.ts";
import { retryAfterMs } from "./retry.ts";
import { Semaphore } from "./semaphore.ts";
import {
  exchange,
  type HttpLoss,
  type HttpRequest,
  type HttpResponse,
  openConnections,
} from "./transport.ts";

/** The request was not sent: the operation's time ends before its turn, or before the service wants requests again. */
export interface NotSent {
  readonly notSent: "out-of-time" | "held" | "closed";
  /** For how much longer the service wants no requests, where that is the reason. */
  readonly heldMs: number;
}

export interface OriginSettings {
  readonly clock: Clock;
  /** For one request, without its wait in line. */
  readonly timeoutMs: number;
  /** How many requests run at once. */
  readonly concurrency: number;
  /** Undefined: the origin is reached directly. */
  readonly proxy: ProxyServer | undefined;
}

export class Origin {
  /** Such as `https://example.org:8443`. */
  readonly name: string;
  readonly #settings: OriginSettings;
  /** Opened by the first request. */
  #connections: Promise<Dispatcher> | undefined;
  readonly #line: Semaphore;
  /** On the scale of `clock.monotonic()`. */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #closing: Promise<void> | undefined;

  /** @param origin such as `https://example.org:8443` */
  constructor(origin: string, settings: OriginSettings) {
    this.name = origin;
    this.#settings = settings;
    this.#line = new Semaphore(settings.concurrency);
  }

  /** The proxy before it as messages name it, such as `http://proxy.example:3128 (HTTPS_PROXY)`. */
  get proxy(): string | undefined {
    const { proxy } = this.#settings;
    return proxy && `${proxy.url.origin} (${proxy.variable})`;
  }

  /** Sends the request once, in its turn, within the operation's time. Never rejects. */
  async send(request: HttpRequest, operation: Operation): Promise<HttpResponse | HttpLoss | NotSent> {
    const { clock, timeoutMs, concurrency, proxy } = this.#settings;
    if (this.#closing) return { notSent: "closed", heldMs: 0 };
    const way = { connections: concurrency, connectTimeoutMs: timeoutMs, proxy };
    this.#connections ??= openConnections(this.name, way);
    const connections = await this.#connections;
    for (;;) {
      if (this.#closing) return { notSent: "closed", heldMs: 0 };
      const heldMs = this.#heldUntil - clock.monotonic();
      if (heldMs > 0) {
        if (this.#heldUntil >= operation.deadline) return { notSent: "held", heldMs };
        await clock.sleep(heldMs);
        continue;
      }
      const remainingMs = operation.deadline - clock.monotonic();
      const isIn = remainingMs > 0 && (this.#line.tryAcquire() || (await this.#line.acquire(remainingMs)));
      if (!isIn) return { notSent: "out-of-time", heldMs: 0 };
      try {
        const remainingMs = operation.deadline - clock.monotonic();
        if (remainingMs <= 0) return { notSent: "out-of-time", heldMs: 0 };
        // Those who waited in line may find the origin held when their turn comes: back to the wait.
        if (this.#closing || this.#heldUntil > clock.monotonic()) continue;
        const outcome = await exchange(connections, this.name, request, Math.min(timeoutMs, remainingMs));
        this.#hold(outcome); // Before the next in line gets this place.
        return outcome;
      } finally {
        this.#line.release();
      }
    }
  }

  /** Ends when the running requests have; those still waiting are not sent any more. */
  async close(): Promise<void> {
    this.#closing ??= this.#connections?.then((connections) => connections.close()) ?? Promise.resolve();
    await this.#closing;
  }

  #hold(outcome: HttpResponse | HttpLoss): void {
    if (!("status" in outcome) || outcome.status !== 429) return;
    const { clock } = this.#settings;
    const askedMs = retryAfterMs(outcome.headers, clock);
    if (askedMs !== undefined) this.#heldUntil = Math.max(this.#heldUntil, clock.monotonic() + askedMs);
  }
}
