/** Sources of bearer tokens: the token endpoint for the organization area (D3), the API key for the model area. */
import type { z } from "zod";
import type { OrganizationCredential } from "../calls/call.ts";
import { TOKEN_ENDPOINT } from "../calls/errors.ts";
import type { TimeLimit } from "../calls/organization.ts";
import type { Clock } from "../client/clock.ts";
import {
  type Credential,
  type Credentials,
  credentialOf,
  describeCredential,
  issueOfApiKey,
} from "../client/credentials.ts";
import type { Endpoint } from "../client/endpoint.ts";
import { attemptOf, type Sent } from "../client/outcomes.ts";
import type { Redactor } from "../client/redact.ts";
import { parseTokenResponse } from "../client/responses.ts";
import { withRetries } from "../client/retry.ts";
import { type BearerToken, COMMON_HEADERS, type TokenSource } from "../client/sender.ts";
import type { HttpResponse } from "../client/transport.ts";
import type { accessTokenSchema } from "../schemas/schemas.ts";
import { AccessTokens } from "./access-tokens.ts";

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
  // By credentials object, so that each is read once.
  const known: Record<OrganizationCredential, WeakMap<Credentials, BearerToken>> = {
    user: new WeakMap(),
    serviceAccount: new WeakMap(),
  };
  return {
    of(credentials, { credential: kind }) {
      if (kind === "apiKey") throw new Error("a call of the model area");
      const earlier = known[kind].get(credentials);
      if (earlier) return earlier;
      const credential = credentialOf(credentials, kind);
      if (!credential) return undefined;
      addSecrets(credentials, parts.redactor);
      const bearer: BearerToken = {
        peek: () => tokens.peek(credential),
        get: (operation) => tokens.get(credential, operation),
        discard: (token) => {
          tokens.discard(credential, token);
          return true;
        },
        outOfTime,
      };
      known[kind].set(credentials, bearer);
      return bearer;
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
      return { peek: () => apiKey, get: async () => apiKey, discard: () => false, outOfTime: "" };
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
  if (reply.gone) throw new Error("the token endpoint deletes nothing");
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
