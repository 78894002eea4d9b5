/** What a plan takes away from whom: the exact list that the guards look at. */

import { removesAccess } from "./actions.ts";
import { actionsOf } from "./actions-of-step.ts";
import type { ResourceType, Step } from "./steps.ts";

/** Nothing at the service goes with the others. */
type RemovableType = Exclude<ResourceType, "Onboarding" | "VectorTable">;

/** One object at the service that goes, or whose value goes. */
export interface Removal {
  readonly type: RemovableType;
  /** The user id, client id or server id. */
  readonly id: string;
}

/** In an order that does not depend on the run. @param now milliseconds since 1970 */
export function removalsOf(steps: readonly Step[], now: number): Removal[] {
  const found = new Map<string, Removal>();
  const takenOver = new Map(
    steps.flatMap((step) =>
      step.type === "OrgUser" && typeof step.news?.adopt === "string"
        ? [[placeOf(step), step.news.adopt]]
        : [],
    ),
  );
  for (const step of steps) {
    const { type } = step;
    const id = removedBy(step, now, takenOver);
    if (id === undefined || type === "Onboarding" || type === "VectorTable") continue;
    found.set(`${type} ${id}`, { type, id });
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, removal]) => removal);
}

/** @param takenOver the user ids of people who are taken over, by their places */
function removedBy(step: Step, now: number, takenOver: ReadonlyMap<string, string>): string | undefined {
  if (!actionsOf(step, now).some(removesAccess)) return undefined;
  const { type, action, news } = step;
  if (type !== "UserToken" || action !== "create") return step.id;
  // It is issued over one that may be there. Of people who come by the same run no preview knows the id by itself.
  const { userId } = news ?? {};
  return takenOver.get(placeOf(step)) ?? (typeof userId === "string" ? userId : undefined);
}

function placeOf({ stack, member }: Step): string {
  return `${stack}/${member}`;
}
