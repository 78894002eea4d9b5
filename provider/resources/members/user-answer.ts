/**
 * Checks that the response of "add user" is about the requested user. A proxy or a service that mixes up two responses
 * would otherwise give one person's seat and token to another.
 */

import { ApiError } from "../../api/calls/errors.ts";
import type { User } from "../../api/schemas/schemas.ts";
import { isOwned } from "../ownership.ts";
import type { PlanContext } from "../resource.ts";

interface RequestedUser {
  readonly organizationId: string;
  readonly email?: string | undefined;
  readonly purpose?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/** @throws ApiError `bad-answer` if the response is about another user: whether the user was created is unknown */
export function requireSameUser(requested: RequestedUser, answered: User, context: PlanContext): void {
  const reason = mismatch(requested, answered) ?? knownId(requested, answered, context);
  if (reason === undefined) return;
  throw new ApiError({
    code: "bad-answer",
    call: "add user",
    method: "POST",
    path: `/organizations/${requested.organizationId}/users`,
    reason: `the service returned another user: ${reason}. orgseat discards this response and gives that user no seat and no token`,
  });
}

/**
 * An email in the response identifies a person. Names identify a machine user, and a person if the response has no
 * email. Absent fields prove nothing.
 */
function mismatch(requested: RequestedUser, { email, first_name, last_name }: User): string | undefined {
  if (requested.email !== undefined && isGiven(email)) {
    return isSameText(requested.email, email) ? undefined : `its email is ${email}`;
  }
  const names = [
    { sent: firstNameOf(requested), answered: first_name },
    { sent: requested.lastName, answered: last_name },
  ].filter(({ answered }) => isGiven(answered));
  const others = names.filter(({ sent, answered }) => !isSameText(sent ?? "", answered ?? ""));
  if (others.length > 0) return `its name is ${names.map(({ answered }) => answered).join(" ")}`;
  // With matching names it is a machine user to whom the service gave an address.
  return isGiven(email) && names.length === 0 ? `it is a person, ${email}` : undefined;
}

function knownId(
  { organizationId }: RequestedUser,
  { id }: User,
  context: Pick<PlanContext, "owners" | "people">,
): string | undefined {
  if (!isOwned(context, "OrgUser", id, organizationId)) return undefined;
  return `another OrgUser of this program manages ${context.people.nameOf(id)}`;
}

function isGiven(text: string | null | undefined): text is string {
  return typeof text === "string" && text.trim() !== "";
}

/** What the service calls the first name: of a machine user, its purpose. */
export function firstNameOf<Name>({
  purpose,
  firstName,
}: {
  readonly purpose?: Name | undefined;
  readonly firstName?: Name | undefined;
}): Name | undefined {
  return purpose ?? firstName;
}

/** Letter case (D18) and spaces aside. */
export function isSameText(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  return text.normalize("NFC").trim().replaceAll(/\s+/g, " ").toLowerCase();
}
