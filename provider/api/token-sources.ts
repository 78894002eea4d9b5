/** Where bearer tokens come from: the token endpoint for the organization area (D3), the key itself for the model area. */
import { AccessTokens } from "./access-tokens.ts";
import type { OrganizationCredential } from "./call.ts";
import type { Clock } from "./clock.ts";
import {
  type Credential,
  type Credentials,
  credentialOf,
  describeCredential,
  issueOfApiKey,
} from "./credentials.ts";
import { TOKEN_ENDPOINT } from "./errors.ts";
import type { Operation } from "./organization.ts";
import { attemptOf, type CallLabel } from "./outcomes.ts";
import type { Redactor } from "./redact.ts";
import { parseTokenResponse } from "./responses.ts";
import { withRetries } from "./retry.ts";
import { type BearerToken, COMMON_HEADERS, type Endpoint, type TokenSource } from "./sender.ts";
import type { HttpRequest, HttpResponse } from "./transport.ts";

interface TokenParts {
  readonly endpoint: Endpoint;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** The access tokens of the organization area, one a credential. */
export function accessTokens(parts: TokenParts): TokenSource {
  const tokens = new AccessTokens(
    (credential, operation) => fetchToken(credential, operation, parts),
    parts.clock,
  );
  const outOfTime = `not sent: the operation's time ended while it waited for an access token from ${parts.endpoint.shown}`;
  // What was made of each credentials object, so that a call need not do it again.
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
      learn(credentials, parts.redactor);
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

/** The key of the model area, which is its own token. */
export function apiKeys(redactor: Redactor): TokenSource {
  return {
    of(credentials) {
      const { apiKey } = credentials;
      if (!apiKey) return undefined;
      const unfit = issueOfApiKey(apiKey);
      if (unfit !== undefined) return { unfit };
      learn(credentials, redactor);
      return { peek: () => apiKey, get: async () => apiKey, discard: () => false, outOfTime: "" };
    },
  };
}

/** Also those that this area is not sent: both areas may be one service, which says what it pleases. */
function learn({ user, serviceAccount, apiKey }: Credentials, redactor: Redactor): void {
  for (const secret of [user?.password, serviceAccount?.clientSecret, apiKey]) redactor.add(secret);
}

async function fetchToken(
  credential: Credential,
  operation: Operation,
  { endpoint, redactor, clock }: TokenParts,
): Promise<{ token: string; lifeMs: number }> {
  const label: CallLabel = { call: TOKEN_ENDPOINT, method: "POST", path: redactor.redact(endpoint.path) };
  const request: HttpRequest = {
    method: "POST",
    path: endpoint.path,
    headers: [...COMMON_HEADERS, "content-type", "application/x-www-form-urlencoded"],
    body: new URLSearchParams(credential.request).toString(),
  };
  const advice = `check orgseat:tokenUrl (${endpoint.shown})`;
  const title = describeCredential(credential.kind);
  const judge = (answer: HttpResponse) => parseTokenResponse(answer, title, advice, redactor);
  const area = "organization" as const;
  const around = { label, area, origin: endpoint.origin, redactor, clock, operation };
  const attempt = async () => attemptOf(await endpoint.origin.send(request, operation), judge, around);
  // Repeatable: a token more at the service changes nothing.
  const reply = await withRetries(attempt, { repeatable: true, operation, clock });
  if (reply.gone) throw new Error("the token endpoint deletes nothing");
  return { token: reply.answer.access_token, lifeMs: reply.answer.expires_in * 1000 };
}
