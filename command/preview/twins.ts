/** The listed users of the purposes of machine users whom a plan would create, and whom no state has. */
import { indexMembers, usersLike } from "../../provider/resources/members/member-list.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import type { Twin } from "../plan/guards/machine-user-guard.ts";
import { createsMachineUser } from "../plan/steps/machine-users.ts";
import { type Step, textIn } from "../plan/steps/steps.ts";
import type { Organization } from "../stacks/organization.ts";
import { replacedMembersIn, statesOf, userIdsIn } from "../stacks/stack-state.ts";

/** Whether nobody has decided that the machine user does not exist yet. */
export function addsMachineUser(step: Step): boolean {
  return createsMachineUser(step) && step.undecided === undefined && step.placeholder === undefined;
}

/** @param steps of the command @param members undefined if the service cannot list users */
export async function twinsAmong(
  organization: Organization,
  steps: readonly Step[],
  members: ServiceMembers | undefined,
): Promise<Twin[]> {
  if (members === undefined) return [];
  const list = indexMembers(members);
  const found = steps.filter(addsMachineUser).flatMap(({ stack, member: key, news }) => {
    const names = { purpose: textIn(news, "purpose"), lastName: textIn(news, "lastName") };
    const users = usersLike(list, names);
    return users.length === 0 ? [] : { stack, key, userIds: users.map(({ id }) => id) };
  });
  if (found.length === 0) return [];
  // Of all stacks, including those without a preview.
  const states = await statesOf(organization);
  const known = new Set([
    ...userIdsIn(states),
    ...replacedMembersIn(states).map(({ userId }) => userId),
    ...organization.roster.people.map(({ userId }) => userId),
  ]);
  return found.flatMap((one) => {
    const userIds = one.userIds.filter((id) => !known.has(id));
    return userIds.length === 0 ? [] : { ...one, userIds };
  });
}
