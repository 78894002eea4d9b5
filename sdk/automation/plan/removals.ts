/** What a plan takes away from whom: the exact list that the guards look at and the provider is handed. */

import { revokesExisting } from "../../../provider/resources/effects.ts";
import { takesAway } from "./deeds.ts";
import { deedsOf } from "./deeds-of-step.ts";
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
  for (const step of steps) {
    const { type } = step;
    const id = removedBy(step, now);
    if (id === undefined || type === "Onboarding" || type === "VectorTable") continue;
    found.set(`${type} ${id}`, { type, id });
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, removal]) => removal);
}

function removedBy(step: Step, now: number): string | undefined {
  // Such a token is issued over one that the service may have already, which is then revoked.
  const { type, action, news } = step;
  if (type === "UserToken" && action === "create" && revokesExisting(news ?? {})) {
    return typeof news?.userId === "string" ? news.userId : undefined;
  }
  return deedsOf(step, now).some(takesAway) ? step.id : undefined;
}
