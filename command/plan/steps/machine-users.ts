/** Steps of machine users whose creation got no answer. */
import { creationIn, isPlaceholder } from "../../../provider/resources/org-user/placeholder.ts";
import { memberPath, type Step } from "./steps.ts";

/** The state has no user: what the engine does with the placeholder is a creation, or waits for a decision. */
export function withoutPlaceholder(step: Step): Step {
  const { type, action, olds, id, isProtected } = step;
  if (type !== "OrgUser" || action === "delete" || !isPlaceholder(olds)) return step;
  const creation: Step = {
    ...step,
    ...{ action: "create", id: undefined, olds: undefined, causes: undefined, deleteFirst: false },
    ...{ placeholder: id, isProtected: { before: isProtected.after, after: isProtected.after } },
  };
  const time = creationIn(olds)?.time ?? "";
  return action === "replace" ? creation : { ...creation, undecided: { time } };
}

export function createsMachineUser({ type, action, news }: Step): boolean {
  if (type !== "OrgUser" || (action !== "create" && action !== "replace")) return false;
  return news?.email === undefined && news?.adopt === undefined;
}

/** Whether it creates a machine user about whom there is no decision. */
export function addsMachineUser(step: Step): boolean {
  return createsMachineUser(step) && step.undecided === undefined && step.placeholder === undefined;
}

/** Without what waits for a decision: of such a member, a run makes only what removes the rest. */
export function decidedSteps(steps: readonly Step[]): readonly Step[] {
  const waiting = new Set(steps.flatMap((step) => (step.undecided ? memberPath(step) : [])));
  if (waiting.size === 0) return steps;
  return steps.filter((step) => step.action === "delete" || !waiting.has(memberPath(step)));
}
