/** The credentials of both areas, their bearer tokens, and their names in messages. */

import type { TimeLimit } from "../../util/instants.ts";
import type { CredentialKind, OrganizationCredential } from "../calls/call.ts";
import { apiKeySchema } from "../schemas/model-schemas.ts";
import type { TokenRequest } from "../schemas/schemas.ts";

/** The credentials of a caller. A call without its credential fails before any request (D5). */
export interface Credentials {
  /** An administrator, for service accounts. */
  readonly user?: { readonly username: string; readonly password: string } | undefined;
  /** A service account, for users, seats, and tokens. */
  readonly serviceAccount?: { readonly clientId: string; readonly clientSecret: string } | undefined;
  /** The API key of the model area, a UUID. */
  readonly apiKey?: string | undefined;
}

/** The bearer tokens of one credential. */
export interface BearerToken {
  /** A token, cached if it is fresh, by the operation's deadline; undefined if its time ended first. @throws ApiError if none is available */
  get(operation: TimeLimit): Promise<string | undefined>;
  /** Drops a token that the service rejected. @returns whether a fresh one may work */
  discard(token: string): boolean;
  /** The reason if an operation's time ended while it waited for a token. */
  readonly outOfTime: string;
}

/** Finds the bearer tokens of an area. */
export interface TokenSource {
  /** Undefined if the credential is missing; `invalid` says why it cannot be used. */
  of(
    credentials: Credentials,
    call: { readonly credential: CredentialKind },
  ): BearerToken | { readonly invalid: string } | undefined;
}

/** A credential in the form of the token endpoint. */
export interface Credential {
  readonly kind: OrganizationCredential;
  /** The key of a cache. It contains the secret: never print it. */
  readonly key: string;
  readonly request: TokenRequest;
}

/** The credential of that kind; undefined if it is missing or incomplete. */
export function credentialOf(credentials: Credentials, kind: OrganizationCredential): Credential | undefined {
  if (kind === "user") {
    const { username, password } = credentials.user ?? {};
    if (!username || !password) return undefined;
    const key = JSON.stringify([kind, username, password]);
    return { kind, key, request: { grant_type: "password", username, password } };
  }
  const { clientId, clientSecret } = credentials.serviceAccount ?? {};
  if (!clientId || !clientSecret) return undefined;
  return {
    kind,
    key: JSON.stringify([kind, clientId, clientSecret]),
    request: { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret },
  };
}

/** The error for a key with which orgseat sends no request; undefined for a valid key. */
export function issueOfApiKey(apiKey: string): string | undefined {
  if (apiKeySchema.safeParse(apiKey).success) return undefined;
  return `not sent: ${describeCredential("apiKey")} is not a UUID`;
}

const titles: Record<CredentialKind, { title: string; keys: string; environment: string }> = {
  user: {
    title: "the administrator's username and password",
    keys: "orgseat:username and orgseat:password",
    environment: "ORGSEAT_USERNAME and ORGSEAT_PASSWORD",
  },
  serviceAccount: {
    title: "the service account",
    keys: "orgseat:clientId and orgseat:clientSecret",
    environment: "ORGSEAT_CLIENT_ID and ORGSEAT_CLIENT_SECRET",
  },
  apiKey: { title: "the model area's key", keys: "orgseat:apiKey", environment: "ORGSEAT_API_KEY" },
};

/** The title and the configuration of a credential, for messages. */
export function describeCredential(kind: CredentialKind): string {
  const { title, keys, environment } = titles[kind];
  return `${title} (${keys}, or ${environment}, or the resource's \`credentials\`)`;
}

/** The reason of a `missing-credentials` error. */
export function missingCredential(kind: CredentialKind): string {
  const { title, keys, environment } = titles[kind];
  return `${title} is missing. Set ${keys}, or ${environment} in the environment, or the resource's \`credentials\``;
}
