/** The listed users of the purposes of machine users whom a plan would create, and whom no state has. */
import { indexMembers, usersLike } from "../../provider/resources/members/member-list.ts";
import type { ServiceMembers } from "../../provider/service/members.ts";
import type { Twin } from "../plan/guards/machine-user-guard.ts";
import { addsMachineUser } from "../plan/steps/machine-users.ts";
import { type Step, textIn } from "../plan/steps/steps.ts";
import type { Organization } from "../stacks/organization.ts";
import { replacedMembersIn, statesOf, userIdsIn } from "../stacks/stack-state.ts";

/** @param steps of the command @param members whom the service lists */
export async function twinsAmong(
  organization: Organization,
  steps: readonly Step[],
  members: ServiceMembers,
): Promise<Twin[]> {
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
