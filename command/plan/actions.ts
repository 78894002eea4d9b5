/** What the actions of a step cost, send, and how texts describe them. */
import {
  type Action,
  type ActionDefinition,
  actionNames,
  actions,
  type Cost,
  operationNames,
  serviceOperation,
} from "../members/action-table.ts";

export type { Action };

/** Actions by which one membership ends and another of the same resource begins. */
export const membershipReplacements = [
  "changeEmail",
  "changePurpose",
  "changeKind",
] as const satisfies readonly Action[];

export function describePlanned(planned: readonly Action[]): string {
  return planned.map((action) => actions[action].planned).join(", ");
}

/** @param alreadyGone those of the actions that found nothing to remove */
export function describeDone(done: readonly Action[], alreadyGone: readonly Action[]): string {
  return done
    .map((action) => {
      const definition: ActionDefinition = actions[action];
      return (alreadyGone.includes(action) ? definition.doneIfGone : undefined) ?? definition.done;
    })
    .join(", ");
}

/** Whether the person loses a token, a seat, or the membership through it. */
export function removesAccess(action: Action): boolean {
  const { isExpected = false }: ActionDefinition = actions[action];
  return !isExpected && costsOf(action).some((cost) => cost !== "none");
}

export function isIrreversible(action: Action): boolean {
  return costsOf(action).includes("final");
}

function costsOf(action: Action): Cost[] {
  return operationNames(action).map((name) => serviceOperation(name)?.cost ?? "none");
}

/** What is done after an operation, such as `token revoked`. */
export function describeOperation(operation: string): string {
  const action = actionNames.find((name) => {
    const [own, ...others] = operationNames(name);
    return own === operation && others.length === 0;
  });
  return action === undefined ? operation : actions[action].done;
}
