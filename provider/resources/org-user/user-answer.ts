/**
 * Checks that the response of "add user" is about the requested user. A proxy or a service that mixes up two responses
 * would otherwise give one person's seat and token to another.
 */

import { ApiError } from "../../api/calls/errors.ts";
import type { User } from "../../api/schemas/schemas.ts";
import { userMismatch } from "../../api/schemas/user-names.ts";
import { firstNameOf, type Identity } from "../members/member-list.ts";
import { isOwned } from "../ownership.ts";
import type { PlanContext } from "../resource.ts";

interface RequestedUser extends Identity {
  readonly organizationId: string;
}

/** @throws ApiError `bad-answer` if the response is about another user: whether the user was created is unknown */
export function requireSameUser(requested: RequestedUser, answered: User, context: PlanContext): void {
  const { id } = answered;
  const known = isOwned(context, "OrgUser", id, requested.organizationId)
    ? `another OrgUser of this program manages ${context.people.nameOf(id)}`
    : undefined;
  const reason = userMismatch({ ...requested, firstName: firstNameOf(requested) }, answered) ?? known;
  if (reason === undefined) return;
  throw new ApiError({
    code: "bad-answer",
    call: "add user",
    method: "POST",
    path: `/organizations/${requested.organizationId}/users`,
    reason: `the service returned another user: ${reason}. orgseat discards this response and gives that user no seat and no token`,
  });
}
