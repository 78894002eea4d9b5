/** The token operations of platforms that list tokens: a user can have several, and each is revoked by its id. */
import { z } from "zod";
import {
  issueListedTokenRequestSchema,
  renewTokenRequestSchema,
} from "../../../provider/api/schemas/anaconda-schemas.ts";
import { formatInstant } from "../../../provider/util/instants.ts";
import type { Handler, Scope } from "../base/handler.ts";
import { malformed, refusal } from "../base/refusals.ts";
import { requireSubscription, requireUser } from "./members.ts";
import { announce } from "./outbox.ts";
import { findToken, makeToken } from "./tokens.ts";

const tokenRow = z.object({ id: z.string(), expires_at: z.number(), revoked: z.number() });
const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Emails the value, unless the request declines. */
export const issueListedToken: Handler = (scope, body) => {
  requireSubscription(scope);
  const request = issueListedTokenRequestSchema.parse(body);
  const { expires_at: asked, expiration_tolerance_months: months = 0, send_token_email = true } = request;
  const userId = requireUser(scope);
  const expiresAt = expiryOf(scope, asked, months);
  if (scope.switches.liveTokens === "one")
    scope.database.run("UPDATE tokens SET revoked = 1 WHERE user_id = ?", userId);
  const token = makeToken(scope, userId, expiresAt);
  if (send_token_email) announce(scope, userId, "token", `Your access token: ${token}`);
  const { issuedExpiry } = scope.switches;
  return { token, expires_at: issuedExpiry === "date" ? formatInstant(expiresAt) : null };
};

/** Concerns the newest token that is not revoked. Keeps its value. */
export const renewListedToken: Handler = (scope, body) => {
  const { database, organization } = scope;
  const {
    is_renewal = false,
    expires_at,
    expiration_tolerance_months: months = 0,
  } = renewTokenRequestSchema.parse(body);
  const newest = findToken(database, requireUser(scope));
  if (!newest) throw refusal(404, "TOKEN_NOT_FOUND", "the user has no token");
  const asked = is_renewal ? formatInstant(organization.subscription_expires_at) : expires_at;
  if (typeof asked !== "string") {
    throw malformed(["expires_at"], "Field required without is_renewal", "missing");
  }
  database.run(
    "UPDATE tokens SET expires_at = ?, generation = ? WHERE id = ?",
    expiryOf(scope, asked, months),
    organization.generation,
    newest.id,
  );
  return undefined;
};

export const listTokens: Handler = (scope) => ({
  items: scope.database
    .all(
      tokenRow,
      "SELECT id, expires_at, revoked FROM tokens WHERE user_id = ? ORDER BY rowid",
      requireUser(scope),
    )
    .map(({ id, expires_at, revoked }) => ({
      id,
      expires_at: formatInstant(expires_at),
      metadata: {},
      revoked: revoked === 1,
    })),
});

/** A revoked token stays in the list. */
export const revokeListedToken: Handler = (scope) => {
  const { changes } = scope.database.run(
    "UPDATE tokens SET revoked = 1 WHERE id = ? AND user_id = ? AND revoked = 0",
    scope.path.token_id ?? "",
    requireUser(scope),
  );
  if (changes === 0) throw refusal(404, "TOKEN_NOT_FOUND", "no such token, or it is revoked already");
  return undefined;
};

/** The date, until the end of the subscription at the latest, plus the tolerance. */
function expiryOf({ organization, now }: Scope, asked: string, months: number): number {
  const wanted = Date.parse(asked);
  if (wanted <= now) throw malformed(["expires_at"], "is not in the future", "value_error");
  return later(Math.min(wanted, organization.subscription_expires_at), months);
}

/** Months later on the same day, or on the last day of a shorter month, at most at the end of the year 9999. */
function later(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + months);
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime() < LAST_INSTANT ? date.getTime() : LAST_INSTANT;
}
