/** Sources of bearer tokens: the token endpoint for the organization area (D3), the API key for the model area. */

import type { z } from "zod";
import { InternalError } from "../../util/error-codes.ts";
import type { Clock, TimeLimit } from "../../util/instants.ts";
import { TOKEN_ENDPOINT } from "../calls/errors.ts";
import type { accessTokenSchema } from "../schemas/schemas.ts";
import {
  type Credential,
  type Credentials,
  credentialOf,
  describeCredential,
  issueOfApiKey,
  type TokenSource,
} from "./credentials.ts";
import type { Endpoint } from "./endpoint.ts";
import { attemptOf, type Sent } from "./outcomes.ts";
import type { Redactor } from "./redact.ts";
import { parseTokenResponse } from "./responses.ts";
import { withRetries } from "./retry.ts";
import { COMMON_HEADERS } from "./sender.ts";
import { type HttpResponse, timerMs } from "./transport.ts";

interface TokenParts {
  readonly endpoint: Endpoint;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** The access tokens of the organization area, one per credential. */
export function accessTokens(parts: TokenParts): TokenSource {
  const tokens = new AccessTokens(
    (credential, operation) => fetchToken(credential, operation, parts),
    parts.clock,
  );
  const outOfTime = `not sent: the operation timed out while waiting for an access token from ${parts.endpoint.shown}`;
  return {
    of(credentials, { credential: kind }) {
      if (kind === "apiKey") throw new InternalError("a call of the model area");
      const credential = credentialOf(credentials, kind);
      if (!credential) return undefined;
      addSecrets(credentials, parts.redactor);
      return {
        get: (operation) => tokens.get(credential, operation),
        discard: (token) => {
          tokens.discard(credential, token);
          return true;
        },
        outOfTime,
      };
    },
  };
}

/** The API key of the model area, which is its own bearer token. */
export function apiKeys(redactor: Redactor): TokenSource {
  return {
    of(credentials) {
      const { apiKey } = credentials;
      if (!apiKey) return undefined;
      const invalid = issueOfApiKey(apiKey);
      if (invalid !== undefined) return { invalid };
      addSecrets(credentials, redactor);
      return { get: async () => apiKey, discard: () => false, outOfTime: "" };
    },
  };
}

/** Adds the secrets of both areas: one service can serve both, and echo either. */
function addSecrets({ user, serviceAccount, apiKey }: Credentials, redactor: Redactor): void {
  for (const secret of [user?.password, serviceAccount?.clientSecret, apiKey]) redactor.add(secret);
}

async function fetchToken(
  credential: Credential,
  operation: TimeLimit,
  parts: TokenParts,
): Promise<{ token: string; lifeMs: number }> {
  const attempt = async () => (await requestToken(credential, operation, parts)).attempt;
  // Repeatable: another access token has no effect.
  const reply = await withRetries(attempt, { repeatable: true, operation, clock: parts.clock });
  if (reply.gone) throw new InternalError("the token endpoint deletes nothing");
  return { token: reply.answer.access_token, lifeMs: reply.answer.expires_in * 1000 };
}

/** Requests an access token once. */
export async function requestToken(
  credential: Credential,
  operation: TimeLimit,
  { endpoint, redactor, clock }: TokenParts,
): Promise<Sent<z.output<typeof accessTokenSchema>>> {
  const { origin, path, shown } = endpoint;
  const label = { call: TOKEN_ENDPOINT, method: "POST", path: redactor.redact(path) };
  const outcome = await origin.send(
    {
      method: "POST",
      path,
      headers: [...COMMON_HEADERS, "content-type", "application/x-www-form-urlencoded"],
      body: new URLSearchParams(credential.request).toString(),
    },
    operation,
  );
  const title = describeCredential(credential.kind);
  const parse = (response: HttpResponse) =>
    parseTokenResponse(response, title, `check orgseat:tokenUrl (${shown})`, redactor);
  const context = { label, area: "organization", origin, redactor, clock, operation } as const;
  return { outcome, attempt: attemptOf(outcome, parse, context) };
}

/** A token is dropped this long before it expires, or a tenth of its lifetime if that is shorter. */
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

class AccessTokens {
  readonly #clock: Clock;
  readonly #fetch: (credential: Credential, operation: TimeLimit) => Promise<AccessToken>;
  readonly #cached = new Map<string, { readonly token: string; readonly staleAt: number }>();
  readonly #fetching = new Map<string, Fetching>();

  /** @param fetch fetches a token, within the operation's time; rejects if none is available */
  constructor(fetch: (credential: Credential, operation: TimeLimit) => Promise<AccessToken>, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /**
   * A fresh token, cached or fetched. A failed fetch fails for all waiting calls; the next call fetches again.
   * @returns undefined if the operation's time ends first, or the run is cancelled; the fetch continues for the others
   */
  async get(credential: Credential, operation: TimeLimit): Promise<string | undefined> {
    const cached = this.#cached.get(credential.key);
    if (cached && this.#clock.monotonic() < cached.staleAt) return cached.token;
    const { deadline, cancellation } = operation;
    const remainingMs = deadline - this.#clock.monotonic();
    if (remainingMs <= 0) return undefined;
    let fetching = this.#fetching.get(credential.key);
    if (fetching) fetching.deadline = Math.max(fetching.deadline, deadline);
    else fetching = this.#start(credential, deadline);
    const { token: fetched } = fetching;
    const wait = () => within(remainingMs, fetched);
    return cancellation === undefined ? wait() : cancellation.until(wait);
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
