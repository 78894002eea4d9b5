/** The calls of a UserToken that differ between dialects: issuing, renewing, and finding the id of a token. */
import { isLater } from "../../util/instants.ts";
import { claimObject, newInstance } from "../ownership.ts";
import { type CallContext, PartiallyCreated, type PlanContext } from "../resource.ts";
import { type DueRenewal, wantedExpiry } from "./dates.ts";
import { issue, renewAtService } from "./documented.ts";
import { findOwn, issueListed, LostToken, NotRenewed, renewListed } from "./listed.ts";
import { dateKey, EXPIRES_KEY, noDate, SUBSCRIPTION_KEY } from "./messages.ts";
import {
  accessOf,
  confirmedExpiry,
  type Expiry,
  expiryOf,
  type Issued,
  outsOf,
  type UserTokenInputs,
  type UserTokenOutputs,
} from "./schema.ts";
import { type Kept, prepareKeeping } from "./sealing.ts";

/** Issues a token, by the means of the dialect. */
export async function issueAny(
  news: UserTokenInputs,
  expiresAt: string,
  context: CallContext,
): Promise<NewToken> {
  const keep = await prepareKeeping(news);
  if (context.can.canListTokens) {
    try {
      const { value, ...issued } = await issueListed(news, expiresAt, context);
      return { ...issued, kept: await keep(value) };
    } catch (error) {
      throw error instanceof LostToken ? lostToken(news, expiresAt, error) : error;
    }
  }
  const { token, expires_at = null } = await issue(news, expiresAt, context);
  return { kept: await keep(token), expiresAt: expires_at };
}

/** The state keeps which tokens were there before, so that the next run finds the lost one. */
function lostToken(news: UserTokenInputs, expiresAt: string, lost: LostToken): PartiallyCreated {
  const own = { tokenId: null, otherTokenIds: [...lost.before], instance: newInstance() };
  const expiry = expiryOf(null, wantedExpiry(news) ?? expiresAt);
  const { cause } = lost;
  return new PartiallyCreated(
    news.userId,
    { ...outsOf(news, own, expiry), isLost: true },
    lost.message,
    cause instanceof Error ? cause : undefined,
  );
}

/** An issued or adopted token. */
type NewToken = Pick<UserTokenOutputs, "tokenId"> & {
  /** Undefined of an adopted token: the service does not tell its value again. */
  readonly kept?: Kept | undefined;
  readonly otherTokenIds?: readonly string[] | undefined;
  readonly expiresAt: string | null;
};

/** @throws PartiallyCreated where the id of the token is not known: the state keeps its value */
export function created(
  news: UserTokenInputs,
  { expiresAt, otherTokenIds, kept, tokenId }: NewToken,
  context: CallContext,
): { id: string; outs: UserTokenOutputs } {
  const { userId } = news;
  const who = context.people.nameOf(userId);
  const wanted = wantedExpiry(news) ?? expiresAt;
  if (wanted === null) throw new Error(`cannot issue token of ${who}: ${noDate}`);
  const expiry = expiryOf(expiresAt, wanted);
  if (kept !== undefined && isLater(wanted, expiry.validUntil)) {
    context.warn(
      `token of ${who} expires at ${expiry.validUntil}, not at ${wanted} as requested: the subscription probably ends then. Correct ${SUBSCRIPTION_KEY} or ${EXPIRES_KEY}, or renew the subscription in the service.`,
    );
  }
  const others = otherTokenIds && { otherTokenIds: [...otherTokenIds] };
  const age = { issuedAt: context.sendTime(), instance: newInstance() };
  const outs = outsOf(news, { ...kept, tokenId, ...others, ...age }, expiry);
  claimObject(context, "UserToken", userId, outs);
  if (tokenId !== null) return { id: userId, outs };
  throw new PartiallyCreated(
    userId,
    outs,
    `the token of ${who} was issued, but the service's lists do not tell its id. The state has its value. Run \`pulumi up\` again, which looks for the id.`,
  );
}

/** A state of another dialect, or of a list that did not tell, lacks the id of its token. */
export function isUnresolved(olds: UserTokenOutputs, { can }: PlanContext): boolean {
  return can.canListTokens && typeof olds.tokenId !== "string";
}

