/** The operations of a step: those of the resource's definition, and the changes that only the state has. */

import { definitions } from "../../../provider/definitions.ts";
import type { Action } from "../../../provider/resources/actions.ts";
import {
  type Change,
  type Operation,
  operationsBy,
  perform,
} from "../../../provider/resources/operations.ts";
import { rosterTypeOf } from "../../../provider/resources/resource-types.ts";
import { ruleChangesOf } from "./rules.ts";
import type { Step } from "./steps.ts";

/** In the order of their execution. @param now milliseconds since 1970 */
export function operationsIn(step: Step, now: number): Operation[] {
  const { action } = step;
  const own = action === "same" ? [] : ownOperations({ ...step, action }, now);
  const change = { ...step, action: "update" as const };
  const changed =
    action === "replace" ? [] : ruleChangesOf(step).flatMap((one) => perform(change, one.action));
  const isNoted = changed.length > 0 && own.every((one) => one.action === "note");
  return [...(isNoted ? [] : own), ...changed, ...protection(step).flatMap((one) => perform(change, one))];
}

/** The actions of a step, in the order of their execution. @param now milliseconds since 1970 */
export function actionsOf(step: Step, now: number): readonly Action[] {
  return [...new Set(operationsIn(step, now).map(({ action }) => action))];
}

function ownOperations(change: Change & Pick<Step, "type">, now: number): readonly Operation[] {
  const { type, action } = change;
  if (type === "Roster") return action === "update" ? perform(change, "note") : [];
  if (type !== "Delivered") return definitions[rosterTypeOf(type)].operations?.(change, { now }) ?? [];
  if (action === "replace") return perform(change, "replaceDelivered");
  return operationsBy(change, {
    create: () => perform(change, "createDelivered"),
    update: () => perform(change, "updateDelivered"),
    remove: () => perform(change, "deleteDelivered"),
  });
}

/**
 * Only the membership and a service account have an action for protection, so that a member has it once. What is created
 * protected binds later runs as much as what becomes protected.
 */
function protection({ type, action, isProtected: { before, after } }: Step): readonly Action[] {
  if (type !== "OrgUser" && type !== "ServiceAccount") return [];
  if (action === "create") return after ? ["protect"] : [];
  return before === after ? [] : [after ? "protect" : "unprotect"];
}
