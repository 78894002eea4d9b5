/** "issue token", "renew token" and "revoke token". A user has at most one token. */
import { z } from "zod";
import { formatInstant } from "../../provider/api/instants.ts";
import { issueTokenRequestSchema } from "../../provider/api/schemas.ts";
import type { Database } from "./database.ts";
import type { Handler, Scope } from "./handler.ts";
import { requireSubscription, requireUser } from "./members.ts";
import { malformed, refusal } from "./refusals.ts";
import { hashOf, newSecret } from "./secrets.ts";

const tokenRow = z.object({ user_id: z.string(), expires_at: z.number(), generation: z.number() });

/** One token per user (D13), with or without a seat (D39), until the subscription's end at the latest (D40). */
export const issueToken: Handler = (scope, body) => {
  requireSubscription(scope);
  const { database, organization, now, switches } = scope;
  const asked = Date.parse(issueTokenRequestSchema.parse(body).expires_at);
  const userId = requireUser(scope);
  if (asked <= now) throw malformed(["expires_at"], "is not in the future", "value_error");
  if (findToken(database, userId)) {
    throw refusal(409, "TOKEN_EXISTS", "the user has a token already; revoke it first");
  }
  const expiresAt = Math.min(asked, organization.subscription_expires_at);
  const token = makeToken(scope, userId, expiresAt);
  return { token, expires_at: switches.issuedExpiry === "date" ? formatInstant(expiresAt) : null };
};

/** Issues a token to a user without one. @returns its value, of which the database stores the hash */
export function makeToken(
  { database, organization, switches }: Scope,
  userId: string,
  expiresAt: number,
): string {
  const token = newSecret(switches.secretMarker);
  database.run(
    "INSERT INTO tokens (user_id, hash, expires_at, generation) VALUES (?, ?, ?, ?)",
    userId,
    hashOf(token),
    expiresAt,
    organization.generation,
  );
  return token;
}

/** Extends the token to the end of a renewed subscription (D41). Never shortens it, and keeps its value. */
export const renewToken: Handler = (scope) => {
  const { database, organization, switches } = scope;
  const token = findToken(database, requireUser(scope));
  if (!token) throw refusal(404, "TOKEN_NOT_FOUND", "the user has no token");
  const moves = token.generation !== organization.generation || switches.renewalNeeds === "nothing";
  const expiresAt = moves
    ? Math.max(token.expires_at, organization.subscription_expires_at)
    : token.expires_at;
  database.run(
    "UPDATE tokens SET expires_at = ?, generation = ? WHERE user_id = ?",
    expiresAt,
    organization.generation,
    token.user_id,
  );
  if (switches.renewedExpiry === "no-body") return undefined;
  return { expires_at: switches.renewedExpiry === "date" ? formatInstant(expiresAt) : null };
};

export const revokeToken: Handler = (scope) => {
  const { changes } = scope.database.run("DELETE FROM tokens WHERE user_id = ?", requireUser(scope));
  if (changes === 0) throw refusal(404, "TOKEN_NOT_FOUND", "the user has no token");
  return undefined;
};

/** Whether a token's value is valid, as the package repository checks it. */
export function checkTokenValue(
  database: Database,
  now: number,
  value: string,
): { live: boolean; userId: string | null; expiresAt: string | null } {
  const token = database.one(tokenRow, "SELECT * FROM tokens WHERE hash = ?", hashOf(value));
  if (!token) return { live: false, userId: null, expiresAt: null };
  return { live: token.expires_at > now, userId: token.user_id, expiresAt: formatInstant(token.expires_at) };
}

function findToken(database: Database, userId: string): z.output<typeof tokenRow> | undefined {
  return database.one(tokenRow, "SELECT * FROM tokens WHERE user_id = ?", userId);
}
