/** What check and diff of a UserToken refuse or warn about: dates, and inputs that the dialect lacks. */
import { isLater } from "../../util/instants.ts";
import { changedKeys, inputIssue, unsupportedEmails, unsupportedInputs } from "../changes.ts";
import { reissuedFor } from "../planned-writes.ts";
import type { InputIssue, PlanContext } from "../resource.ts";
import { type Knowable, known, unknown } from "../unknown.ts";
import { expiringSoon, isPast, refusedExpiry } from "./dates.ts";
import type { Expiry, UserTokenInputs, UserTokenOutputs } from "./schema.ts";

export const EXPIRES_KEY = "expiresAt (in a roster, `expires`)";
export const SUBSCRIPTION_KEY = "orgseat:subscriptionExpiresAt (in a roster, `subscription`)";
export const noDate = `no expiry date is known. Set ${EXPIRES_KEY} or ${SUBSCRIPTION_KEY}`;

export const noReplacement =
  "replaceExisting has no effect here: a user can have several tokens, and orgseat revokes only those that it issued or adopted.";

export function checkCapabilities(news: Knowable<UserTokenInputs>, context: PlanContext): InputIssue[] {
  const { canListTokens, canSetExpiry } = context.can;
  return [
    ...(canListTokens ? [] : unsupportedInputs(news, ["adopt"], "this service does not list tokens")),
    ...(canSetExpiry
      ? []
      : unsupportedInputs(news, ["expirationToleranceMonths"], "tokens of this service have no tolerance")),
    ...unsupportedEmails(news, context),
  ];
}

function describeSource(source: Expiry["expirySource"]): string {
  return source === "service" ? "confirmed by the service" : "declared, not confirmed";
}

export function checkDates(news: Knowable<UserTokenInputs>): InputIssue[] {
  const { expiresAt, subscriptionExpiresAt: end, renewBefore } = news;
  if (expiresAt === undefined && end === undefined) return [inputIssue("expiresAt", noDate)];
  const failures: InputIssue[] = [];
  if (renewBefore !== undefined && end === undefined) {
    failures.push(
      inputIssue(
        "renewBefore",
        "a renewal extends to the end of the subscription. Set orgseat:subscriptionExpiresAt too",
      ),
    );
  }
  const explicit = known(expiresAt);
  const subscription = known(end);
  if (explicit !== undefined && subscription !== undefined && isLater(explicit, subscription)) {
    failures.push(
      inputIssue(
        "expiresAt",
        `${explicit} is after the end of the subscription (subscriptionExpiresAt, ${subscription})`,
      ),
    );
  }
  return failures;
}

type Dates = Pick<
  UserTokenInputs,
  "expiresAt" | "renewBefore" | "subscriptionExpiresAt" | "expirationToleranceMonths"
>;

/** The dates; undefined while one of them is unknown. */
export function knownDates(news: Knowable<UserTokenInputs>): Dates | undefined {
  const { expiresAt, renewBefore, subscriptionExpiresAt, expirationToleranceMonths } = news;
  if (expiresAt === unknown || renewBefore === unknown || subscriptionExpiresAt === unknown) return undefined;
  if (expirationToleranceMonths === unknown) return undefined;
  return { expiresAt, renewBefore, subscriptionExpiresAt, expirationToleranceMonths };
}

export function knownWanted(news: Knowable<UserTokenInputs>): string | undefined {
  return news.expiresAt === undefined ? known(news.subscriptionExpiresAt) : known(news.expiresAt);
}

/**
 * Why a date that has passed rules out the new value or the earlier date that the program asks for. Diff then asks for an
 * update, which fails: nothing is revoked, and no other resource is affected.
 */
export function refusalOf(
  who: string,
  olds: UserTokenOutputs,
  news: Knowable<UserTokenInputs>,
  context: PlanContext,
): string | undefined {
  const wanted = knownWanted(news);
  if (wanted === undefined || !isPast(wanted, context.now)) return undefined;
  if (changedKeys(olds, news, ["rotation"]).length + reissuedFor(olds, news).length > 0) {
    return `cannot rotate token of ${who}: ${expiredIssue(news, context)}. Nothing was revoked`;
  }
  const dates = knownDates(news);
  const end = dates && refusedExpiry(olds, dates, olds.validUntil, context.now);
  if (end === undefined) return undefined;
  return `cannot move the expiry of the token of ${who} back to ${end}: this date is in the past. To end the token, remove it; to keep it, set a later date for ${EXPIRES_KEY}`;
}

/** Why no token can be issued: it would be expired. */
export function expiredIssue(news: Knowable<UserTokenInputs>, context: PlanContext): string | undefined {
  const wanted = knownWanted(news);
  if (wanted === undefined || !isPast(wanted, context.now)) return undefined;
  const property = news.expiresAt === undefined ? SUBSCRIPTION_KEY : EXPIRES_KEY;
  return `the token would already be expired (${wanted}). Set a later date for ${property}`;
}

export function warnAboutExpiry(
  who: string,
  olds: UserTokenOutputs,
  dates: Dates,
  context: PlanContext,
): void {
  const end = expiringSoon(olds.validUntil, context.now);
  if (end === undefined) return;
  const key = dates.expiresAt === undefined ? SUBSCRIPTION_KEY : EXPIRES_KEY;
  context.warn(
    `token of ${who} ${end} (${describeSource(olds.expirySource)}), and no declared date renews it. If the subscription was renewed, raise ${key}.`,
  );
}
