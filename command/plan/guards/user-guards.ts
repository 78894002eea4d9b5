/** Guards about users: rows that adopt them, and removals of administrators. */
import { isPrivileged } from "../../../provider/resources/members/member-list.ts";
import { isKept, ownershipOf } from "../../../provider/resources/members/removal.ts";
import { countedPeople } from "../../../provider/util/text.ts";
import type { Plan } from "../plan.ts";
import type { Properties, Step } from "../steps/steps.ts";
import { type Violation, violation } from "./violation.ts";

/** The roles of the users whom the service lists, by user id. */
export type ListedUsers = ReadonlyMap<string, string>;

/** The removal of a user under one key would take away what another key adopts: the two may be in different stacks. */
export function foreignUsers({ members, steps }: Plan): Violation[] {
  const keys = Map.groupBy(
    steps.filter(({ type }) => type === "OrgUser"),
    ({ id }) => id,
  );
  const found = members.flatMap((member) => {
    const [id] = member.steps.flatMap(adoptedUser);
    const other = id === undefined ? undefined : keys.get(id)?.find((step) => step.member !== member.key);
    if (other === undefined) return [];
    return { member, detail: `${member.label}: ${member.key} (user ${id} is ${other.member})` };
  });
  if (found.length === 0) return [];
  const one = violation(
    "wrong-user-id",
    `${countedPeople(found.length)} ${found.length === 1 ? "has" : "have"} a \`user_id\` that the state contains under a different key. Keys are permanent. Restore the old keys, or correct \`user_id\`.`,
    found.map(({ member }) => member),
  );
  return [{ ...one, details: found.map(({ detail }) => detail) }];
}

/** The adoption of a user whom the service does not list cannot succeed. */
export function missingUsers({ members }: Plan, listedUsers: ListedUsers | undefined): Violation[] {
  if (listedUsers === undefined) return [];
  const found = members.flatMap((member) => {
    const [id] = member.steps.flatMap(adoptedUser);
    return id === undefined || listedUsers.has(id) ? [] : { member, id };
  });
  if (found.length === 0) return [];
  const one = violation(
    "wrong-user-id",
    `${countedPeople(found.length)} ${found.length === 1 ? "has" : "have"} a \`user_id\` that is not in the organization. To add them again, remove \`user_id\`; if the id is wrong, correct it; if they have left, remove the row.`,
    found.map(({ member }) => member),
  );
  return [{ ...one, details: found.map(({ member, id }) => `${member.label}: user ${id}`) }];
}

/** The user whom the step adopts, if it adopts one. */
function adoptedUser({ type, action, news }: Step): string[] {
  const isMade = type === "OrgUser" && (action === "create" || action === "replace");
  return isMade && typeof news?.adopt === "string" ? [news.adopt] : [];
}

/** Whom only a program removes, with `allowAdminRemoval`: the provider refuses the others before it takes anything. */
export function administrators({ losingAccess }: Plan, listedUsers: ListedUsers | undefined): Violation[] {
  if (listedUsers === undefined) return [];
  const found = losingAccess.flatMap((member) => {
    const [id] = member.steps.flatMap(removedUser);
    const losing = member.steps.filter((step) => step.id === id && step.action !== "same");
    const role = id === undefined || losing.every(isAllowed) ? undefined : listedUsers.get(id);
    return isPrivileged(role) ? [{ member, detail: `${member.label}: ${role}` }] : [];
  });
  if (found.length === 0) return [];
  const one = violation(
    "administrator-removal",
    `${countedPeople(found.length)} would be removed but ${found.length === 1 ? "is an administrator or billing manager" : "are administrators or billing managers"}: restore the row or the resource, change the role in the service first, or, in a program, set \`allowAdminRemoval: true\` and run \`orgseat up\` before you remove the resource.`,
    found.map(({ member }) => member),
  );
  return [{ ...one, details: found.map(({ detail }) => detail) }];
}

function isAllowed({ olds }: Step): boolean {
  return olds?.allowAdminRemoval === true;
}

/** The user whom the step removes from the organization, if it removes one. */
function removedUser({ type, action, id, olds = {} }: Step): string[] {
  const isRemoved = type === "OrgUser" && (action === "delete" || action === "replace");
  return isRemoved && id !== undefined && endsMembership(olds) ? [id] : [];
}

/** Whether the removal of an OrgUser ends the membership. @param olds its outputs */
export function endsMembership(olds: Properties): boolean {
  return !isKept(ownershipOf(olds));
}

/** The users about whom guards ask the service. */
export function questionedUsers(steps: readonly Step[]): Set<string> {
  return new Set(steps.flatMap((step) => [...adoptedUser(step), ...removedUser(step)]));
}
