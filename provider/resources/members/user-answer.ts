/**
 * Checks that the response of "add user" is about the requested user. A proxy or a service that mixes up two responses
 * would otherwise give one person's seat and token to another.
 */

import { ApiError } from "../../api/calls/errors.ts";
import type { User } from "../../api/schemas/schemas.ts";
import { userMismatch } from "../../api/schemas/user-names.ts";
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
  const reason =
    userMismatch({ ...requested, firstName: firstNameOf(requested) }, answered) ??
    knownId(requested, answered, context);
  if (reason === undefined) return;
  throw new ApiError({
    code: "bad-answer",
    call: "add user",
    method: "POST",
    path: `/organizations/${requested.organizationId}/users`,
    reason: `the service returned another user: ${reason}. orgseat discards this response and gives that user no seat and no token`,
  });
}

function knownId(
  { organizationId }: RequestedUser,
  { id }: User,
  context: Pick<PlanContext, "owners" | "people">,
): string | undefined {
  if (!isOwned(context, "OrgUser", id, organizationId)) return undefined;
  return `another OrgUser of this program manages ${context.people.nameOf(id)}`;
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
