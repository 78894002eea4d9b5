/**
 * "issue token", "renew token" and "revoke token" of platforms in which a user has at most one token that is not revoked.
 */
import { z } from "zod";
import { issueTokenRequestSchema } from "../../../provider/api/schemas/schemas.ts";
import { formatInstant } from "../../../provider/util/instants.ts";
import type { Database } from "../base/database.ts";
import type { Handler, Scope } from "../base/handler.ts";
import type { tokenChangeSchema } from "../base/management-schemas.ts";
import { malformed, refusal } from "../base/refusals.ts";
import { hashOf, newSecret } from "../base/secrets.ts";
import { requireSubscription, requireUser } from "./members.ts";

const tokenRow = z.object({
  id: z.string(),
  user_id: z.string(),
  expires_at: z.number(),
  generation: z.number(),
  revoked: z.number(),
});

/** One token per user (D13), with or without a seat (D39), until the subscription's end at the latest (D40). */
export const issueToken: Handler = (scope, body) => {
  requireSubscription(scope);
  const { database, organization, now, switches } = scope;
  const asked = Date.parse(issueTokenRequestSchema.parse(body).expires_at);
  const userId = requireUser(scope);
  if (asked <= now) throw malformed(["expires_at"], "is not in the future", "value_error");
  if (findToken(database, userId)) {
    throw refusal(409, "TOKEN_EXISTS", "the user already has a token; revoke it first");
  }
  const expiresAt = Math.min(asked, organization.subscription_expires_at);
  const token = makeToken(scope, userId, expiresAt);
  return { token, expires_at: switches.issuedExpiry === "date" ? formatInstant(expiresAt) : null };
};

/** Issues a token. @returns its value, of which the database stores the hash */
export function makeToken(
  { database, organization, switches, newId }: Scope,
  userId: string,
  expiresAt: number,
): string {
  const token = newSecret(switches.secretMarker);
  database.run(
    "INSERT INTO tokens (id, user_id, hash, expires_at, generation) VALUES (?, ?, ?, ?, ?)",
    newId(userId),
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
    "UPDATE tokens SET expires_at = ?, generation = ? WHERE id = ?",
    expiresAt,
    organization.generation,
    token.id,
  );
  if (switches.renewedExpiry === "no-body") return undefined;
  return { expires_at: switches.renewedExpiry === "date" ? formatInstant(expiresAt) : null };
};

export const revokeToken: Handler = (scope) => {
  const { changes } = scope.database.run(
    "DELETE FROM tokens WHERE user_id = ? AND revoked = 0",
    requireUser(scope),
  );
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
  return {
    live: token.revoked === 0 && token.expires_at > now,
    userId: token.user_id,
    expiresAt: formatInstant(token.expires_at),
  };
}

/** A change behind the back of every client. A field that is missing stays. */
export function changeToken(
  database: Database,
  tokenId: string,
  { expiresAt, revoked }: z.output<typeof tokenChangeSchema>,
): void {
  const { changes } = database.run(
    "UPDATE tokens SET expires_at = coalesce(?, expires_at), revoked = coalesce(?, revoked) WHERE id = ?",
    expiresAt === undefined ? null : Date.parse(expiresAt),
    revoked === undefined ? null : Number(revoked),
    tokenId,
  );
  if (changes === 0) throw refusal(404, "TOKEN_NOT_FOUND", "no such token");
}

/** The newest token that is not revoked. */
export function findToken(database: Database, userId: string): z.output<typeof tokenRow> | undefined {
  return database.one(
    tokenRow,
    "SELECT * FROM tokens WHERE user_id = ? AND revoked = 0 ORDER BY rowid DESC LIMIT 1",
    userId,
  );
}
