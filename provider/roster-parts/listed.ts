/** A UserToken if the service lists tokens: each has an id, which a resource adopts, finds, renews and revokes. */

import type { Deleted } from "../api/calls/organization.ts";
import type { ListedToken } from "../api/schemas/anaconda-schemas.ts";
import { isAbsent, isRefused, keepIfFailed, WithoutEffect, withNextStep } from "../resources/failures.ts";
import { missingToken, type OwnToken, type Resolved, resolveOwn } from "../resources/members/absence.ts";
import { findMember, listTokens } from "../resources/members/reads.ts";
import { revokeById } from "../resources/members/removal.ts";
import { describeTokens, expiringAt, liveTokens } from "../resources/members/token-list.ts";
import { keepingUnread } from "../resources/members/unreadable.ts";
import { growingPauses, LAGGING } from "../resources/pauses.ts";
import {
  type CallContext,
  type OrganizationAccess,
  PartiallyCreated,
  type PreviousToken,
} from "../resources/resource.ts";
import { lacksId } from "../resources/user-token/cause.ts";
import { type DueRenewal, isExpected } from "../resources/user-token/dates.ts";
import { dateKey, valueAfter } from "../resources/user-token/messages.ts";
import {
  acceptedLimit,
  accessOf,
  answeredExpiry,
  confirmedExpiry,
  expiryOf,
  type FoundToken,
  outsOf,
  type UserTokenInputs,
  type UserTokenOutputs,
  unmovedExpiry,
} from "../resources/user-token/schema.ts";
import { CodedError } from "../util/error-codes.ts";
import { isLater } from "../util/instants.ts";
import { withAnsweredValue } from "./created.ts";

interface Adopting extends OrganizationAccess {
  readonly userId: string;
  readonly adopt?: boolean | string | undefined;
  readonly rotateEvery?: string | undefined;
}

/** The existing token to adopt; undefined if the user has none and any would do, or if a new value is due. */
export async function tokenToAdopt(news: Adopting, context: CallContext): Promise<FoundToken | undefined> {
  const all = await listTokens(news, context);
  const live = liveTokens(all);
  const wanted = typeof news.adopt === "string" ? live.filter(({ id }) => id === news.adopt) : live;
  const who = context.people.nameOf(news.userId);
  const [token] = wanted;
  if (wanted.length > 1) {
    throw new CodedError(
      "ambiguous",
      `cannot adopt the token of ${who}: this user has several tokens: ${describeTokens(live)}. Set \`adopt\` to the id of one of them`,
    );
  }
  if (token !== undefined) return { tokenId: token.id, expiresAt: token.expires_at ?? null };
  if (typeof news.adopt !== "string") return undefined;
  // A run that rotated it was killed before it issued the new one.
  const isRevoked = all.some(({ id }) => id === news.adopt);
  if (isRevoked && news.rotateEvery !== undefined) return undefined;
  const found = live.length === 0 ? "no token" : describeTokens(live);
  throw new CodedError(
    "cannot-adopt",
    `cannot adopt token ${news.adopt} of ${who}: this user has ${found}. Correct or remove \`adopt\``,
  );
}

/** The outputs with the id of the token. @throws Error if several tokens may be it, or none */
export async function resolveListed(
  olds: UserTokenOutputs,
  news: UserTokenInputs,
  context: CallContext,
): Promise<UserTokenOutputs> {
  if (!lacksId(olds)) return olds;
  const access = { ...accessOf(olds), credentials: news.credentials };
  const named = typeof news.adopt === "string" ? { tokenId: news.adopt } : {};
  const own = await findOwn({ ...access, ...named }, context);
  if ("token" in own) return { ...olds, ...ownId(own.token), ...confirmedExpiry(own.token.expires_at, olds) };
  throw new CodedError(
    "token-gone",
    `cannot find the token of ${context.people.nameOf(olds.userId)} in the service. Run \`pulumi refresh\`; the next \`pulumi up\` issues a new one`,
  );
}

export function readListed(
  outs: UserTokenOutputs,
  context: CallContext,
): Promise<UserTokenOutputs | undefined> {
  return keepingUnread(outs, () => readNow(outs, context), context);
}

