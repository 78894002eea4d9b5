/** Decisions about the tokens of a user: which one is this resource's own. Pure. */
import type { ListedToken } from "../../api/schemas/anaconda-schemas.ts";
import { isLater } from "../../util/instants.ts";
import { shortList } from "../../util/text.ts";

/** What a state knows about its token. */
export interface OwnToken {
  readonly tokenId?: string | null | undefined;
  /** Ids that are certainly not its own; undefined where the token was issued without a list. */
  readonly otherTokenIds?: readonly string[] | undefined;
  readonly validUntil: string;
}

/**
 * The own token. `gone`: the list shows it as revoked. `missing`: the list lacks it, although a revoked token stays in it.
 * `candidates`: it may be any of them.
 */
export type Resolved =
  | { readonly token: ListedToken }
  | { readonly gone: true }
  | { readonly missing: true }
  | { readonly candidates: readonly ListedToken[] };

export function resolveOwn(tokens: readonly ListedToken[], own: OwnToken): Resolved {
  const live = liveTokens(tokens);
  if (typeof own.tokenId === "string") {
    const token = live.find(({ id }) => id === own.tokenId);
    return token === undefined ? absence(tokens.filter(({ id }) => id === own.tokenId)) : { token };
  }
  const candidates = without(live, own.otherTokenIds ?? []);
  if (candidates.length === 0) return absence(without(tokens, own.otherTokenIds ?? []));
  const fitting =
    own.otherTokenIds && candidates.length === 1 ? candidates : candidates.filter(expiringAt(own.validUntil));
  const [token] = fitting;
  return token !== undefined && fitting.length === 1 ? { token } : { candidates };
}

/** @param revoked listed tokens of which one may be it */
function absence(revoked: readonly ListedToken[]): Resolved {
  return revoked.length > 0 ? { gone: true } : { missing: true };
}

/** Tokens that are not revoked, expired ones too. */
export function liveTokens(tokens: readonly ListedToken[]): ListedToken[] {
  return tokens.filter(({ revoked }) => revoked !== true);
}

export function without(tokens: readonly ListedToken[], ids: readonly string[]): ListedToken[] {
  const known = new Set(ids);
  return tokens.filter(({ id }) => !known.has(id));
}

/** Selects the tokens that expire at this instant. */
export function expiringAt(instant: string): (token: ListedToken) => boolean {
  return ({ expires_at }) => !isLater(expires_at, instant) && !isLater(instant, expires_at);
}

/** `7a1f… (expires 2027-06-30T23:59:59Z), …` */
export function describeTokens(tokens: readonly ListedToken[]): string {
  return shortList(tokens.map(({ id, expires_at }) => `${id} (expires ${expires_at})`));
}

/** The list contradicts the state. */
export function missingToken(who: string): string {
  return `cannot tell whether the token of ${who} exists: the list of the user's tokens lacks it, and a revoked token stays in that list. The state stays as it is. Check orgseat:organizationId and the rights of the service account, then run the command again. If the service deleted the token, remove it from the state (\`pulumi state delete\`)`;
}
