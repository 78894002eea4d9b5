/** The changes of a plan, in the form of the provider, which refuses all others. */
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
  // A token for an adopted member may revoke an existing one.
  const removals = removalsOf(steps, now).map(({ type, id }) => ({ action: "delete", type, id }) as const);
  return [...changes, ...removals];
}

function changesOf(step: Step, users: ReadonlyMap<string, Step>, now: number): ApprovedChange[] {
  const { type, action, id } = step;
  const removed = id === undefined ? [] : [{ action: "delete", type, id } as const];
  if (action === "same") return [];
  if (action === "delete") return removed;
  if (action === "update") {
    return id === undefined ? [] : [{ action, type, id, writes: writesOf(step, now) }];
  }
  const subject = createdBy(step, users);
  const created = subject === undefined ? [] : [{ action: "create", type, subject } as const];
  return action === "replace" ? [...removed, ...created] : created;
}

/** The writes of an update, with the names of `updateWrites`. */
function writesOf(step: Step, now: number): string[] {
  const { type, olds, news = {} } = step;
  if (type === "Onboarding") return invitedBy(olds, news);
  const actions = actionsOf(step, now);
  const dates = [news.expiresAt, news.subscriptionExpiresAt, news.renewBefore];
  // Only the run shows whether an unknown date renews the token.
  const mayRenew = type === "UserToken" && dates.some(holdsUnknown);
  return [
    ...(actions.includes("renewToken") || mayRenew ? ["renew token"] : []),
    ...(actions.includes("assignSeat") ? ["assign seat"] : []),
  ];
}

/** Undefined if the preview cannot tell what the step creates: the provider then refuses it. */
function createdBy(step: Step, users: ReadonlyMap<string, Step>): string | undefined {
  const { type, news = {} } = step;
  const own = subjectOf(type, news);
  if (own !== undefined || (type !== "SeatAssignment" && type !== "UserToken")) return own;
  const user = users.get(placeOf(step));
  // For a custom program without OrgMember, the preview does not tell whose seat or token it is.
  if (user === undefined) return NEW_USER;
  const isNew = user.action === "create" || user.action === "replace";
  return isNew || user.id === undefined ? personSubject(user.news ?? {}) : userSubject(user.id);
}

function placeOf({ stack, member }: Step): string {
  return `${stack}/${member}`;
}
