/** Whom the service lists, as far as the plan of a command depends on it. */

import { messageOf } from "../../provider/util/text.ts";
import type { Diagnostic } from "../engine/engine.ts";
import type { Twin } from "../plan/guards/machine-user-guard.ts";
import { questionedUsers } from "../plan/guards/user-guards.ts";
import { actionsOf } from "../plan/steps/actions-of-step.ts";
import { addsMachineUser } from "../plan/steps/machine-users.ts";
import { isChange, type Step } from "../plan/steps/steps.ts";
import { listedMembers } from "../service/service-members.ts";
import { twinsAmong } from "../service/twins.ts";
import type { Organization } from "../stacks/organization.ts";
import type { GuardChoice } from "./guard-context.ts";

interface PlanMembers {
  /** Undefined if the plan does not depend on it, or if it cannot be read. */
  readonly members: Organization["members"];
  /** Machine users whom the plan creates, and who may exist already. */
  readonly twins: readonly Twin[];
  readonly warnings: readonly Diagnostic[];
}

/**
 * One list of users, for the roles of people whom the command adopts or removes, for the machine users that it creates, and
 * for the seats that are taken if it assigns any. A plan that does none of these sends nothing.
 * @throws Error if the list cannot be read, unless the plan needs it for seats alone
 */
export async function membersForPlan(
  organization: Organization,
  steps: readonly Step[],
  { part = () => true, narrow = (step) => step, listedUsers }: GuardChoice,
  signal: AbortSignal | undefined,
): Promise<PlanMembers> {
  const { members, openedAt, stacks } = organization;
  const mine = steps.filter((step) => part(step, openedAt)).map(narrow);
  const questioned = listedUsers === undefined ? questionedUsers(mine) : new Set<string>();
  const assigns = mine.some((step) => isChange(step) && actionsOf(step, openedAt).includes("assignSeat"));
  const isNeeded = questioned.size > 0 || mine.some(addsMachineUser);
  if (!isNeeded && !assigns) return { members, twins: [], warnings: [] };
  try {
    const listed = await listedMembers(organization, questioned, signal);
    const twins = listed === undefined ? [] : await twinsAmong(organization, mine, listed);
    return { members: listed, twins, warnings: [] };
  } catch (error) {
    if (isNeeded || signal?.aborted) throw error;
    const text = `the plan counts the seats of the states alone, because the members of the organization cannot be read: ${messageOf(error)}`;
    const [stack = ""] = stacks;
    return {
      members: undefined,
      twins: [],
      warnings: [{ stack, urn: undefined, severity: "warning", text }],
    };
  }
}
