/** What time decides about a token: refused while this machine's clock is wrong. */
import { requireRightClock } from "../resources/members/right-clock.ts";
import type { CallContext, OrganizationAccess, TokenOwner } from "../resources/resource.ts";
import { type Cause, isRotatedByRule } from "../resources/user-token/cause.ts";
import { type DeclaredDates, isDueByTime, type KnownToken, periodOf } from "../resources/user-token/dates.ts";

type Owner = OrganizationAccess & TokenOwner;

/** For a replacement. @throws CodedError `clock-skew` if a rule alone causes it and this machine's clock is wrong */
export async function requireTimeToRotate(owner: Owner, context: CallContext): Promise<void> {
  if (!isRotatedByRule(owner, context)) return;
  await requireRightClock(`rotate the token of ${context.people.nameOf(owner.userId)}`, owner, context);
}

/** For a new token: its end can be a period. @throws CodedError `clock-skew` */
export async function requireTime(news: Owner & DeclaredDates, context: CallContext): Promise<void> {
  await requireTimeToRotate(news, context);
  if (periodOf(news) === undefined) return;
  const what = `issue a token for ${context.people.nameOf(news.userId)} that is valid for ${news.expiresAt}`;
  await requireRightClock(what, news, context);
}

/** @param revoked the earlier tokens whose time has come @throws CodedError `clock-skew` */
export async function requireTimeToUpdate(
  cause: Cause,
  revoked: readonly string[],
  olds: KnownToken & TokenOwner,
  news: Owner & DeclaredDates,
  context: CallContext,
): Promise<void> {
  const who = context.people.nameOf(olds.userId);
  if (cause.kind === "renewal" && isDueByTime(olds, news))
    await requireRightClock(`renew the token of ${who}`, news, context);
  if (revoked.length > 0) await requireRightClock(`revoke the previous token of ${who}`, news, context);
}