async function readNow(outs: UserTokenOutputs, context: CallContext): Promise<UserTokenOutputs | undefined> {
  const access = accessOf(outs);
  if ((await findMember(access, context)) === undefined) return undefined;
  if ((outs.isLost && lacksId(outs)) || context.isTokenUnread(outs)) return outs;
  const own = await findOwn(access, context);
  const previous = await stillListed(outs, access, context);
  if ("token" in own) {
    const found = { ...outs, ...ownId(own.token), previous };
    return outsOf(outs, found, confirmedExpiry(own.token.expires_at, outs));
  }
  const { userId, organizationId } = outs;
  context.countMissing({ type: "UserToken", userId, organizationId });
  // The next update replaces it, and revokes the earlier ones, which no other state has.
  return previous.length === 0 ? undefined : { ...outs, previous, isLost: true };
}

/** Those of the replaced tokens that the service still has. */
export async function stillListed(
  { previous = [] }: Pick<UserTokenOutputs, "previous">,
  access: Parameters<typeof listTokens>[0],
  context: CallContext,
): Promise<PreviousToken[]> {
  if (previous.length === 0) return [];
  const live = new Set(liveTokens(await listTokens(access, context)).map(({ id }) => id));
  return previous.filter(({ tokenId }) => live.has(tokenId));
}

export async function revokeListed(outs: UserTokenOutputs, context: CallContext): Promise<Deleted> {
  const access = accessOf(outs);
  const tokenId = outs.tokenId ?? idOf(await findOwn(access, context));
  const ids = [...(tokenId === undefined ? [] : [tokenId]), ...previousIds(outs)];
  const { answers, failure } = await revokeEach(ids, access, context);
  if (failure !== undefined) throw failure;
  return (tokenId === undefined ? undefined : answers.get(tokenId)) ?? "gone";
}

export function previousIds({ previous = [] }: UserTokenOutputs): string[] {
  return previous.map(({ tokenId }) => tokenId);
}

/** Revokes each token: one that fails keeps none of the others. @returns what became of them, and the first failure */
export async function revokeEach(
  ids: readonly string[],
  access: Parameters<typeof revokeById>[1],
  context: CallContext,
): Promise<{ readonly answers: ReadonlyMap<string, Deleted>; readonly failure: Error | undefined }> {
  const answers = new Map<string, Deleted>();
  let failure: Error | undefined;
  for (const id of ids) {
    try {
      answers.set(id, await revokeById(id, access, context));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      failure ??= error;
    }
  }
  return { answers, failure };
}

/**
 * Renews the own token and reads its expiry back.
 * @param olds with the id of the token
 * @throws PartiallyCreated if the expiry is not the due one
 */
export async function renewListed(
  olds: UserTokenOutputs,
  news: UserTokenInputs,
  due: DueRenewal,
  context: CallContext,
): Promise<UserTokenOutputs> {
  const access = { ...news, token: olds.value ?? undefined };
  const value = await sendRenewal(olds, access, due, context);
  const held = value ? await withAnsweredValue(olds, value, news, context) : olds;
  // To the end of the subscription, which the service may know to be later.
  const mayBeLater = due.expiresAt === undefined;
  const isDue = (at = "") => at !== "" && isExpected(at, due.until, news);
  const read = () => tokensAfterRenewal(olds, access, isDue, context);
  // With the old dates, so that the next update renews it again.
  const { expiresAt, expirationToleranceMonths } = olds;
  const unread = () => ({ ...outsOf(news, held, olds), expiresAt, expirationToleranceMonths });
  const live = held === olds ? await read() : await keepIfFailed(news.userId, read, unread);
  const old = live.find(({ id }) => id === olds.tokenId);
  // A new value can have a new id.
  const own = old ?? (held !== olds && live.length === 1 ? live[0] : undefined);
  const after = own ? { ...held, tokenId: own.id } : held;
  const found = own?.expires_at;
  const expiry = expiryOf(found, due.until);
  if (own && (found === undefined || isDue(found) || (mayBeLater && isLater(found, due.until))))
    return outsOf(news, after, answeredExpiry(expiry, news, due.until, context.sendTime()));
  const limited = own && acceptedLimit(olds, news, expiry, due.until, context);
  if (limited !== undefined) return outsOf(news, after, limited);
  const others = live.filter(({ id, expires_at }) => id !== after.tokenId && isDue(expires_at));
  const instead =
    others.length === 0
      ? ""
      : ` Instead, ${describeTokens(others)} of this user may have moved: the service decides which token of a user it renews.`;
  const now = own ? `expires at ${found}` : "no longer exists";
  // With the old date, so that a later run tries again.
  throw new PartiallyCreated(
    news.userId,
    {
      ...outsOf(
        news,
        after,
        unmovedExpiry(confirmedExpiry(found, olds), news, due.until, context.sendTime()),
      ),
      expiresAt: olds.expiresAt,
    },
    new WithoutEffect(
      "token-date",
      `cannot renew the token of ${context.people.nameOf(news.userId)}: the service accepted the renewal, but token ${after.tokenId} ${now}, not at ${due.until}.${instead} If the subscription ends earlier in the service, renew it there, or correct ${dateKey(news)}. To issue a new value instead, change \`rotation\`.${valueAfter(olds, held)}`,
    ),
  );
}

