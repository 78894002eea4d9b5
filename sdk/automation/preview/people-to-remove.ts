/** Whom `offboard` removes: present members, by the states, and what is known of names that no state has. */

import { capabilitiesOf } from "../../../provider/config/settings.ts";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { readEmail } from "../roster/field-forms.ts";
import { labelOf } from "../roster/roster.ts";
import { membersOfService } from "../service/service-members.ts";
import type { Organization } from "../stacks/organization.ts";
import { shardStackOf } from "../stacks/shards.ts";
import { membersIn, replacedMembersIn, statesOf, tokenIn } from "../stacks/stack-state.ts";
import {
  describeUnverifiedRemovals,
  formerMembersAmong,
  resolveMembers,
  unknownAmong,
} from "./resolve-members.ts";

export interface UnmanagedMember {
  /** The name as it was typed. */
  readonly who: string;
  readonly userId: string;
}

export function describeUnmanaged({ who, userId }: UnmanagedMember): string {
  return `${who} is a member of the organization (user id ${userId}), but no stack contains this person. Delete the entries of this user id from the offboarded list if there are any, write \`user_id\` ${userId} in a row, run \`orgseat adopt\`, then \`orgseat offboard ${who}\` again`;
}

/** @throws if no name is of a present or removed member: otherwise a misspelt name does not delay the others */
export async function peopleNamed(
  organization: Organization,
  names: readonly string[],
  signal: AbortSignal | undefined,
) {
  const states = (await homeStatesOf(organization, names)) ?? (await statesOf(organization));
  const managed = membersIn(states);
  const replaced = replacedMembersIn(states);
  const known = [...managed, ...replaced];
  const missing = unknownAmong(names, known);
  const unmanaged = await listedAmong(organization, missing, signal);
  const former = await formerMembersAmong(
    missing.filter((name) => !unmanaged.some(({ who }) => who === name)),
    organization,
  );
  const alreadyRemoved = former.filter(({ isRemoved }) => isRemoved);
  const unverified = former.filter(({ isRemoved }) => !isRemoved);
  const unknown = missing.filter((name) => !alreadyRemoved.some(({ who }) => who === name));
  const present = names.filter((name) => !missing.includes(name));
  const isNoneLeft = present.length === 0 && alreadyRemoved.length === 0;
  if (isNoneLeft && unverified.length + unmanaged.length === names.length)
    throw new CodedError(
      "unknown-person",
      [...unmanaged.map(describeUnmanaged), ...describeUnverifiedRemovals(unverified)].join("\n"),
    );
  const named = resolveMembers(isNoneLeft ? names : present, known, "the state of any stack");
  const keys = new Set(named.map(({ key }) => key));
  const people = [...keys].flatMap((key) => known.find((one) => one.key === key) ?? []);
  // The token of a former user of these people may still be valid.
  const left = replaced.filter((member) => tokenIn(member) !== undefined);
  const users = [...managed, ...left].filter(({ key }) => keys.has(key));
  return { people, users, unknown, unverified, unmanaged, alreadyRemoved };
}

/** Of names that no state has, the members whom the service lists; none if it cannot list them. */
async function listedAmong(
  organization: Organization,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<UnmanagedMember[]> {
  const { canListUsers } = capabilitiesOf(organization.settings);
  if (names.length === 0 || !canListUsers) return [];
  const { users } = await membersOfService(organization, { tokensOf: () => [], signal });
  return names.flatMap((who) => {
    const user = users.find(({ id, email }) =>
      [id, email].some((one) => one.toLowerCase() === who.toLowerCase()),
    );
    return user === undefined ? [] : [{ who, userId: user.id }];
  });
}

/**
 * The states of the stacks that have people with these keys; undefined if a name is not a key, is not in its stack, or may
 * name a person in another stack too.
 */
async function homeStatesOf(organization: Organization, names: readonly string[]) {
  const { stacks, newStacks, staleStacks, listed } = organization;
  const labels = new Set(listed.map((person) => labelOf(person).toLowerCase()));
  if (names.some((name) => readEmail(name) !== undefined || labels.has(name.toLowerCase()))) return undefined;
  const homes = new Set(names.map((name) => shardStackOf(name, stacks)));
  if (staleStacks.length > 0 || newStacks.some((stack) => homes.has(stack))) return undefined;
  const states = await statesOf(organization, homes);
  const keys = new Set(membersIn(states).map(({ key }) => key));
  return names.every((name) => keys.has(name)) ? states : undefined;
}
