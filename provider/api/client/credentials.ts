/** The credentials of both areas, and their names in messages. */

import type { TimeLimit } from "../../util/instants.ts";
import type { CredentialKind, OrganizationCredential } from "../calls/call.ts";
import type { ApiErrorFields } from "../calls/errors.ts";
import type { TokenRequest } from "../schemas/schemas.ts";

/** The credentials of a caller. A call without its credential fails before any request (D5). */
export interface Credentials {
  /** An administrator, for service accounts: username and password, or a bearer token that is already there. */
  readonly user?:
    | { readonly [key in "username" | "password" | "adminToken"]?: string | undefined }
    | undefined;
  /** A service account, for users, seats, and tokens. */
  readonly serviceAccount?: { readonly clientId: string; readonly clientSecret: string } | undefined;
  /** The API key of the model area, a UUID. */
  readonly apiKey?: string | undefined;
}

/** Why there is no bearer token, as fields of an error. */
export type NoToken = Pick<ApiErrorFields, "code" | "reason">;

/** The bearer tokens of an area. */
export interface TokenSource {
  /** A token, cached if it is fresh, by the operation's deadline. @throws ApiError if the service gives none */
  get(
    credentials: Credentials,
    kind: CredentialKind,
    operation: TimeLimit,
  ): Promise<{ readonly token: string } | NoToken>;
  /** Drops a token that the service rejected. @returns whether a fresh one may work */
  discard(credentials: Credentials, kind: CredentialKind, token: string): boolean;
}

/** A credential in the form of the token endpoint. */
export interface Credential {
  readonly kind: OrganizationCredential;
  /** The key of a cache. It contains the secret: never print it. */
  readonly key: string;
  readonly request: TokenRequest;
}

/** The credential of that kind; undefined if it is missing or incomplete, or not one of the token endpoint. */
export function credentialOf(credentials: Credentials, kind: CredentialKind): Credential | undefined {
  const { username, password } = credentials.user ?? {};
  if (kind === "user" && username && password) {
    const key = JSON.stringify([kind, username, password]);
    return { kind, key, request: { grant_type: "password", username, password } };
  }
  const { clientId, clientSecret } = credentials.serviceAccount ?? {};
  if (kind !== "serviceAccount" || !clientId || !clientSecret) return undefined;
  const key = JSON.stringify([kind, clientId, clientSecret]);
  return {
    kind,
    key,
    request: { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret },
  };
}

/** The administrator's token, which is sent as it is; undefined if the token endpoint gives the bearer token. */
export function adminTokenOf({ user }: Credentials, kind: CredentialKind): string | undefined {
  return kind === "user" ? user?.adminToken : undefined;
}

const titles: Record<CredentialKind | "adminToken", { title: string; keys: string; environment: string }> = {
  user: {
    title: "the administrator's username and password",
    keys: "orgseat:username and orgseat:password",
    environment: "ORGSEAT_USERNAME and ORGSEAT_PASSWORD",
  },
  // Only a rejection names it, and nothing renews it.
  adminToken: {
    title: "the administrator token, which has expired or was revoked, so set a new one",
    keys: "orgseat:adminToken",
    environment: "ORGSEAT_ADMIN_TOKEN",
  },
  serviceAccount: {
    title: "the service account",
    keys: "orgseat:clientId and orgseat:clientSecret",
    environment: "ORGSEAT_CLIENT_ID and ORGSEAT_CLIENT_SECRET",
  },
  apiKey: { title: "the model area's key", keys: "orgseat:apiKey", environment: "ORGSEAT_API_KEY" },
};

/** The title and the configuration of a credential, for messages about its rejection. @param given decides between two forms */
export function describeCredential(kind: CredentialKind, given: Credentials = {}): string {
  const { title, keys, environment } = titles[adminTokenOf(given, kind) === undefined ? kind : "adminToken"];
  return `${title} (${keys}, or ${environment}, or the resource's \`credentials\`)`;
}

const WITHOUT_PASSWORD = `. An organization without passwords (single sign-on) needs ${titles.adminToken.keys} instead, or ${titles.adminToken.environment}`;

/** What a call without its credential fails with. */
export function missingCredential(kind: CredentialKind): NoToken {
  const { title, keys, environment } = titles[kind];
  const reason = `${title} is missing. Set ${keys}, or ${environment} in the environment, or the resource's \`credentials\`${kind === "user" ? WITHOUT_PASSWORD : ""}`;
  return { code: "missing-credentials", reason };
}
