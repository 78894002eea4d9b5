/**
 * What the service reports about a user, as outputs besides the inputs: diff compares inputs with inputs, so a change
 * in the service is visible but replaces no one.
 */

import { z } from "zod";
import { hiddenIn } from "../../api/schemas/forgiving-list.ts";
import { isSameText } from "../../api/schemas/user-names.ts";
import { CodedError } from "../../util/error-codes.ts";
import type { CallContext, OrganizationAccess } from "../contexts.ts";
import { firstNameOf, type Identity, isPrivileged, roleOf, UNKNOWN_ROLE } from "./member-list.ts";
import { sharedMembers } from "./reads.ts";

/** The outputs that only a list reports; states of other platforms lack them. */
export const listedOutputs = {
  /** The names in the service if they differ from the inputs, otherwise null. */
  serviceFirstName: z.string().nullish(),
  serviceLastName: z.string().nullish(),
  role: z.string().nullish(),
};

/** What a response or a list has of a user. */
export type Answered = {
  readonly [Key in "email" | "first_name" | "last_name" | "role"]?: string | null | undefined;
};

export interface UserFacts {
  readonly serviceEmail: string | null;
  readonly serviceFirstName: string | null | undefined;
  readonly serviceLastName: string | null | undefined;
  readonly role: string | null | undefined;
}

/** @param inputs the identity that the program declares */
export function factsOf({ email, first_name, last_name, role }: Answered, inputs: Identity): UserFacts {
  return {
    serviceEmail: spelling(email, inputs),
    serviceFirstName: differing(first_name, firstNameOf(inputs)),
    serviceLastName: differing(last_name, inputs.lastName),
    role: role ?? null,
  };
}

/** The same facts beside other inputs. */
export function factsBeside(inputs: Identity, olds: Identity & Partial<UserFacts>): UserFacts {
  return factsOf(
    {
      email: olds.serviceEmail ?? olds.email,
      first_name: olds.serviceFirstName ?? firstNameOf(olds),
      last_name: olds.serviceLastName ?? olds.lastName,
      role: olds.role,
    },
    inputs,
  );
}

/** The service's spelling of the email if it differs, otherwise null. */
export function spelling(answered: string | null | undefined, { email }: Identity): string | null {
  return answered === undefined || answered === email ? null : answered;
}

/** An absent name proves nothing: the service may not report it. */
function differing(answered: string | null | undefined, declared = ""): string | null {
  return isSameText(answered ?? "", "") || isSameText(answered ?? "", declared) ? null : (answered ?? null);
}

interface Removed extends OrganizationAccess {
  readonly userId: string;
  readonly role?: string | null | undefined;
  readonly allowAdminRemoval?: boolean | undefined;
}

/**
 * Token and seat of a removed user call it too, so that the user loses nothing before the refusal.
 * @throws Error if the user is an administrator or billing manager, by the list or the state
 */
export async function refuseAdminRemoval(outs: Removed, context: CallContext): Promise<void> {
  if (outs.allowAdminRemoval === true) return;
  const list = await sharedMembers(outs, context);
  if (list === undefined) return;
  const listed = list.byId.get(outs.userId);
  const isHidden = listed === undefined && hiddenIn(list.odd).length > 0;
  const role = listed === undefined ? (isHidden ? UNKNOWN_ROLE : outs.role) : roleOf(listed);
  if (!isPrivileged(role)) return;
  if (listed?.email) context.people.learn(outs.userId, listed.email);
  throw new CodedError(
    "administrator-removal",
    `cannot remove ${context.people.nameOf(outs.userId)}: the role of this user is ${role}. To end the membership, change the role in the service, or set \`allowAdminRemoval: true\` on the OrgMember (or on OrgUser, SeatAssignment, and UserToken). To keep the membership, set \`onDelete: "retain"\` on the OrgMember (or on OrgUser, and \`allowAdminRemoval: true\` on SeatAssignment and UserToken). Run \`pulumi up\` after either change, then remove the user`,
  );
}
