/** Why a step happens if its actions do not say, such as that time has passed. */
import { describeRule, duePrevious } from "../../../provider/resources/rotation-schedule.ts";
import { keptIn } from "../../../provider/resources/service-account/previous-accounts.ts";
import { keptToken } from "../../../provider/resources/user-token/cause.ts";
import { datesIn, declaredDate, periodOf } from "../../../provider/resources/user-token/dates.ts";
import { isTokenByTime, previousIn } from "../../../provider/resources/user-token/operations.ts";
import { shortInstant } from "../../../provider/util/instants.ts";
import { operationsIn } from "./actions-of-step.ts";
import { describeKeys } from "./keys.ts";
import { ruleChangesOf } from "./rules.ts";
import { type Step, textIn } from "./steps.ts";

/** Whether a rule alone replaces a token or a service account. */
export function isRotatedByRule({ action, causes = [] }: Step): boolean {
  return action === "replace" && causes.length > 0 && causes.every((cause) => cause === "rotateEvery");
}

/** The same where the rule was in force before: it then rotates a few people a day, and the removal limit ignores it. */
export function isRoutineRotation(step: Step): boolean {
  return isRotatedByRule(step) && step.olds?.rotateEvery === step.news?.rotateEvery;
}

/**
 * Whether time decides the step: a rule, a window, a period, or the end of what an earlier rotation kept. The end of an access
 * is in `access-ends.ts`. @param now milliseconds since 1970
 */
export function isDecidedByTime(step: Step, now: number): boolean {
  const { type, action, olds = {} } = step;
  if (isRotatedByRule(step)) return true;
  if (type === "UserToken" && action !== "same") return isTokenByTime({ ...step, action }, now);
  return type === "ServiceAccount" && action === "update" && duePrevious(keptIn(olds), now).length > 0;
}

/** Changes of what the state keeps of a token, by the input. */
function keepingOf(step: Step): string[] {
  const { causes = [] } = step;
  const keys = describeKeys(step);
  const isLater = keys.length === 0 && causes.includes("recipients");
  return [
    ...keys,
    ...(isLater ? ["recipients changed"] : []),
    ...(causes.includes("keepValue") ? ["keep_value changed"] : []),
  ];
}

/** `expires in 90d: 2027-02-24` for a declared period; otherwise `expires 2026-12-31 -> 2027-12-31`, if that changes. */
function expiryIn(step: Step, now: number): string[] {
  const { type, action, olds, news = {} } = step;
  if (type !== "UserToken" || action === "delete") return [];
  const sent = operationsIn(step, now).flatMap(({ facts }) => facts.expiresAt ?? [])[0];
  if (sent === undefined) return [];
  const dates = datesIn(news);
  if (periodOf(dates) !== undefined)
    return [`expires in ${dates.expiresAt}: ${declaredDate(dates, now)?.slice(0, 10)}`];
  const before = textIn(olds, "validUntil");
  const isChanged = before !== undefined && shortInstant(before) !== shortInstant(sent);
  return isChanged ? [`expires ${shortInstant(before)} -> ${shortInstant(sent)}`] : [];
}

/** Why a step happens, for the plan. @param now milliseconds since 1970 */
export function reasonsOf(step: Step, now: number): string[] {
  const { olds = {}, news, type } = step;
  const rule = { rotateEvery: textIn(news, "rotateEvery"), issuedAt: textIn(olds, "issuedAt") };
  return [
    ...keepingOf(step),
    ...ruleChangesOf(step).map(({ text }) => text),
    ...expiryIn(step, now),
    ...(isRotatedByRule(step) ? [describeRule(rule, type === "UserToken" ? "rotate_every" : undefined)] : []),
    ...previousOf(step, now),
  ];
}

/** What an earlier rotation kept, and this update removes or this replacement keeps. */
function previousOf({ type, action, olds = {}, news = {} }: Step, now: number): string[] {
  if (type === "ServiceAccount" && action === "update")
    return duePrevious(keptIn(olds), now).map(
      ({ clientId, removeAfter }) => `client id ${clientId}, kept until ${removeAfter}`,
    );
  if (type !== "UserToken") return [];
  if (action === "update")
    return duePrevious(previousIn(olds), now).map(({ removeAfter }) => `kept until ${removeAfter}`);
  const kept = action === "replace" ? keptToken(olds, news) : undefined;
  return kept === undefined ? [] : [`keep_previous ${textIn(news, "keepPreviousFor")}`];
}
