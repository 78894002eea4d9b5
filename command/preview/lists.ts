/** What a plan reads of the service: one list of users, and tokens of some of them. */
import { capabilitiesOf } from "../../provider/config/settings.ts";
import type { ManagedUser, ServiceMembers } from "../../provider/service/members.ts";
import { messageOf } from "../../provider/util/text.ts";
import type { StateMember } from "../members/state-members.ts";
import { membersOfService, refreshedMembers } from "../service/service-members.ts";
import type { RefreshTokens } from "../service/token-turns.ts";
import type { Organization } from "../stacks/organization.ts";

export interface ReadOptions {
  readonly refresh: boolean;
  readonly refreshTokens?: RefreshTokens | undefined;
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The people of the state who hold a user. */
export function managedUsers(members: readonly StateMember[]): ManagedUser[] {
  return members.flatMap(({ userId, label }) => (userId === undefined ? [] : [{ userId, label }]));
}

/** Whether this command can ask for lists: without a service account, a plan goes by the state alone. */
export function canAsk({ settings }: Pick<Organization, "settings">): boolean {
  return capabilitiesOf(settings).canListUsers && settings.account !== undefined;
}

/** With the tokens that a refresh reads. @throws Error if they cannot be read, or if the list is implausible */
export function refreshed(
  organization: Organization,
  members: readonly StateMember[],
  affected: ReadonlySet<string>,
  options: ReadOptions,
): Promise<ServiceMembers> {
  return refreshedMembers(organization, members, affected, options);
}

/** @param isWhole whether the list must show whom of the state it lacks, as for a directory */
export function listed(
  organization: Organization,
  members: readonly StateMember[],
  isWhole: boolean,
  { signal }: ReadOptions,
): Promise<ServiceMembers> {
  const managed = isWhole ? managedUsers(members) : [];
  return membersOfService(organization, { managed, tokensOf: () => [], signal });
}

/** The same with the tokens of these users. */
export async function withTokens(
  organization: Organization,
  members: ServiceMembers,
  userIds: readonly string[],
  { signal }: ReadOptions,
): Promise<ServiceMembers> {
  const more = await membersOfService(organization, { tokensOf: () => userIds, signal });
  return { ...members, tokens: new Map([...members.tokens, ...more.tokens]) };
}

/** A list for the seats alone, which a plan can do without. @returns why it was not read */
export async function listedIfPossible(
  organization: Organization,
  options: ReadOptions,
): Promise<ServiceMembers | string> {
  try {
    return await listed(organization, [], false, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    return `the plan counts the seats of the state alone, because the members of the organization cannot be read: ${messageOf(error)}`;
  }
}
