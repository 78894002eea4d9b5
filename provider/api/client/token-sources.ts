/** Sources of bearer tokens: the token endpoint for the organization area (D3), the API key for the model area. */

import type { z } from "zod";
import { InternalError } from "../../util/error-codes.ts";
import { type Clock, RUN_CANCELLED, type TimeLimit, valueWithin } from "../../util/instants.ts";
import { TOKEN_ENDPOINT } from "../calls/errors.ts";
import { apiKeySchema } from "../schemas/model-schemas.ts";
import type { accessTokenSchema } from "../schemas/schemas.ts";
import {
  adminTokenOf,
  type Credential,
  type Credentials,
  credentialOf,
  describeCredential,
  missingCredential,
  type TokenSource,
} from "./credentials.ts";
import { type EndpointParts, labelOf, type Sent, sendOnce } from "./outcomes.ts";
import type { Redactor } from "./redact.ts";
import { parseTokenResponse } from "./responses.ts";
import { withRetries } from "./retry.ts";

/** The access tokens of the organization area, one per credential. An administrator's own token is sent as it is. */
export function accessTokens(parts: EndpointParts): TokenSource {
  const fetch = (credential: Credential, operation: TimeLimit) => fetchToken(credential, operation, parts);
  const tokens = new AccessTokens(fetch, parts.clock);
  const outOfTime = `not sent: the operation timed out while waiting for an access token from ${parts.endpoint.shown}`;
  return {
    async get(credentials, kind, operation) {
      addSecrets(credentials, parts.redactor);
      const given = adminTokenOf(credentials, kind);
      if (given) return { token: given };
      const credential = credentialOf(credentials, kind);
      if (!credential) return missingCredential(kind);
      const token = await tokens.get(credential, operation);
      if (token !== undefined) return { token };
      const isCancelled = operation.cancellation?.isCancelled;
      return { code: "out-of-time", reason: isCancelled ? `not sent: ${RUN_CANCELLED}` : outOfTime };
    },
    discard(credentials, kind, token) {
      const credential = credentialOf(credentials, kind);
      if (credential) tokens.discard(credential, token);
      return credential !== undefined;
    },
  };
}

/** The API key of the model area, which is its own bearer token. */
export function apiKeys(redactor: Redactor): TokenSource {
  return {
    async get(credentials, kind) {
      const { apiKey } = credentials;
      if (!apiKey) return missingCredential(kind);
      if (!apiKeySchema.safeParse(apiKey).success)
        return { code: "refused", reason: `not sent: ${describeCredential(kind)} is not a UUID` };
      addSecrets(credentials, redactor);
      return { token: apiKey };
    },
    discard: () => false,
  };
}

/** Adds the secrets of both areas: one service can serve both, and echo either. */
function addSecrets({ user, serviceAccount, apiKey }: Credentials, redactor: Redactor): void {
  for (const secret of [user?.password, user?.adminToken, serviceAccount?.clientSecret, apiKey])
    redactor.add(secret);
}

async function fetchToken(
  credential: Credential,
  operation: TimeLimit,
  parts: EndpointParts,
): Promise<AccessToken> {
  const attempt = async () => (await requestToken(credential, operation, parts)).attempt;
  // Repeatable: another access token has no effect.
  const reply = await withRetries(attempt, { repeatable: true, operation, clock: parts.clock });
  if (reply.gone) throw new InternalError("the token endpoint deletes nothing");
  return { token: reply.answer.access_token, lifeMs: reply.answer.expires_in * 1000 };
}

/** Requests an access token once. */
export function requestToken(
  credential: Credential,
  operation: TimeLimit,
  parts: EndpointParts,
): Promise<Sent<z.output<typeof accessTokenSchema>>> {
  const { endpoint, redactor } = parts;
  const { path, shown } = endpoint;
  const title = describeCredential(credential.kind);
  return sendOnce(
    labelOf(TOKEN_ENDPOINT, "POST", path, redactor),
    {
      method: "POST",
      path,
      headers: ["content-type", "application/x-www-form-urlencoded"],
      body: new URLSearchParams(credential.request).toString(),
    },
    (response) => parseTokenResponse(response, title, `check orgseat:tokenUrl (${shown})`, redactor),
    operation,
    parts,
  );
}

/** A token is dropped this long before it expires, or a tenth of its lifetime if that is shorter. */
const MARGIN_MS = 60_000;

interface AccessToken {
  readonly token: string;
  /** In milliseconds. */
  readonly lifeMs: number;
}

/** A token that was fetched, or is being fetched. */
interface HeldToken {
  /** The latest deadline of the waiting calls; it moves while the fetch runs. */
  deadline: number;
  readonly fetched: Promise<AccessToken>;
  /** Undefined during the fetch. */
  token?: string;
  /** On the scale of `clock.monotonic()`. */
  staleAt: number;
}

class AccessTokens {
  readonly #clock: Clock;
  readonly #fetch: (credential: Credential, operation: TimeLimit) => Promise<AccessToken>;
  readonly #held = new Map<string, HeldToken>();

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
    const { deadline } = operation;
    const now = this.#clock.monotonic();
    let held = this.#held.get(credential.key);
    if (held && held.staleAt <= now) held = undefined;
    if (held?.token !== undefined) return held.token;
    if (deadline <= now) return undefined;
    held ??= this.#start(credential, deadline, now);
    held.deadline = Math.max(held.deadline, deadline);
    return (await valueWithin(deadline - now, held.fetched, operation))?.token;
  }

  /** Drops a token that the service rejected, unless a newer one is held. */
  discard({ key }: Credential, token: string): void {
    if (this.#held.get(key)?.token === token) this.#held.delete(key);
  }

  #start(credential: Credential, deadline: number, now: number): HeldToken {
    const { key } = credential;
    const operation = { deadline, staleAt: Number.POSITIVE_INFINITY };
    const held: HeldToken = Object.assign(operation, { fetched: this.#fetch(credential, operation) });
    this.#held.set(key, held);
    held.fetched.then(
      ({ token, lifeMs }) => {
        held.token = token;
        held.staleAt = now + lifeMs - Math.min(MARGIN_MS, lifeMs / 10);
      },
      () => this.#held.delete(key),
    );
    return held;
  }
}
