/** What a UserToken refuses in check. */
import { isLater } from "../../util/instants.ts";
import { inputIssue, unsupportedInputs } from "../changes.ts";
import type { PlanContext } from "../contexts.ts";
import type { InputIssue } from "../resource.ts";
import { type Knowable, known, unknown } from "../unknown.ts";
import type { Keeping } from "./cause.ts";
import { type DeclaredDates, declaredDate, isPast, periodOf } from "./dates.ts";
import type { UserTokenInputs } from "./schema.ts";
import { lacksSeal, MISSING_RECIPIENT } from "./sealing.ts";

const SUBSCRIPTION_KEY = "orgseat:subscriptionExpiresAt";

export const noReplacement =
  "replaceExisting has no effect here: tokens have ids, and orgseat revokes only those that it issued or adopted.";

/** The configuration or input that says when the token expires. */
function dateKey({ expiresAt }: Pick<Knowable<DeclaredDates>, "expiresAt">): string {
  const isDate = expiresAt === unknown || (expiresAt !== undefined && periodOf({ expiresAt }) === undefined);
  return isDate ? "expiresAt" : SUBSCRIPTION_KEY;
}

export function nameIn({ userId }: Knowable<UserTokenInputs>, { people }: PlanContext): string {
  const id = known(userId);
  return id === undefined ? "a new user" : people.nameOf(id);
}

/**
 * Whether a creation of a UserToken adopts the user's token, if there is one, instead of issuing one. A rotation requests
 * a new value, including of an adopted token.
 */
function adoptsToken({ adopt, rotation }: Knowable<Pick<UserTokenInputs, "adopt" | "rotation">>): boolean {
  return (known(adopt) ?? false) !== false && known(rotation) === undefined;
}

export function checkKeeping(
  news: Knowable<Keeping & Pick<UserTokenInputs, "adopt" | "rotation">>,
  context: PlanContext,
): InputIssue[] {
  if (!adoptsToken(news) && lacksSeal(news, context)) return [inputIssue("recipients", MISSING_RECIPIENT)];
  const isBoth = news.recipients !== undefined && news.keepValue === false;
  return isBoth ? [inputIssue("keepValue", notBoth)] : [];
}

const notBoth =
  "has no effect together with recipients: the state keeps only the sealed value. Omit one of them";

/** Why no token can be issued: it would be expired. */
export function expiredIssue(news: Knowable<DeclaredDates>, { now }: PlanContext): string | undefined {
  const wanted = knownWanted(news, now);
  return wanted !== undefined && isPast(wanted, now)
    ? `the token would already be expired (${wanted}). Set a later date for ${dateKey(news)}`
    : undefined;
}

/** The declared date, if it is known: `expiresAt`, otherwise the end of the subscription. */
function knownWanted(
  { expiresAt, subscriptionExpiresAt }: Knowable<DeclaredDates>,
  now: number,
): string | undefined {
  if (expiresAt === unknown) return undefined;
  return declaredDate({ expiresAt, subscriptionExpiresAt: known(subscriptionExpiresAt) }, now);
}

export function checkCapabilities(news: Knowable<UserTokenInputs>, context: PlanContext): InputIssue[] {
  const keys = ["keepPreviousFor", "adopt", "expirationToleranceMonths", "sendEmail"] as const;
  const hasPeriod = periodOf({ expiresAt: known(news.expiresAt) }) !== undefined;
  return unsupportedInputs(news, hasPeriod ? [...keys, "expiresAt"] : keys, context);
}

/** @param isRow whether the token is that of a row of a roster, which names its fields otherwise */
export function checkDates(news: Knowable<UserTokenInputs>, isRow = false): InputIssue[] {
  const { expiresAt, subscriptionExpiresAt: end, renewBefore } = news;
  if (expiresAt === undefined && end === undefined) {
    const keys = isRow ? "`expires` or `subscription`" : `expiresAt or ${SUBSCRIPTION_KEY}`;
    return [inputIssue("expiresAt", `no expiry date is known. Set ${keys}`)];
  }
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
  const isPeriod = periodOf({ expiresAt: explicit }) !== undefined;
  if (isPeriod && renewBefore !== undefined) failures.push(inputIssue("renewBefore", noWindow));
  const subscription = known(end);
  if (explicit !== undefined && !isPeriod && subscription !== undefined && isLater(explicit, subscription)) {
    failures.push(
      inputIssue(
        "expiresAt",
        `${explicit} is after the end of the subscription (subscriptionExpiresAt, ${subscription})`,
      ),
    );
  }
  return failures;
}

const noWindow =
  "has no effect together with a period in expiresAt, which is renewed when half of it has passed. Omit one of them";
