/** Guards about users: rows that adopt them, emails that pass from one to another, machine users of the same purpose, and removals of administrators. */
import type { Obstacle } from "../../../provider/member/step.ts";
import { UNKNOWN_ROLE } from "../../../provider/resources/members/member-list.ts";
import { counted } from "../../../provider/util/text.ts";
import type { RosterPlan } from "../../members/plan.ts";
import { labelOf } from "../../roster/roster.ts";
import type { PlannedMember } from "../members.ts";
import type { Plan, Removal } from "../plan.ts";
import type { Approval } from "./override.ts";
import { type Violation, violationAbout } from "./violation.ts";

/** A member would adopt the user whom another one holds. */
export function foreignUsers({ members }: Plan): Violation[] {
  const holders = new Map(
    members.flatMap((member) =>
      (member.steps.member?.held.users ?? []).map(({ id }) => [id, member] as const),
    ),
  );
  const found = members.flatMap((member) => {
    const id = member.steps.row?.userId;
    const other = id === undefined ? undefined : holders.get(id);
    if (other === undefined || other === member) return [];
    return { member, detail: `${member.label}: ${member.key} (user ${id} is ${other.key})` };
  });
  return violationAbout(
    "wrong-user-id",
    found,
    (people, isOne) =>
      `${people} ${isOne ? "has" : "have"} a \`user_id\` that the state contains under a different key. Keys are permanent. Restore the old keys, or correct \`user_id\`.`,
  );
}

/** The adoption of a user whom the service does not list cannot succeed. */
export function missingUsers({ members }: Plan): Violation[] {
  const found = members.flatMap((member) =>
    [...obstaclesOf(member, "adoptsMissing"), ...obstaclesOf(member, "adoptsGone")].map(
      ({ names: [id] = [] }) => ({
        ...{ member, detail: `${member.label}: user ${id}` },
      }),
    ),
  );
  return violationAbout(
    "wrong-user-id",
    found,
    (people, isOne) =>
      `${people} ${isOne ? "has" : "have"} a \`user_id\` that is not in the organization. To add them again, remove \`user_id\`; if the id is wrong, correct it; if they have left, remove the row.`,
  );
}

function obstaclesOf({ steps }: PlannedMember, reason: Obstacle["reason"]): readonly Obstacle[] {
  return steps.plan.refused.filter((obstacle) => obstacle.reason === reason);
}

/** Whom only a program removes, with `allowAdminRemoval`: the provider refuses the others before it takes anything. */
export function administrators({ members }: Plan): Violation[] {
  const found = members.flatMap((member) =>
    obstaclesOf(member, "role").map(({ names: [, role = UNKNOWN_ROLE] = [] }) => ({
      ...{ member, role, detail: `${member.label}: ${role}` },
    })),
  );
  const isUnknown = found.every(({ role }) => role === UNKNOWN_ROLE);
  return violationAbout(
    "administrator-removal",
    found,
    (people, isOne) =>
      `${people} would be removed but ${rolesOf(isUnknown, isOne)}: restore the row or the resource, change the role in the service first, or, in a program, set \`allowAdminRemoval: true\` and run \`orgseat up\` before you remove the resource.`,
  );
}

function rolesOf(isUnknown: boolean, isOne: boolean): string {
  if (isUnknown) return "may be privileged, because the list of users does not say the role";
  return isOne ? "is an administrator or billing manager" : "are administrators or billing managers";
}

/** The service would refuse the address, and the advice to adopt its holder would make two people one. */
export function addressesInUse(inUse: RosterPlan["inUse"]): Violation[] {
  const found = inUse.map(({ row, other }) => {
    const label = labelOf(row);
    const member = { key: row.key, label, stack: "", userId: undefined };
    return { member, detail: `${label}: ${row.key} (${other} has it)` };
  });
  return violationAbout(
    "address-in-use",
    found,
    (people) =>
      `${people} would get an email of another member, who has it until after that. If the rows exchanged their emails, exchange the rest of the rows instead and leave each email with its key. Otherwise apply the change of the other row first, in a separate run.`,
  );
}

/** A machine user whom the plan creates, and the listed ones with its names, whom no state has. */
export interface Twin {
  readonly key: string;
  readonly userIds: readonly string[];
}

/** What their override is about, besides the removals of the plan. */
export function besideTwins(twins: readonly Twin[]): Removal[] {
  return twins.flatMap(({ key, userIds }) =>
    userIds.map((id) => ({ operation: "add user", id: `${key} beside ${id}` })),
  );
}

/** A lost state, or another roster of the organization, may have made the listed one. */
export function existingMachineUsers(
  { members }: Plan,
  twins: readonly Twin[],
  { isGiven, pass, refusal }: Approval,
): Violation[] {
  if (isGiven) return [];
  const found = members.flatMap((member) => {
    const twin = twins.find(({ key }) => key === member.key);
    return twin === undefined ? [] : { member, detail: `${member.label}: user ${twin.userIds.join(", ")}` };
  });
  const textOf = (_: string, isOne: boolean) =>
    `the plan adds ${counted(found.length, "machine user")} whose purpose a user in the service has, and no state knows that user: a lost state or another roster may have added it. To adopt it, write its id into \`user_id\` of the ${isOne ? "row" : "rows"}.${refusal}`;
  return violationAbout("machine-user-exists", found, textOf, pass);
}
