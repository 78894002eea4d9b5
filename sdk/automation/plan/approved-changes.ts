/** Everything that a plan changes, as the provider is handed it: nothing else may be done by the run that applies it. */
import type { ApprovedChange } from "../../../provider/approved-changes.ts";
import { NEW_USER, personSubject, subjectOf, userSubject } from "../../../provider/resources/subjects.ts";
import { holdsUnknown } from "../../../provider/resources/unknown.ts";
import { actionsOf } from "./actions-of-step.ts";
import { invitedBy } from "./emails.ts";
import { removalsOf } from "./removals.ts";
import type { Step } from "./steps.ts";

/** @param now milliseconds since 1970 */
export function approvedChangesOf(steps: readonly Step[], now: number): ApprovedChange[] {
  const users = new Map(
    steps.flatMap((step) =>
      step.type === "OrgUser" && step.action !== "delete" ? [[placeOf(step), step] as const] : [],
    ),
  );
  const changes = steps.flatMap((step) => changesOf(step, users, now));
  // A token that is issued over one that may be there takes that one away.
  const removals = removalsOf(steps, now).map(({ type, id }) => ({ action: "delete", type, id }) as const);
  return [...changes, ...removals];
}

function changesOf(step: Step, users: ReadonlyMap<string, Step>, now: number): ApprovedChange[] {
  const { type, action, id } = step;
  const gone = id === undefined ? [] : [{ action: "delete", type, id } as const];
  if (action === "same") return [];
  if (action === "delete") return gone;
  if (action === "update") {
    return id === undefined ? [] : [{ action, type, id, writes: writesOf(step, now) }];
  }
  const subject = createdBy(step, users);
  const made = subject === undefined ? [] : [{ action: "create", type, subject } as const];
  return action === "replace" ? [...gone, ...made] : made;
}

/** What an update may write, as `updateWrites` of the resource names it. */
function writesOf(step: Step, now: number): string[] {
  const { type, olds, news = {} } = step;
  if (type === "Onboarding") return invitedBy(olds, news);
  const deeds = actionsOf(step, now);
  const dates = [news.expiresAt, news.subscriptionExpiresAt, news.renewBefore];
  // Whether a date that is not known yet renews the token is seen by the run alone.
  const mayRenew = type === "UserToken" && dates.some(holdsUnknown);
  return [
    ...(deeds.includes("renewToken") || mayRenew ? ["renew token"] : []),
    ...(deeds.includes("assignSeat") ? ["assign seat"] : []),
  ];
}

/** Undefined where the preview does not know what would be made: then the provider refuses it. */
function createdBy(step: Step, users: ReadonlyMap<string, Step>): string | undefined {
  const { type, news = {} } = step;
  const own = subjectOf(type, news);
  if (own !== undefined || (type !== "SeatAssignment" && type !== "UserToken")) return own;
  const user = users.get(placeOf(step));
  // In a program that wires them by hand, no preview tells whose seat or token it is.
  if (user === undefined) return NEW_USER;
  const isNew = user.action === "create" || user.action === "replace";
  return isNew || user.id === undefined ? personSubject(user.news ?? {}) : userSubject(user.id);
}

function placeOf({ stack, member }: Step): string {
  return `${stack}/${member}`;
}
