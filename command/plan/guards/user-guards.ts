/** Guards about users: rows that adopt them, and removals of administrators. */
import { isPrivileged, UNKNOWN_ROLE } from "../../../provider/resources/members/member-list.ts";
import { isKept } from "../../../provider/resources/members/removal.ts";
import type { Plan } from "../plan.ts";
import type { Step } from "../steps/steps.ts";
import { type Violation, violationAbout } from "./violation.ts";

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
  return violationAbout(
    "wrong-user-id",
    found,
    (people, isOne) =>
      `${people} ${isOne ? "has" : "have"} a \`user_id\` that the state contains under a different key. Keys are permanent. Restore the old keys, or correct \`user_id\`.`,
  );
}

/** The adoption of a user whom the service does not list cannot succeed. */
export function missingUsers({ members }: Plan, listedUsers: ListedUsers | undefined): Violation[] {
  if (listedUsers === undefined) return [];
  const found = members.flatMap((member) => {
    const [id] = member.steps.flatMap(adoptedUser);
    const isThere = id === undefined || listedUsers.has(id);
    return isThere ? [] : { member, detail: `${member.label}: user ${id}` };
  });
  return violationAbout(
    "wrong-user-id",
    found,
    (people, isOne) =>
      `${people} ${isOne ? "has" : "have"} a \`user_id\` that is not in the organization. To add them again, remove \`user_id\`; if the id is wrong, correct it; if they have left, remove the row.`,
  );
}

/** The user whom the step adopts, if it adopts one. */
function adoptedUser({ type, action, news }: Step): string[] {
  const isMade = type === "OrgUser" && (action === "create" || action === "replace");
  return isMade && typeof news?.adopt === "string" ? [news.adopt] : [];
}

/** Whom only a program removes, with `allowAdminRemoval`: the provider refuses the others before it takes anything. */
export function administrators(
  { losingAccess }: Plan,
  listedUsers: ListedUsers | undefined,
  isHiding = false,
): Violation[] {
  if (listedUsers === undefined) return [];
  const found = losingAccess.flatMap((member) => {
    const [id] = member.steps.flatMap(removedUser);
    const losing = member.steps.filter((step) => step.id === id && step.action !== "same");
    if (id === undefined || losing.every(isAllowed)) return [];
    // An item that cannot be read may be this user.
    const role = listedUsers.get(id) ?? (isHiding ? UNKNOWN_ROLE : undefined);
    return isPrivileged(role) ? [{ member, role, detail: `${member.label}: ${role}` }] : [];
  });
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

function isAllowed({ olds }: Step): boolean {
  return olds?.allowAdminRemoval === true;
}

/** The user whom the step removes from the organization, if it removes one. */
function removedUser({ type, action, id, olds = {} }: Step): string[] {
  const isRemoved = type === "OrgUser" && (action === "delete" || action === "replace");
  return isRemoved && id !== undefined && !isKept(olds) ? [id] : [];
}

/** The users about whom guards ask the service. */
export function questionedUsers(steps: readonly Step[]): Set<string> {
  return new Set(steps.flatMap((step) => [...adoptedUser(step), ...removedUser(step)]));
}
