/**
 * The access tokens in memory: one a credential, fetched once however many calls wait for it, and left a while
 * before it expires.
 */
import type { Clock } from "./clock.ts";
import type { Credential } from "./credentials.ts";
import type { Operation } from "./organization.ts";
import { timerMs } from "./transport.ts";

/** How long before its end a token is not used any more; a tenth of its life where that is shorter. */
const MARGIN_MS = 60_000;

/** A token as it was fetched. */
export interface AccessToken {
  readonly token: string;
  /** Its whole life, in milliseconds. */
  readonly lifeMs: number;
}

interface Fetching {
  /** The latest deadline of those who wait; it moves while the fetch runs. */
  deadline: number;
  readonly token: Promise<string>;
}

export class AccessTokens {
  readonly #clock: Clock;
  readonly #fetch: (credential: Credential, operation: Operation) => Promise<AccessToken>;
  readonly #held = new Map<string, { readonly token: string; readonly staleAt: number }>();
  readonly #fetching = new Map<string, Fetching>();

  /** @param fetch fetches a token, within the operation's time; rejects where there is none to be had */
  constructor(fetch: (credential: Credential, operation: Operation) => Promise<AccessToken>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** The token in hand, if there is a fresh one. */
  peek(credential: Credential): string | undefined {
    const held = this.#held.get(credential.key);
    return held && this.#clock.monotonic() < held.staleAt ? held.token : undefined;
  }

  /**
   * A fresh token, from memory or from the service. A failed fetch fails for all who wait, and is not remembered.
   * @returns undefined where the operation's time ended first; the fetch goes on for the others
   */
  async get(credential: Credential, operation: Operation): Promise<string | undefined> {
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

  /** Forgets a token that the service did not take, unless another one has come in its place already. */
  discard(credential: Credential, token: string): void {
    if (this.#held.get(credential.key)?.token === token) this.#held.delete(credential.key);
  }

  #start(credential: Credential, deadline: number): Fetching {
    const operation = { deadline };
    const fetching: Fetching = Object.assign(operation, { token: this.#fetchAndHold(credential, operation) });
    this.#fetching.set(credential.key, fetching);
    const forget = () => this.#fetching.delete(credential.key);
    fetching.token.then(forget, forget);
    return fetching;
  }

  async #fetchAndHold(credential: Credential, operation: Operation): Promise<string> {
    const askedAt = this.#clock.monotonic();
    const { token, lifeMs } = await this.#fetch(credential, operation);
    const staleAt = askedAt + lifeMs - Math.min(MARGIN_MS, lifeMs / 10);
    this.#held.set(credential.key, { token, staleAt });
    return token;
  }
}

/** The promise's value, or undefined after that time. */
function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, timerMs(ms), undefined);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
