/** A cache of access tokens: one per credential, fetched once for all waiting calls, dropped before it expires. */

import type { TimeLimit } from "../calls/organization.ts";
import type { Clock } from "../client/clock.ts";
import type { Credential } from "../client/credentials.ts";
import { timerMs } from "../client/transport.ts";

/** A token is dropped this long before it expires, or a tenth of its lifetime where that is shorter. */
const MARGIN_MS = 60_000;

interface AccessToken {
  readonly token: string;
  /** In milliseconds. */
  readonly lifeMs: number;
}

interface Fetching {
  /** The latest deadline of the waiting calls; it moves while the fetch runs. */
  deadline: number;
  readonly token: Promise<string>;
}

export class AccessTokens {
  readonly #clock: Clock;
  readonly #fetch: (credential: Credential, operation: TimeLimit) => Promise<AccessToken>;
  readonly #cached = new Map<string, { readonly token: string; readonly staleAt: number }>();
  readonly #fetching = new Map<string, Fetching>();

  /** @param fetch fetches a token, within the operation's time; rejects where none is available */
  constructor(fetch: (credential: Credential, operation: TimeLimit) => Promise<AccessToken>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** The cached token, if it is fresh. */
  peek(credential: Credential): string | undefined {
    const cached = this.#cached.get(credential.key);
    return cached && this.#clock.monotonic() < cached.staleAt ? cached.token : undefined;
  }

  /**
   * A fresh token, cached or fetched. A failed fetch fails for all waiting calls; the next call fetches again.
   * @returns undefined where the operation's time ends first; the fetch continues for the others
   */
  async get(credential: Credential, operation: TimeLimit): Promise<string | undefined> {
    const token = this.peek(credential);
    if (token !== undefined) return token;
    const { deadline } = operation;
    const remainingMs = deadline - this.#clock.monotonic();
    if (remainingMs <= 0) return undefined;
    let fetching = this.#fetching.get(credential.key);
    if (fetching) fetching.deadline = Math.max(fetching.deadline, deadline);
    else fetching = this.#start(credential, deadline);
    return within(remainingMs, fetching.token);
  }

  /** Drops a token that the service rejected, unless a newer one is cached. */
  discard(credential: Credential, token: string): void {
    if (this.#cached.get(credential.key)?.token === token) this.#cached.delete(credential.key);
  }

  #start(credential: Credential, deadline: number): Fetching {
    const operation = { deadline };
    const fetching: Fetching = Object.assign(operation, {
      token: this.#fetchAndCache(credential, operation),
    });
    this.#fetching.set(credential.key, fetching);
    const forget = () => this.#fetching.delete(credential.key);
    fetching.token.then(forget, forget);
    return fetching;
  }

  async #fetchAndCache(credential: Credential, operation: TimeLimit): Promise<string> {
    const requestedAt = this.#clock.monotonic();
    const { token, lifeMs } = await this.#fetch(credential, operation);
    const staleAt = requestedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 10);
    this.#cached.set(credential.key, { token, staleAt });
    return token;
  }
}

/** The value of the promise, or undefined after that time. */
function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, timerMs(ms), undefined);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
