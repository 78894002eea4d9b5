/** The changes and the removals of a plan: the provider refuses all other changes, the guards check the exact removals. */

import {
  NEW_USER,
  personSubject,
  type ResourceType,
  typeFacts,
  userSubject,
} from "../../provider/resources/resource-types.ts";
import type { ApprovedChange } from "../../provider/safety/approved-changes.ts";
import { isInState, type PlanEntry } from "./entries.ts";
import { alsoSentBy } from "./steps/actions.ts";
import { operationsIn } from "./steps/actions-of-step.ts";
import { memberPath, type Step } from "./steps/steps.ts";

/** @param entries of the steps @param now milliseconds since 1970 */
export function approvedChangesOf(
  steps: readonly Step[],
  entries: readonly PlanEntry[],
  now: number,
): ApprovedChange[] {
  const users = remainingUsers(steps);
  const byObject = Map.groupBy(entries, ({ urn }) => urn);
  const changes = steps.flatMap((step) => changesOf(step, users, byObject.get(step.urn) ?? [], now));
  // A token for an adopted member may revoke an existing one, which the creation of the new one sends.
  const removals = removalsOf(steps, now).map(
    ({ type, id }): ApprovedChange => ({ action: "delete", type, id, operations: [] }),
  );
  return [...changes, ...removals];
}

/** What a creation may send, or a deletion: of a replacement, either its part of the entries. */
function operationsFor(action: "create" | "delete", step: Step, entries: readonly PlanEntry[]): string[] {
  const mine =
    step.action === "replace" ? entries.filter(({ id }) => (id === null) === (action === "create")) : entries;
  return [...new Set(mine.flatMap(sentFor))];
}

/** The operations that an entry may send. */
function sentFor({ operation, action }: PlanEntry): string[] {
  return [operation, ...alsoSentBy(action)];
}

/** The users that the plan keeps or creates, by the paths of their members. */
function remainingUsers(steps: readonly Step[]): ReadonlyMap<string, Step> {
  const users = steps.filter(({ type, action }) => type === "OrgUser" && action !== "delete");
  return new Map(users.map((step) => [memberPath(step), step]));
}

function changesOf(
  step: Step,
  users: ReadonlyMap<string, Step>,
  entries: readonly PlanEntry[],
  now: number,
): ApprovedChange[] {
  const { type, action, id } = step;
  // The provider of a delivered resource does not know the list, and a marker has no provider.
  if (action === "same" || type === "Delivered" || type === "Roster") return [];
  // No run touches it.
  if (step.undecided) return [];
  const removed =
    id === undefined
      ? []
      : [{ action: "delete", type, id, operations: operationsFor("delete", step, entries) } as const];
  if (action === "delete") return removed;
  if (action === "update") {
    const writes = [...new Set(operationsIn(step, now).flatMap((one) => one.writes))];
    const mayRenew = writes.filter((one) => one === "renew token");
    const sent = entries.filter((one) => !isInState(one)).flatMap(sentFor);
    const operations = [...new Set([...sent, ...mayRenew])];
    return id === undefined ? [] : [{ action, type, id, writes, operations }];
  }
  const subject = createdBy(type, step, users);
  const operations = operationsFor("create", step, entries);
  const created = subject === undefined ? [] : [{ action: "create", type, subject, operations } as const];
  if (action === "replace") return [...removed, ...created];
  const { placeholder } = step;
  return placeholder === undefined
    ? created
    : [...created, { action: "delete", type, id: placeholder, operations: [] }];
}

/** Undefined if the preview cannot tell what the step creates: the provider then refuses it. */
function createdBy(type: ResourceType, step: Step, users: ReadonlyMap<string, Step>): string | undefined {
  const { subject, isOfUser = false } = typeFacts[type];
  const own = subject(step.news ?? {});
  if (own !== undefined || !isOfUser) return own;
  const user = users.get(memberPath(step));
  // A resource that a module adds without a member.
  if (user === undefined) return NEW_USER;
  const isNew = user.action === "create" || user.action === "replace";
  return isNew || user.id === undefined ? personSubject(user.news ?? {}) : userSubject(user.id);
}

/** One object in the service that the plan removes, or whose value it replaces. */
export interface Removal {
  readonly type: ResourceType;
  /** The user id, client id, server id or table name. */
  readonly id: string;
}

/** The removals in an order that does not depend on the run. @param now milliseconds since 1970 */
export function removalsOf(steps: readonly Step[], now: number): Removal[] {
  const found = new Map<string, Removal>();
  const users = remainingUsers(steps);
  for (const step of steps) {
    const { type } = step;
    const id = removedBy(step, users, now);
    // Neither is in the service.
    if (id === undefined || type === "Delivered" || type === "Roster") continue;
    found.set(`${type} ${id}`, { type, id });
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, removal]) => removal);
}

function removedBy(step: Step, users: ReadonlyMap<string, Step>, now: number): string | undefined {
  if (operationsIn(step, now).every(({ cost }) => cost === "none")) return undefined;
  const { type, action, news } = step;
  // It deletes accounts that the object keeps, and not the object.
  if (action === "update") return undefined;
  if (type !== "UserToken" || action !== "create") return step.id;
  // It may revoke an existing token. The preview does not know the user id of a person whom the same run adopts.
  const ids = [users.get(memberPath(step))?.news?.adopt, news?.userId];
  return ids.find((id) => typeof id === "string");
}
