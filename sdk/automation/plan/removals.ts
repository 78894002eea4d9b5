/** The removals of a plan: the exact list that the guards check. */

import { removesAccess } from "./actions.ts";
import { actionsOf } from "./actions-of-step.ts";
import type { ResourceType, Step } from "./steps.ts";

/** Removing the other types removes nothing at the service. */
type RemovableType = Exclude<ResourceType, "Onboarding" | "VectorTable">;

/** One object at the service that the plan removes, or whose value it replaces. */
export interface Removal {
  readonly type: RemovableType;
  /** The user id, client id or server id. */
  readonly id: string;
}

/** The removals in an order that does not depend on the run. @param now milliseconds since 1970 */
export function removalsOf(steps: readonly Step[], now: number): Removal[] {
  const found = new Map<string, Removal>();
  const adopted = new Map(
    steps.flatMap((step) =>
      step.type === "OrgUser" && typeof step.news?.adopt === "string"
        ? [[placeOf(step), step.news.adopt]]
        : [],
    ),
  );
  for (const step of steps) {
    const { type } = step;
    const id = removedBy(step, now, adopted);
    if (id === undefined || type === "Onboarding" || type === "VectorTable") continue;
    found.set(`${type} ${id}`, { type, id });
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, removal]) => removal);
}

/** @param adopted the user ids of adopted people, by their places */
function removedBy(step: Step, now: number, adopted: ReadonlyMap<string, string>): string | undefined {
  if (!actionsOf(step, now).some(removesAccess)) return undefined;
  const { type, action, news } = step;
  if (type !== "UserToken" || action !== "create") return step.id;
  // It may revoke an existing token. The preview does not know the user id of a person whom the same run adopts.
  const { userId } = news ?? {};
  return adopted.get(placeOf(step)) ?? (typeof userId === "string" ? userId : undefined);
}

function placeOf({ stack, member }: Step): string {
  return `${stack}/${member}`;
}
