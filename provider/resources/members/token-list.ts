/** The tokens of a user: which ones work, and how messages show them. Pure. */
import type { ListedToken } from "../../api/schemas/anaconda-schemas.ts";
import { isLater } from "../../util/instants.ts";
import { shortList } from "../../util/text.ts";

/** Tokens that are not revoked, expired ones too. */
export function liveTokens(tokens: readonly ListedToken[]): ListedToken[] {
  return tokens.filter(({ revoked }) => revoked !== true);
}

export function without(tokens: readonly ListedToken[], ids: readonly string[]): ListedToken[] {
  const known = new Set(ids);
  return tokens.filter(({ id }) => !known.has(id));
}

/** Those that a later list shows as revoked, or lacks. */
export function endedIn(listed: readonly ListedToken[], later: readonly ListedToken[]): ListedToken[] {
  const live = liveTokens(later).map(({ id }) => id);
  return without(listed, live);
}

/** Selects the tokens that expire at this timestamp; not those whose date is unreadable. */
export function expiringAt(instant: string): (token: ListedToken) => boolean {
  return ({ expires_at }) =>
    expires_at !== undefined && !isLater(expires_at, instant) && !isLater(instant, expires_at);
}

/** `7a1f… (expires 2027-06-30T23:59:59Z), …` */
export function describeTokens(tokens: readonly ListedToken[]): string {
  return shortList(
    tokens.map(({ id, expires_at }) => `${id} (expires ${expires_at ?? "at an unknown date"})`),
  );
}
