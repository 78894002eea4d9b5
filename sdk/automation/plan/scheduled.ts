/** Steps that happen because time has passed: no program and no roster changed. */

import { isShortened } from "../../../provider/resources/renewal.ts";
import {
  describeRule,
  isRotationDue,
  type RotationRule,
} from "../../../provider/resources/rotation-schedule.ts";
import type { Properties, Step } from "./steps.ts";

/** The rule of a token that the step replaces, if it is due; undefined for other steps. @param now milliseconds since 1970 */
function dueRule({ type, action, id, olds, news }: Step, now: number): RotationRule | undefined {
  if (type !== "UserToken" || action !== "replace" || id === undefined) return undefined;
  const rule = { rotateEvery: textIn(news, "rotateEvery"), issuedAt: textIn(olds, "issuedAt") };
  return isRotationDue(id, rule, now) ? rule : undefined;
}

/** Why a step happens, for the plan. @param now milliseconds since 1970 */
export function reasonsOf(step: Step, now: number): string[] {
  const rule = dueRule(step, now);
  return rule === undefined ? [] : [describeRule(rule, "rotate_every")];
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
