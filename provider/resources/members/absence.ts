/**
 * Decides whether a user, a seat, or a token is gone, for refreshes, direct revocations, and drift. Pure. Absence must
 * be proved, because a resource that leaves the state is created again. Each decision needs a response: a failed read
 * never means "gone". The client decides whether a delete found nothing where no list shows it (D15).
 */

import type { ListedToken, ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { hiddenIn, oddItemText } from "../../api/schemas/forgiving-list.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import { isAbsent, isRefused } from "../failures.ts";
import { indexMembers, type MemberList, seatOf } from "./member-list.ts";
import { expiringAt, liveTokens, without } from "./token-list.ts";

/** What a list should show. */
export interface Expected {
  readonly userId: string;
  /** Given if the user should have a seat: of the product, or of any if none is named. */
  readonly seat?: { readonly product: string | undefined } | undefined;
}

/** Why a list proves nothing; undefined for a list to believe. Every organization has an admin. */
export function suspicionOf({ users, byId, odd }: MemberList): string | undefined {
  if (users.length === 0) return odd.length === 0 ? "it is empty" : "none of its items has a readable id";
  if (byId.size < users.length) return "it contains a user id twice";
  // An item whose role cannot be read may be one.
  const isAdmin = ({ role }: ListedUser) => role === "admin" || role === undefined;
  return users.some(isAdmin) || hiddenIn(odd).length > 0 ? undefined : "it contains no administrator";
}

/** What a list says about a user or seat. `unknown`: an item cannot be read, or no one said which code is the seat. */
export type Presence = "listed" | "lacking" | "unknown";

export function presenceIn(list: MemberList, { userId, seat }: Expected): Presence {
  const user = list.byId.get(userId);
  if (user === undefined) return hiddenIn(list.odd).length > 0 ? "unknown" : "lacking";
  const status = seat === undefined ? "yes" : seatOf(list, user, seat.product);
  return status === "yes" ? "listed" : status === "no" ? "lacking" : "unknown";
}

/** Whether one list lacks it: then a second one, read later, has to confirm that. */
export function lacks(list: MemberList, expected: Expected): boolean {
  return presenceIn(list, expected) === "lacking";
}

/** Both lists as one: it lacks only what both lack. */
export function confirmedBy(first: MemberList, second: MemberList): MemberList {
  const both = new Map(first.byId);
  for (const user of second.users) {
    const shown = [first.byId.get(user.id) ?? { subscriptions: [] }, user].map((one) => one.subscriptions);
    const codes = shown.flatMap((one) => one ?? []);
    const isUnread = codes.length === 0 && shown.includes(undefined);
    both.set(user.id, { ...user, subscriptions: isUnread ? undefined : [...new Set(codes)] });
  }
  const odd = new Map([...first.odd, ...second.odd].map((item) => [item.id ?? oddItemText(item), item]));
  return indexMembers({ users: [...both.values()], odd: [...odd.values()] });
}

/**
 * Whether a refused list of tokens shows that the user does not exist. A user whom two lists lack is gone only then: if
 * the service lists the user's tokens, its answers contradict each other.
 */
export function provesNoUser(refusal: unknown): boolean {
  return isAbsent(refusal) || isRefused(refusal, 422);
}

/**
 * Whether the lists show a token that is not revoked, although the service answers that there is none.
 * @param isUserListed whether a list shows the user, of whom the service refuses to list tokens
 */
export async function isTokenShown(
  tokenId: string,
  list: () => Promise<readonly ListedToken[] | undefined>,
  isUserListed: () => Promise<boolean | undefined>,
): Promise<boolean | undefined> {
  try {
    const listed = await list();
    return listed && liveTokens(listed).some(({ id }) => id === tokenId);
  } catch (error) {
    if (!provesNoUser(error)) throw error;
    if ((await isUserListed()) === false) return false;
    throw error;
  }
}

/** What a state knows about its token. */
export interface OwnToken {
  readonly tokenId?: string | null | undefined;
  /** Ids that are certainly not its own; undefined if the token was issued without a list. */
  readonly otherTokenIds?: readonly string[] | undefined;
  readonly validUntil: string;
  /** Whether no one has its value: beside a revoked one, a live one can be a person's. */
  readonly isLost?: boolean;
}

/** The same with the ids of earlier tokens that a rotation kept for a while. */
export interface HeldToken extends OwnToken {
  readonly previous?: readonly { readonly tokenId: string }[] | undefined;
}

/**
 * The own token. `gone`: the list shows it as revoked. `missing`: the list lacks it, although a revoked token stays in it,
 * so the list contradicts the state. `candidates`: it may be any of them.
 */
export type Resolved =
  | { readonly token: ListedToken }
  | { readonly gone: true }
  | { readonly missing: true }
  | { readonly candidates: readonly ListedToken[] };

/** @param own undefined if no state says that there is a token: then a list without one contradicts nothing */
export function resolveOwn(tokens: readonly ListedToken[], own: OwnToken | undefined): Resolved {
  const live = liveTokens(tokens);
  if (own === undefined) return live.length === 0 ? { gone: true } : onlyOne(live, live);
  if (typeof own.tokenId === "string") {
    const token = live.find(({ id }) => id === own.tokenId);
    return token === undefined ? absenceIn(tokens.filter(({ id }) => id === own.tokenId)) : { token };
  }
  const news = without(tokens, own.otherTokenIds ?? []);
  const candidates = liveTokens(news);
  const isEnded = own.isLost === true && own.otherTokenIds !== undefined && candidates.length < news.length;
  if (candidates.length === 0 || isEnded) return absenceIn(news);
  const fitting =
    own.otherTokenIds && candidates.length === 1 ? candidates : candidates.filter(expiringAt(own.validUntil));
  return onlyOne(fitting, candidates);
}

function onlyOne(fitting: readonly ListedToken[], candidates: readonly ListedToken[]): Resolved {
  const [token] = fitting;
  return token !== undefined && fitting.length === 1 ? { token } : { candidates };
}

/** @param revoked listed tokens of which one may be it */
function absenceIn(revoked: readonly ListedToken[]): Resolved {
  return revoked.length > 0 ? { gone: true } : { missing: true };
}

/** The list contradicts the state. */
export function missingToken(who: string): string {
  return `cannot tell whether the token of ${who} exists: the list of the user's tokens does not contain it, although the service keeps revoked tokens in that list. The state stays as it is. Check orgseat:organizationId and the rights of the service account, ${THEN_RUN_AGAIN}. If the service deleted the token, remove it from the state (\`pulumi state delete\`)`;
}
