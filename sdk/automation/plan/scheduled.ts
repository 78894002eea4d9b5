/** Steps that happen because time has passed: no program and no roster changed. */

import { isShortened } from "../../../provider/resources/renewal.ts";
import {
  accountScheduleKey,
  describeRule,
  isRotationDue,
  type RotationRule,
} from "../../../provider/resources/rotation-schedule.ts";
import { dueAccounts } from "./actions-of-step.ts";
import type { Properties, Step } from "./steps.ts";

/** The rule of a secret that the step replaces, if it is due; undefined for other steps. @param now milliseconds since 1970 */
function dueRule(step: Step, now: number): RotationRule | undefined {
  const { action, olds, news } = step;
  const key = scheduleKeyOf(step);
  if (action !== "replace" || key === undefined) return undefined;
  const rule = { rotateEvery: textIn(news, "rotateEvery"), issuedAt: textIn(olds, "issuedAt") };
  return isRotationDue(key, rule, now) ? rule : undefined;
}

function scheduleKeyOf({ type, id, olds }: Step): string | undefined {
  if (type === "UserToken") return id;
  const [organizationId, name] = ["organizationId", "name"].map((key) => textIn(olds, key));
  if (type !== "ServiceAccount" || organizationId === undefined || name === undefined) return undefined;
  return accountScheduleKey(organizationId, name);
}

/** Why a step happens, for the plan. @param now milliseconds since 1970 */
export function reasonsOf(step: Step, now: number): string[] {
  const { type, action, olds = {} } = step;
  const rule = dueRule(step, now);
  const removed = type === "ServiceAccount" && action === "update" ? dueAccounts(olds, now) : [];
  return [
    ...(rule === undefined ? [] : [describeRule(rule, type === "UserToken" ? "rotate_every" : undefined)]),
    ...removed.map(({ clientId, removeAfter }) => `client id ${clientId}, kept until ${removeAfter}`),
  ];
}

/** What replaces a token, besides dates. */
const CAUSES = ["userId", "rotation", "organizationId"] as const;

/** Whether a rule alone replaces a token. @param now milliseconds since 1970 */
export function isRotatedByRule(step: Step, now: number): boolean {
  const { olds, news } = step;
  if (dueRule(step, now) === undefined) return false;
  const validUntil = textIn(olds, "validUntil");
  const [before, after] = [olds, news].map((dates) => ({
    expiresAt: textIn(dates, "expiresAt"),
    subscriptionExpiresAt: textIn(dates, "subscriptionExpiresAt"),
  }));
  if (validUntil !== undefined && before && after && isShortened(before, after, validUntil)) return false;
  return CAUSES.every((key) => textIn(olds, key) === textIn(news, key));
}

/** The same where the rule was in force before: it then rotates a few people a day, and the removal limit ignores it. */
export function isRoutineRotation(step: Step, now: number): boolean {
  const { olds, news } = step;
  return isRotatedByRule(step, now) && textIn(olds, "rotateEvery") === textIn(news, "rotateEvery");
}

function textIn(properties: Properties | undefined, key: string): string | undefined {
  const value = properties?.[key];
  return typeof value === "string" ? value : undefined;
}
