/**
 * Which resource of a program holds what a person has, or a server or table. A resource that is renamed or moved
 * without an alias is a new one to Pulumi, which deletes the old one at the end of the run: by then what it held belongs
 * to the new one, and the removal of the old one must not take anything away.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { PlanContext } from "./resource.ts";

/** Tells one resource of a program from another that holds the same object; made at creation, kept by updates. */
export const ownershipOutputs = { instance: z.string() };

/** What a user has once, by user id, and what the model area has once, by its own id. */
type Kind = "OrgUser" | "SeatAssignment" | "UserToken" | "ModelServer" | "VectorTable";

interface OwnedObject {
  /** None in the model area. */
  readonly organizationId?: string | undefined;
  readonly instance: string;
}

export function newInstance(): string {
  return randomUUID().slice(0, 8);
}

/** Records that a resource of this run has it: when it is created, and when diff finds that it stays. */
export function claimObject(
  context: PlanContext,
  kind: Kind,
  id: string,
  { organizationId, instance }: OwnedObject,
): void {
  context.owners.set(keyOf(kind, id, organizationId), instance);
}

/** Whether any resource of this run has it. */
export function isOwned(
  { owners }: Pick<PlanContext, "owners">,
  kind: Kind,
  id: string,
  organizationId: string | undefined,
): boolean {
  return owners.has(keyOf(kind, id, organizationId));
}

/** Holds no instance: two resources of this run claim the object, so none of them may take anything away. */
const CONTESTED = "two resources";

/**
 * Records that a user in the state stays, as `hold` does.
 * @throws where another resource of this run has that user: one of the two was given a user that is not its own
 */
export function claimUser(context: PlanContext, id: string, user: OwnedObject, who: string): void {
  const key = keyOf("OrgUser", id, user.organizationId);
  const holder = context.owners.get(key);
  if (holder === undefined || holder === user.instance) {
    context.owners.set(key, user.instance);
    return;
  }
  context.owners.set(key, CONTESTED);
  throw new Error(
    `OrgUser ${who}: another OrgUser of this program has the same user id (${context.people.nameOf(id)}). Find out at the service whose it is, and remove the other OrgUser from the program: nothing is removed at the service then. Then add that one again.`,
  );
}

/** @throws where two OrgUsers of this run have the user id: whose seat or token this would be is not known */
export function refuseContested(
  context: PlanContext,
  { userId, organizationId }: { readonly userId: string; readonly organizationId: string },
): void {
  if (context.owners.get(keyOf("OrgUser", userId, organizationId)) !== CONTESTED) return;
  throw new Error(
    `nothing was sent for ${context.people.nameOf(userId)}: two OrgUsers of this program have this user id. Another error of this run says what to do.`,
  );
}

/** Whether another resource of this run has it; then the person who runs Pulumi is told, and nothing is removed. */
export function isOwnedByAnother(context: PlanContext, kind: Kind, id: string, outs: OwnedObject): boolean {
  const holder = context.owners.get(keyOf(kind, id, outs.organizationId));
  if (holder === undefined || holder === outs.instance) return false;
  const which = outs.organizationId === undefined ? id : `of ${context.people.nameOf(id)}`;
  context.warn(
    `${kind} ${which}: another resource of this program manages it now, so nothing is removed. For a renamed resource, \`aliases\` keep the old one.`,
  );
  return true;
}

function keyOf(kind: Kind, id: string, organizationId = ""): string {
  return `${kind} ${organizationId}/${id}`;
}
