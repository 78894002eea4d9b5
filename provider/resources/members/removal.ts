/** Removes seats and memberships, within the removal limit and in the order that the service requires. */
import type { Deleted } from "../../api/calls/organization.ts";
import { type AdviceCode, isRefused, withNextStep } from "../failures.ts";
import { growingPauses } from "../pauses.ts";
import type { CallContext, OrganizationAccess } from "../resource.ts";

/** Whether removal retains the membership (or seat) in the service. */
export function isKept(outs: { adopted: boolean; onDelete?: "delete" | "retain" | undefined }): boolean {
  return outs.onDelete === "retain" || (outs.adopted && outs.onDelete !== "delete");
}

/** What the plan of this run shows comes first: `offboard` also removes whom a deleted row would retain. */
export function isRetained(
  what: "user" | "seat",
  outs: Parameters<typeof isKept>[0],
  context: Pick<CallContext, "plannedWrites">,
): boolean {
  const planned = context.plannedWrites() ?? [];
  if (planned.includes(`remove ${what}`)) return false;
  return planned.includes(`retain ${what}`) || isKept(outs);
}

const WAIT_MS = 10_000;
const PAUSES = { firstMs: 50, longestMs: 1_000 };

interface OrderedRemoval {
  readonly type: "SeatAssignment" | "OrgUser";
  readonly owner: OrganizationAccess;
  readonly userId: string;
  readonly call: () => Promise<Deleted>;
  /** How to change the program so that Pulumi deletes in the right order, or what else is in the way. */
  readonly remedy: () => string | Promise<string>;
  readonly advice: AdviceCode;
}

/**
 * Runs a delete call. A 409 means that the person still has a seat or token: Pulumi deletes resources with the same user
 * id in parallel, so this waits for them, 10 s at most, and never removes them itself.
 */
export async function removeInOrder(context: CallContext, removal: OrderedRemoval): Promise<Deleted> {
  const { type, userId, owner } = removal;
  await context.checkRemovalLimit({ type, userId, organizationId: owner.organizationId });
  const until = Math.min(context.elapsed() + WAIT_MS, context.operation.deadline);
  const pauses = growingPauses(context, { ...PAUSES, until });
  for (;;) {
    try {
      return await removal.call();
    } catch (error) {
      if (!isRefused(error, 409)) throw error;
      if (!(await pauses.wait())) throw withNextStep(error, await removal.remedy(), removal.advice);
    }
  }
}
