/**
 * Sends all requests of one origin: a limited number in parallel, the others wait in order. After a 429 with a
 * `Retry-After`, it sends no request before that time.
 */
import type { Dispatcher } from "undici";
import { type Clock, RUN_CANCELLED, type TimeLimit, valueWithin, waitWithin } from "../../util/instants.ts";
import type { ApiErrorFields } from "../calls/errors.ts";
import { retryAfterMs } from "./retry.ts";
import {
  type ConnectionOptions,
  exchange,
  type HttpHeaders,
  type HttpLoss,
  type HttpRequest,
  type HttpResponse,
  openConnections,
} from "./transport.ts";

/**
 * The request was not sent: the operation's time ended, or the run was cancelled, before a connection was free or the
 * rate limit ended.
 */
export interface NotSent {
  readonly notSent: Pick<ApiErrorFields, "code" | "reason">;
}

const CANCELLED = outOfTime(RUN_CANCELLED);
const CLOSED = outOfTime("the client is closed");
const NO_CONNECTION = outOfTime("the operation timed out while waiting for a free connection");

export interface OriginSettings extends ConnectionOptions {
  readonly clock: Clock;
  /** Gets the headers of each response. */
  readonly onResponse?: ((headers: HttpHeaders) => void) | undefined;
}

export class Origin {
  /** Such as `https://example.org:8443`. */
  readonly name: string;
  readonly #settings: OriginSettings;
  /** Opened by the first request. */
  #connections: Promise<Dispatcher> | undefined;
  /** Requests that hold one of the parallel places: a pool of undici would also send what waits in it during a `Retry-After`. */
  #running = 0;
  /** What gives a place to each waiting request, in order of arrival. */
  readonly #waiting = new Set<() => void>();
  /** On the scale of `clock.monotonic()`. */
  #blockedUntil = Number.NEGATIVE_INFINITY;
  #closing: Promise<void> | undefined;

  /** @param origin such as `https://example.org:8443` */
  constructor(origin: string, settings: OriginSettings) {
    this.name = origin;
    this.#settings = settings;
  }

  /** The proxy in messages, such as `http://proxy.example:3128 (HTTPS_PROXY)`. */
  get proxy(): string | undefined {
    const { proxy } = this.#settings;
    return proxy && `${proxy.url.origin} (${proxy.variable})`;
  }

  /** Sends the request once, within the operation's time. Never rejects. */
  async send(request: HttpRequest, operation: TimeLimit): Promise<HttpResponse | HttpLoss | NotSent> {
    const { clock, timeoutMs, onResponse } = this.#settings;
    if (this.#closing) return CLOSED;
    this.#connections ??= openConnections(this.#settings);
    const connections = await this.#connections;
    for (;;) {
      if (this.#closing) return CLOSED;
      const waitMs = this.#blockedUntil - clock.monotonic();
      if (waitMs > 0) {
        if (this.#blockedUntil >= operation.deadline) return this.#rateLimited(waitMs);
        if (await waitWithin(operation, () => clock.sleep(waitMs))) continue;
        return CANCELLED;
      }
      const remainingMs = operation.deadline - clock.monotonic();
      if (remainingMs <= 0 || !(await this.#takePlace(remainingMs, operation)))
        return operation.cancellation?.isCancelled ? CANCELLED : NO_CONNECTION;
      try {
        const remainingMs = operation.deadline - clock.monotonic();
        if (remainingMs <= 0) return NO_CONNECTION;
        // The origin may have become rate-limited during the wait.
        if (this.#closing || this.#blockedUntil > clock.monotonic()) continue;
        const outcome = await exchange(connections, this.name, request, Math.min(timeoutMs, remainingMs));
        if ("status" in outcome) onResponse?.(outcome.headers);
        this.#noteRateLimit(outcome); // Before the next waiting request starts.
        return outcome;
      } finally {
        this.#leavePlace();
      }
    }
  }

  /** Ends when the running requests have ended; waiting requests are not sent. */
  async close(): Promise<void> {
    this.#closing ??= this.#connections?.then((connections) => connections.close()) ?? Promise.resolve();
    await this.#closing;
  }

  /** @returns false if no place is free within that time, or before the run is cancelled */
  async #takePlace(withinMs: number, operation: TimeLimit): Promise<boolean> {
    if (this.#running < this.#settings.concurrency) {
      this.#running += 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    await valueWithin(withinMs, promise, operation);
    // One that no longer waits got the place, even if its time ended too.
    return !this.#waiting.delete(resolve);
  }

  /** Passes the place to the next one that waits. */
  #leavePlace(): void {
    const [next] = this.#waiting;
    if (!next) this.#running -= 1;
    else if (this.#waiting.delete(next)) next();
  }

  #rateLimited(waitMs: number): NotSent {
    const reason = `not sent: ${this.name} limits the request rate for another ${seconds(waitMs)}, which exceeds the operation timeout`;
    return { notSent: { code: "rate-limited", reason } };
  }

  #noteRateLimit(outcome: HttpResponse | HttpLoss): void {
    if (!("status" in outcome) || outcome.status !== 429) return;
    const { clock } = this.#settings;
    const askedMs = retryAfterMs(outcome.headers, clock);
    if (askedMs !== undefined) this.#blockedUntil = Math.max(this.#blockedUntil, clock.monotonic() + askedMs);
  }
}

function outOfTime(why: string): NotSent {
  return { notSent: { code: "out-of-time", reason: `not sent: ${why}` } };
}

export function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
