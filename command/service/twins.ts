/** The listed users of the purposes of machine users whom a plan would create, and whom no state has. Pure. */

import { indexMembers, usersLike } from "../../provider/resources/members/member-list.ts";
import type { MemberPlan } from "../members/plan.ts";
import type { SeenList } from "../members/seen.ts";
import type { StateMember } from "../members/state-members.ts";
import type { Twin } from "../plan/guards/user-guards.ts";
import type { Roster } from "../roster/roster.ts";

/** @param members of the command @param state all members of the state */
export function twinsAmong(
  members: readonly MemberPlan[],
  state: readonly StateMember[],
  { people }: Roster,
  { members: listed }: SeenList,
): Twin[] {
  const list = indexMembers(listed);
  const known = new Set([
    ...state.flatMap(({ held }) => [...held.users.map(({ id }) => id), ...(held.left ?? [])]),
    ...people.flatMap(({ userId }) => userId ?? []),
    // An interrupted creation of the same plan made them.
    ...members.flatMap(({ observed }) => observed.held.users.map(({ id }) => id)),
  ]);
  return members.flatMap(({ key, row, plan, decision }) => {
    const isAdded = plan.units.some(({ steps }) => steps.some(({ call }) => call === "add user"));
    if (!isAdded || row?.purpose === undefined || decision.missing !== undefined) return [];
    const { purpose, lastName } = row;
    const userIds = usersLike(list, { purpose, lastName }).flatMap(({ id }) => (known.has(id) ? [] : id));
    return userIds.length === 0 ? [] : { key, userIds };
  });
}
