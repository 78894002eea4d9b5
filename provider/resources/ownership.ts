/**
 * Which resource of a program owns a membership, seat, token, server, file, or table. A resource that is renamed or
 * moved without an alias is new to Pulumi, which deletes the old one at the end of the run: by then the new one owns
 * the object, and the removal of the old one must not remove anything.
 */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { CodedError } from "../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import type { PlanContext } from "./contexts.ts";
import type { ResourceType } from "./resource-types.ts";

/** Distinguishes resources of a program that own the same object; generated at creation, kept by updates. */
export const ownershipOutputs = { instance: z.string() };

interface OwnedObject {
  /** None in the model area. */
  readonly organizationId?: string | undefined;
  readonly instance: string;
}

export function newInstance(): string {
  return randomUUID().slice(0, 8);
}

/** Records the owner of an object: at creation, and where diff finds that the resource stays. */
export function claimObject(
  context: PlanContext,
  kind: ResourceType,
  id: string,
  { organizationId, instance }: OwnedObject,
): void {
  context.run.owners.set(ownerKey(kind, id, organizationId), instance);
}

/** Whether any resource of this run owns the object. */
export function isOwned(
  { run }: Pick<PlanContext, "run">,
  kind: ResourceType,
  id: string,
  organizationId: string | undefined,
): boolean {
  return run.owners.has(ownerKey(kind, id, organizationId));
}

/** @throws CodedError if another resource of this run has the user to adopt */
export function refuseTaken(
  news: { readonly adopt?: string | undefined; readonly organizationId: string },
  who: string,
  context: PlanContext,
): void {
  const { adopt, organizationId } = news;
  if (adopt === undefined || !isOwned(context, "OrgUser", adopt, organizationId)) return;
  throw new CodedError(
    "duplicate-declaration",
    `cannot adopt user ${adopt} for ${who}: another resource of this program has this user. Remove one of the two from the program, ${THEN_RUN_AGAIN}`,
  );
}

/** Not an instance: two resources of this run claim the object, so neither may remove anything. */
const CONTESTED = "two resources";

/**
 * Records the owner of a user in the state, like `claimObject`.
 * @returns what is wrong where another resource of this run owns that user: one of the two has the wrong user
 */
export function claimUser(
  context: PlanContext,
  id: string,
  user: OwnedObject,
  who: string,
): string | undefined {
  const key = ownerKey("OrgUser", id, user.organizationId);
  const owner = context.run.owners.get(key) ?? user.instance;
  context.run.owners.set(key, owner === user.instance ? owner : CONTESTED);
  if (owner === user.instance) return undefined;
  return `${who}: another resource of this program has the same user id (${context.people.nameOf(id)}). Check in the service which person has this user id, and remove the other resource from the program; this removes nothing in the service. Then add it again.`;
}

/** What owns a user as an OrgMember, which has the seat and the token too. */
export function ownerOfMember(ref: string): string {
  return `${MEMBER}${ref}`;
}

const MEMBER = "member ";

/** Whether two resources of this run have the user id. */
export function isContested(
  context: PlanContext,
  { userId, organizationId }: { readonly userId: string; readonly organizationId: string },
): boolean {
  return context.run.owners.get(ownerKey("OrgUser", userId, organizationId)) === CONTESTED;
}

/**
 * @throws if two resources of this run have the user id, so that the owner of a seat or token would be unknown, or if an
 * OrgMember has the user
 */
export function refuseContested(
  context: PlanContext,
  { userId, organizationId }: { readonly userId: string; readonly organizationId: string },
): void {
  const who = context.people.nameOf(userId);
  if (context.run.owners.get(ownerKey("OrgUser", userId, organizationId))?.startsWith(MEMBER) === true)
    throw new CodedError(
      "duplicate-declaration",
      `cannot add a seat or token of ${who}: an OrgMember of this program has this user. Set \`seat\` and \`token\` of the OrgMember, and remove this resource from the program`,
    );
  if (!isContested(context, { userId, organizationId })) return;
  throw new CodedError(
    "duplicate-declaration",
    `cannot change the seat or token of ${who}: two resources of this program have this user id. See the other error of this run.`,
  );
}

/** Whether another resource of this run owns the object; warns that nothing is removed then. */
export function isOwnedByAnother(
  context: PlanContext,
  kind: ResourceType,
  id: string,
  outs: OwnedObject,
  userId = id,
): boolean {
  const owner = context.run.owners.get(ownerKey(kind, id, outs.organizationId));
  if (owner === undefined || owner === outs.instance) return false;
  const which = outs.organizationId === undefined ? id : `of ${context.people.nameOf(userId)}`;
  context.diagnostics.warn(
    `${kind} ${which}: another resource of this program manages it now, so nothing is removed. If you renamed the resource, use \`aliases\`.`,
  );
  return true;
}

/** The key of an object among the owners. */
export function ownerKey(kind: ResourceType, id: string, organizationId = ""): string {
  return `${kind} ${organizationId}/${id}`;
}
