/** What check and diff of a UserToken refuse or warn about: dates, and inputs that the dialect lacks. */
import { isLater } from "../api/instants.ts";
import { inputIssue, unsupportedEmailChoice, unsupportedInputs } from "./changes.ts";
import { expiringSoon, isPast, wantedExpiry } from "./renewal.ts";
import type { InputIssue, PlanContext } from "./resource.ts";
import { type Knowable, known, unknown } from "./unknown.ts";
import type { Expiry, UserTokenInputs, UserTokenOutputs } from "./user-token-state.ts";

export const noDate =
  "no expiry date is known. Set expiresAt, or orgseat:subscriptionExpiresAt (pulumi config set orgseat:subscriptionExpiresAt <date>; in a roster, the header field `subscription`)";

export const SUBSCRIPTION_KEY = "orgseat:subscriptionExpiresAt (in a roster, `subscription`)";

export const noReplacement =
  "replaceExisting has no effect here: a user can have several tokens, and orgseat revokes only those that it issued or adopted.";

export function checkCapabilities(news: Knowable<UserTokenInputs>, context: PlanContext): InputIssue[] {
  const { canListTokens, canSetExpiry } = context.can;
  return [
    ...(canListTokens ? [] : unsupportedInputs(news, ["adopt"], "this service does not list tokens")),
    ...(canSetExpiry
      ? []
      : unsupportedInputs(news, ["expirationToleranceMonths"], "tokens of this service have no tolerance")),
    ...unsupportedEmailChoice(news, context),
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

/** A replacement deletes first, so it must not start where the new token could not be issued. */
export function refuseExpired(who: string, news: Knowable<UserTokenInputs>, context: PlanContext): void {
  const wanted = knownWanted(news);
  if (wanted === undefined || !isPast(wanted, context.now)) return;
  const property = news.expiresAt === undefined ? "orgseat:subscriptionExpiresAt" : "expiresAt";
  throw new Error(
    `cannot rotate token of ${who}: the new token would already be expired (${wanted}). Nothing was revoked. Set a later date for ${property}.`,
  );
}

/** The service sets no date in the past. */
export function refusePast(who: string, dates: Dates, context: PlanContext): void {
  const wanted = wantedExpiry(dates);
  if (wanted === undefined || !isPast(wanted, context.now)) return;
  throw new Error(
    `cannot move the expiry of the token of ${who} back to ${wanted}: this date is in the past. To end the token, remove the UserToken; to keep it, set a later expiresAt`,
  );
}

export function warnAboutExpiry(
  who: string,
  olds: UserTokenOutputs,
  dates: Dates,
  context: PlanContext,
): void {
  const end = expiringSoon(olds.validUntil, context.now);
  if (end === undefined) return;
  const key = dates.expiresAt === undefined ? SUBSCRIPTION_KEY : "expiresAt";
  context.warn(
    `token of ${who} ${end} (${describeSource(olds.expirySource)}), and no declared date renews it. If the subscription was renewed, raise ${key}.`,
  );
}