const NO_EFFECT = "a renewal had no effect";

/** The tokens, once a list shows an effect of the renewal: it can do so later. */
async function tokensAfterRenewal(
  { tokenId, validUntil }: UserTokenOutputs,
  access: UserTokenInputs,
  isDue: (at: string | undefined) => boolean,
  context: CallContext,
): Promise<ListedToken[]> {
  const pause = growingPauses(context, LAGGING);
  for (;;) {
    const live = liveTokens(await listTokens(access, context));
    const isUnmoved = live.filter(expiringAt(validUntil)).some(({ id }) => id === tokenId);
    const isEffectShown = !isUnmoved || live.some(({ expires_at }) => isDue(expires_at));
    // The subscription is probably not renewed yet, which concerns all tokens: one that has waited is enough.
    if (isEffectShown || context.notes.has(NO_EFFECT)) return live;
    if (await pause()) continue;
    context.notes.add(NO_EFFECT);
    return live;
  }
}

/** @returns the value in the response, if it has one */
async function sendRenewal(
  { tokenId }: UserTokenOutputs,
  access: UserTokenInputs & OrganizationAccess,
  { expiresAt }: DueRenewal,
  context: CallContext,
): Promise<string | null | undefined> {
  const { userId, expirationToleranceMonths: toleranceMonths = 0 } = access;
  try {
    const options = { expiresAt, toleranceMonths };
    return (await context.api(access).renewToken(userId, context.operation, options)).token;
  } catch (error) {
    if (!isAbsent(error) && !isRefused(error, 422)) throw error;
    throw withNextStep(
      error,
      `If token ${tokenId} of ${context.people.nameOf(userId)} no longer exists, \`pulumi refresh\` finds out, and the next \`pulumi up\` issues a new one.`,
      "token-gone",
    );
  }
}

/**
 * The own token of a resource in the state.
 * @throws Error if it may be one of several, or if the list contradicts the state
 */
async function findOwn(
  outs: OwnToken & OrganizationAccess & { readonly userId: string },
  context: CallContext,
): Promise<Extract<Resolved, { readonly token: unknown } | { readonly gone: unknown }>> {
  const resolved = resolveOwn(await listTokens(outs, context), outs);
  const who = context.people.nameOf(outs.userId);
  if ("missing" in resolved) throw new CodedError("token-gone", missingToken(who));
  if (!("candidates" in resolved)) return resolved;
  throw new CodedError(
    "ambiguous",
    `cannot tell which token of ${who} is the one in the state: ${describeTokens(resolved.candidates)}. Set \`adopt: "<token id>"\` on this UserToken and run \`pulumi up\`, or revoke the others in the service`,
  );
}

function idOf(own: Awaited<ReturnType<typeof findOwn>>): string | undefined {
  return "token" in own ? own.token.id : undefined;
}

/** With the id of the own token, the others do not matter. */
function ownId({ id }: ListedToken) {
  return { tokenId: id, otherTokenIds: undefined };
}
