/** What a preview says beside its plan: people who are left out, access that ends, rotations that count for nothing. Pure. */
import { shortList } from "../../provider/util/text.ts";
import type { MemberPlan } from "../members/plan.ts";
import { markInForce, markOf } from "../members/rows.ts";
import type { StateMember } from "../members/state-members.ts";
import { type AccessEnd, accessEndsIn } from "../plan/access-ends.ts";
import { labelOf, type RosterPerson, withCurrentUsers, withoutOffboarded } from "../roster/roster.ts";
import { type Declaration, userIdsIn } from "../stacks/organization.ts";

function present({ roster }: Declaration, members: readonly StateMember[]): RosterPerson[] {
  return withCurrentUsers(roster.people, userIdsIn(members));
}

/** The people of the roster whom the offboarded list excludes: emails, otherwise keys. */
export function leftOutOf(declaration: Declaration, members: readonly StateMember[]): string[] {
  const people = present(declaration, members);
  const staying = new Set(withoutOffboarded(people, declaration.offboarded));
  return people.filter((person) => !staying.has(person)).map(({ email, key }) => email ?? key);
}

export function accessEndsOf(declaration: Declaration, members: readonly StateMember[]): AccessEnd[] {
  const { offboarded, openedAt } = declaration;
  const holding = new Set(members.flatMap(({ key, held }) => (held.users.length > 0 ? [key] : [])));
  const people = withoutOffboarded(present(declaration, members), offboarded);
  return accessEndsIn(people, (key) => holding.has(key), openedAt);
}

/** A warning about rotations in the roster that rotate nothing. */
export function ignoredMarks(members: readonly MemberPlan[]): string[] {
  const ignored = members.flatMap(({ row, member }) => {
    const last = markOf(member?.held);
    const isIgnored =
      row?.rotation !== undefined && row.rotation !== last && markInForce(last, row.rotation) === last;
    return isIgnored ? [row] : [];
  });
  if (ignored.length === 0) return [];
  const who = shortList(ignored.map((person) => `${labelOf(person)} (${person.place})`));
  return [
    `the rotation in the roster is not a date, or is earlier than the last rotation, so orgseat does not rotate the token of ${who}. If \`orgseat rotate\` changed the roster elsewhere, commit that change. To rotate again, run \`orgseat rotate\``,
  ];
}
