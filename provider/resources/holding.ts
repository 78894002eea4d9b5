/**
 * Which resource of a program holds what a person has. A resource that is renamed or moved without an alias is a new
 * one to Pulumi, which deletes the old one at the end of the run: by then the person belongs to the new one, and the
 * removal of the old one must not take anything away.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { PlanContext } from "./resource.ts";

/** Tells one resource of a program from another that holds the same object; made at creation, kept by updates. */
export const holdingOutputs = { instance: z.string() };

/** One kind of thing that a user has once. */
type Kind = "OrgUser" | "SeatAssignment" | "UserToken";

interface Held {
  readonly organizationId: string;
  readonly instance: string;
}

export function newInstance(): string {
  return randomUUID().slice(0, 8);
}

/** Records that a resource of this run has it: when it is created, and when diff finds that it stays. */
export function hold(
  context: PlanContext,
  kind: Kind,
  userId: string,
  { organizationId, instance }: Held,
): void {
  context.holders.set(`${kind} ${organizationId}/${userId}`, instance);
}

/** Whether another resource of this run has it; then the person who runs Pulumi is told, and nothing is removed. */
export function isHeldByAnother(context: PlanContext, kind: Kind, userId: string, outs: Held): boolean {
  const holder = context.holders.get(`${kind} ${outs.organizationId}/${userId}`);
  if (holder === undefined || holder === outs.instance) return false;
  context.warn(
    `${kind} of ${context.people.nameOf(userId)}: another resource of this program manages it now, so nothing is removed. For a renamed resource, \`aliases\` keep the old one.`,
  );
  return true;
}
