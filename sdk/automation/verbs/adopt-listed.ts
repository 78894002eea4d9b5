/** `orgseat adopt` without a file: finds the members to adopt at the service, where it can list them. */
import { capabilitiesOf } from "../../../provider/config/settings.ts";
import { type AdoptionNote, adoptableUsers, adoptionOf } from "../service/adoptable.ts";
import { membersOfService } from "../service/service-members.ts";
import { declaredPeople, type Organization } from "../stacks/organization.ts";
import { managedMembers } from "../stacks/stack-state.ts";
import { type AdoptOptions, adoptPeople, type FoundMembers } from "./adopt.ts";
import type { UpResult } from "./up.ts";

export interface AdoptAllOptions extends AdoptOptions {
  /** Whether to adopt only members in no stack and no row, and to leave the rows of the roster as they are. Default: false. */
  readonly onlyUnmanaged?: boolean | undefined;
}

export interface AdoptResult extends UpResult {
  /** The members and tokens that are not adopted. */
  readonly notes: readonly AdoptionNote[];
}

/**
 * Adopts `people`, else the people of the roster whose user id no stack has, else the members in no stack that the service
 * lists.
 */
export async function adoptAll(organization: Organization, options: AdoptAllOptions): Promise<AdoptResult> {
  const { people } = options;
  const found = people === undefined ? await membersToAdopt(organization, options) : undefined;
  const result = await adoptPeople(organization, options, found);
  return { ...result, notes: found?.adoption.notes ?? [] };
}

/**
 * One list of users, and one list of tokens for each of them. Undefined where the service cannot list them, and where the
 * roster has user ids that no stack has: an interrupted adoption continues with those.
 * @throws Error if `onlyUnmanaged` is wanted where the service cannot list its members
 */
async function membersToAdopt(
  organization: Organization,
  { onlyUnmanaged = false, onProgress, signal }: AdoptAllOptions,
): Promise<FoundMembers | undefined> {
  const { roster, leavers, settings, openedAt } = organization;
  if (!capabilitiesOf(settings).canListUsers) {
    if (!onlyUnmanaged) return undefined;
    throw new Error(
      "cannot list the members: this API has no such request. Copy the user ids from the service into a file, then run `orgseat adopt FILE`",
    );
  }
  const managed = new Set((await managedMembers(organization)).map(({ userId }) => userId));
  const declared = declaredPeople(organization);
  const isBegun = declared.some(({ userId }) => userId !== undefined && !managed.has(userId));
  if (isBegun && !onlyUnmanaged) return undefined;
  const members = await membersOfService(organization, {
    tokensOf: (users) => adoptableUsers(users, { managed }).map(({ id }) => id),
    onProgress,
    signal,
  });
  const { product, subscriptionExpiresAt } = settings;
  const options = { roster, leavers, managed, product, subscriptionExpiresAt, now: openedAt, onlyUnmanaged };
  return { members, adoption: adoptionOf(members, options) };
}
