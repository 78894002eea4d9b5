/** Decisions about the tokens of a user: which one is this resource's own. Pure. */
import type { ListedToken } from "../api/anaconda-schemas.ts";
import { isLater } from "../api/instants.ts";
import { shortList } from "../util/plural.ts";

/** What a state knows about its token. */
export interface OwnToken {
  readonly tokenId?: string | null | undefined;
  /** Ids that are certainly not its own; undefined where the token was issued without a list. */
  readonly otherTokenIds?: readonly string[] | undefined;
  readonly validUntil: string;
}

/** The own token; `gone`: absent or revoked. `candidates`: it may be any of them. */
export type Resolved =
  | { readonly token: ListedToken }
  | { readonly gone: true }
  | { readonly candidates: readonly ListedToken[] };

export function resolveOwn(tokens: readonly ListedToken[], own: OwnToken): Resolved {
  const live = liveTokens(tokens);
  if (typeof own.tokenId === "string") {
    const token = live.find(({ id }) => id === own.tokenId);
    return token === undefined ? { gone: true } : { token };
  }
  const candidates = without(live, own.otherTokenIds ?? []);
  if (candidates.length === 0) return { gone: true };
  const fitting =
    own.otherTokenIds && candidates.length === 1 ? candidates : candidates.filter(expiringAt(own.validUntil));
  const [token] = fitting;
  return token !== undefined && fitting.length === 1 ? { token } : { candidates };
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
