/**
 * Which member of this run has a user: two must not have the same one, and Pulumi deletes a renamed or replaced member after it
 * has created the new one.
 */

import type { PlanContext } from "../../resources/contexts.ts";
import { claimUser, isContested, isOwnedByAnother, ownerOfMember } from "../../resources/ownership.ts";
import { known } from "../../resources/unknown.ts";
import { CodedError } from "../../util/error-codes.ts";
import type { Held } from "../held.ts";
import type { OrgMemberOutputs } from "./schema.ts";

type Declared = Readonly<Partial<Record<"email" | "organizationId", unknown>>>;

/** Notes that the program declares the address. */
export function declareAddress(declared: Declared, { run }: PlanContext): void {
  const address = addressOf(declared);
  if (address !== undefined) run.notes.add(`declared ${address}`);
}

/** @returns what is wrong if another resource of this run has one of the users */
export function claimUsers(
  held: Held,
  declared: Declared & { readonly organizationId: string },
  who: string,
  context: PlanContext,
): string | undefined {
  const { organizationId } = declared;
  const owned = { organizationId, instance: ownerOfMember(held.ref) };
  const address = addressOf(declared);
  if (address !== undefined && held.users.length > 0) context.run.notes.add(`held ${address}`);
  const issues = held.users.map(({ id }) => claimUser(context, id, owned, who));
  return issues.find((issue) => issue !== undefined);
}

/** @throws CodedError if two resources of this run have one of the users, so that a change could be that of the other */
export function refuseShared({ users }: Held, organizationId: string, who: string, context: PlanContext) {
  const shared = users.find(({ id }) => isContested(context, { userId: id, organizationId }));
  if (shared === undefined) return;
  throw new CodedError(
    "duplicate-declaration",
    `cannot change ${who}: two resources of this program have the same user id (${shared.id}). See the other error of this run.`,
  );
}

/**
 * What a deletion may remove: not what another member of this run has.
 * @throws CodedError if a member that the program declares with the same address has no user: it was to take this one over
 */
export function removable(held: Held, outs: OrgMemberOutputs, context: PlanContext): Held {
  const { organizationId } = outs;
  const own = { organizationId, instance: ownerOfMember(held.ref) };
  const users = held.users.filter(({ id }) => !isOwnedByAnother(context, "OrgUser", id, own));
  if (users.length < held.users.length) return { ...held, users };
  const address = addressOf(outs);
  const { notes } = context.run;
  if (address === undefined || !notes.has(`declared ${address}`) || notes.has(`held ${address}`)) return held;
  throw new CodedError(
    "duplicate-declaration",
    `cannot remove ${outs.email}: this program declares another OrgMember with this email, which has no user yet. Nothing was removed. If you renamed the resource, use \`aliases\`; a member is replaced by a change of its inputs, not by \`--replace\` or \`state taint\``,
  );
}

function addressOf({ email, organizationId }: Declared): string | undefined {
  const [address, organization] = [known(email), known(organizationId)];
  return typeof address === "string" && typeof organization === "string"
    ? `${organization} ${address}`
    : undefined;
}
