/** A UserToken if the service lists no tokens: a user has one, which has no id. */

import type { Deleted } from "../api/calls/organization.ts";
import type { IssuedToken, RenewedToken } from "../api/schemas/schemas.ts";
import { isAbsent, isRefused, WithoutEffect, withNextStep } from "../resources/failures.ts";
import { onceKnown } from "../resources/members/written.ts";
import { settledRemoval } from "../resources/pauses.ts";
import { type CallContext, type OrganizationAccess, PartiallyCreated } from "../resources/resource.ts";
import { type DueRenewal, wantedExpiry } from "../resources/user-token/dates.ts";
import { dateKey, explainIssue, valueAfter } from "../resources/user-token/messages.ts";
import {
  acceptedLimit,
  accessOf,
  answeredExpiry,
  expiryOf,
  type NewValue,
  outsOf,
  type UserTokenInputs,
  type UserTokenOutputs,
  unmovedExpiry,
} from "../resources/user-token/schema.ts";
import { isLater } from "../util/instants.ts";
import { withAnsweredValue } from "./created.ts";

interface NewToken extends OrganizationAccess {
  readonly userId: string;
  readonly replaceExisting?: boolean | undefined;
}

export async function issueUnlisted(news: NewToken, wanted: string, context: CallContext): Promise<NewValue> {
  const { token, expires_at = null } = await issue(news, wanted, context);
  return { value: token, expiresAt: expires_at };
}

/** No call reads a token: the state has all that there is to know. */
export async function unchanged(outs: UserTokenOutputs): Promise<UserTokenOutputs> {
  return outs;
}

export async function revokeUnlisted(outs: UserTokenOutputs, context: CallContext): Promise<Deleted> {
  const revoke = () => context.api(accessOf(outs)).revokeToken(outs.userId, context.operation);
  return settledRemoval(revoke, { what: `the token of ${context.people.nameOf(outs.userId)}` }, context);
}

/** Issues a token; if the user has one already and `replaceExisting` allows it, revokes that one first. */
async function issue(news: NewToken, wanted: string, context: CallContext): Promise<IssuedToken> {
  const api = context.api(news);
  let revoked = "";
  try {
    try {
      const call = () => api.issueToken(news.userId, wanted, context.operation);
      return await onceKnown(news, call, context);
    } catch (error) {
      if (!news.replaceExisting || !isRefused(error, 409)) throw error;
    }
    const { userId, organizationId } = news;
    await context.checkRemovalLimit({ type: "UserToken", userId, organizationId, isReplaced: true });
    await context.beginReplacement("UserToken", news);
    await api.revokeToken(news.userId, context.operation);
    revoked = "The previous token has been revoked.";
    return await api.issueToken(news.userId, wanted, context.operation);
  } catch (error) {
    throw explainIssue(error, context.people.nameOf(news.userId), revoked);
  }
}

/** Renews the only token of a user to the end of the subscription. */
export async function renewUnlisted(
  olds: UserTokenOutputs,
  news: UserTokenInputs,
  _due: DueRenewal,
  context: CallContext,
): Promise<UserTokenOutputs> {
  const { userId } = news;
  const who = context.people.nameOf(userId);
  const wanted = wantedExpiry(news, context.now) ?? olds.validUntil;
  const answered = await renewAtService(userId, { ...news, token: olds.value ?? undefined }, context);
  const own = answered.token ? await withAnsweredValue(olds, answered.token, news, context) : olds;
  const expiry = expiryOf(answered.expires_at, news.subscriptionExpiresAt ?? wanted);
  const limited = acceptedLimit(olds, news, expiry, wanted, context);
  if (limited !== undefined) return outsOf(news, own, limited);
  if (isLater(wanted, expiry.validUntil) || !isLater(expiry.validUntil, olds.validUntil)) {
    const key = dateKey(news);
    // Keeps the new inputs, such as credentials, and the old expiry: a later run tries again.
    throw new PartiallyCreated(
      userId,
      outsOf(news, own, unmovedExpiry(olds, news, wanted, context.sendTime())),
      new WithoutEffect(
        "token-date",
        `cannot renew the token of ${who}: the service accepted the renewal, but the token expires at ${expiry.validUntil}, not at ${laterOf(wanted, news.subscriptionExpiresAt)}. The subscription is probably not renewed in the service yet: renew it there, or correct ${key}. To issue a new value instead, change \`rotation\`.${valueAfter(olds, own)}`,
      ),
    );
  }
  if (news.expiresAt !== undefined && isLater(expiry.validUntil, wanted)) {
    context.warn(
      `token of ${who} now expires at ${expiry.validUntil}, later than declared (${news.expiresAt}): a renewal extends to the end of the subscription. If the exact date matters, change \`rotation\` too.`,
    );
  }
  return outsOf(news, own, answeredExpiry(expiry, news, wanted, context.sendTime()));
}

function laterOf(a: string, b: string | undefined): string {
  return b !== undefined && isLater(b, a) ? b : a;
}

async function renewAtService(
  userId: string,
  owner: OrganizationAccess,
  context: CallContext,
): Promise<RenewedToken> {
  try {
    return await context.api(owner).renewToken(userId, context.operation);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw withNextStep(
      error,
      `The service no longer has a token of ${context.people.nameOf(userId)}. Change \`rotation\` on this UserToken to issue a new value.`,
      "token-gone",
    );
  }
}
