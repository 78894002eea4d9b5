/** The rotation of a UserToken by rule (`rotateEvery`): when diff replaces the token, and how long it knows its age. */
import { formatInstant } from "../../util/instants.ts";
import type { PlanContext } from "../resource.ts";
import { describeRule, isIssuable, isRotationDue } from "../rotation-schedule.ts";
import { type Knowable, known } from "../unknown.ts";
import { knownWanted } from "./checks.ts";
import type { UserTokenInputs, UserTokenOutputs } from "./schema.ts";

type Olds = UserTokenOutputs;
type News = Knowable<UserTokenInputs>;

/** Whether diff replaces the token, which it then notes. A token that would be issued expired is not due. */
export function rotatesByRule(id: string, olds: Olds, news: News, context: PlanContext): boolean {
  const rule = { rotateEvery: known(news.rotateEvery), issuedAt: olds.issuedAt };
  const wanted = knownWanted(news);
  if (wanted === undefined || !isIssuable(wanted, context.now)) return false;
  if (!isRotationDue(id, rule, context.now) || !context.mayReplaceNow("UserToken", id, news)) return false;
  context.rotatedByRule.set(id, olds.rotateEvery === rule.rotateEvery ? "known" : "new");
  context.infoLimited(
    `rotate token of ${context.people.nameOf(id)}: ${describeRule(rule)}. orgseat revokes the token and issues a new value.`,
    moreRotations,
  );
  return true;
}

/** Whether the revocation is a removal for the limit: a rule that was in force before rotates a few people a day. */
export function countsAsRemoval(id: string, { rotatedByRule }: PlanContext): boolean {
  return rotatedByRule.get(id) !== "known";
}

/** The age of a token in a state that lacks it starts when a rule needs it. */
export function issuedAtOf(
  { issuedAt }: Olds,
  { rotateEvery }: Pick<News, "rotateEvery">,
  now: number,
): string | undefined {
  return issuedAt ?? (rotateEvery === undefined ? undefined : formatInstant(now));
}

export const moreRotations = "rotate token of more people: not listed here, counted as replacements";