/** The outputs with the id of the token. @throws Error where several tokens may be it, or none */
export async function resolve(
  olds: UserTokenOutputs,
  news: UserTokenInputs,
  context: CallContext,
): Promise<UserTokenOutputs> {
  if (!isUnresolved(olds, context)) return olds;
  const access = { ...accessOf(olds), credentials: news.credentials };
  const named = typeof news.adopt === "string" ? { tokenId: news.adopt } : {};
  const own = await findOwn({ ...access, ...named }, context);
  if ("token" in own)
    return { ...olds, ...resolved(olds, own.token.id), ...confirmedExpiry(own.token.expires_at) };
  throw new Error(
    `cannot find the token of ${context.people.nameOf(olds.userId)} at the service. Run \`pulumi refresh\`, and the next \`pulumi up\` issues a new one`,
  );
}

export function resolved({ token, sealed, instance, issuedAt }: UserTokenOutputs, tokenId: string): Issued {
  return { token, sealed, instance, issuedAt, tokenId, otherTokenIds: undefined };
}

export function idOf(own: Awaited<ReturnType<typeof findOwn>>): string | undefined {
  return "token" in own ? own.token.id : undefined;
}

/** Renews the token, by the means of the dialect. */
export async function renew(
  userId: string,
  olds: UserTokenOutputs,
  news: UserTokenInputs,
  due: DueRenewal,
  context: CallContext,
): Promise<Expiry> {
  if (!context.can.canListTokens || typeof olds.tokenId !== "string")
    return renewToEnd(userId, olds, news, context);
  const { tokenId } = olds;
  try {
    return expiryOf(
      await renewListed({ ...news, token: olds.token ?? undefined }, tokenId, due, context),
      "",
    );
  } catch (error) {
    if (!(error instanceof NotRenewed)) throw error;
    const expiry = error.expiresAt === undefined ? olds : confirmedExpiry(error.expiresAt);
    const key = dateKey(news);
    // With the old date, so that the next run tries again.
    throw new PartiallyCreated(
      userId,
      { ...outsOf(news, olds, expiry), expiresAt: olds.expiresAt },
      `cannot renew token of ${context.people.nameOf(userId)}: the service accepted the renewal, but ${error.message} If the subscription ends earlier in the service, renew it there, or correct ${key}. To issue a new value instead, change \`rotation\`. The value is unchanged.`,
    );
  }
}

/** Renews the only token of a user to the end of the subscription. */
async function renewToEnd(
  userId: string,
  olds: UserTokenOutputs,
  news: UserTokenInputs,
  context: CallContext,
): Promise<Expiry> {
  const who = context.people.nameOf(userId);
  const wanted = wantedExpiry(news) ?? olds.validUntil;
  const answered = await renewAtService(userId, { ...news, token: olds.token ?? undefined }, context);
  const expiry = expiryOf(answered, news.subscriptionExpiresAt ?? wanted);
  if (isLater(wanted, expiry.validUntil) || !isLater(expiry.validUntil, olds.validUntil)) {
    const key = dateKey(news);
    // Keeps the new inputs, such as credentials, and the old expiry: the next run tries again.
    throw new PartiallyCreated(
      userId,
      outsOf(news, olds, olds),
      `cannot renew token of ${who}: the service accepted the renewal, but the token expires at ${expiry.validUntil}, not at ${laterOf(wanted, news.subscriptionExpiresAt)}. The subscription is probably not renewed in the service yet: renew it there, or correct ${key}. To issue a new value instead, change \`rotation\`. The value is unchanged.`,
    );
  }
  if (news.expiresAt !== undefined && isLater(expiry.validUntil, news.expiresAt)) {
    context.warn(
      `token of ${who} now expires at ${expiry.validUntil}, later than declared (${news.expiresAt}): a renewal extends to the end of the subscription. If the exact date matters, change \`rotation\` too.`,
    );
  }
  return expiry;
}

function laterOf(a: string, b: string | undefined): string {
  return b !== undefined && isLater(b, a) ? b : a;
}
