/**
 * Whether the service account still sees users: one without rights gets "no such user" about everybody (D15), so that this
 * answer shows nothing about those whom a list lacks.
 */
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import { provesNoUser } from "./absence.ts";
import { isPrivileged } from "./member-list.ts";

/** Why a user whom no list has may be there. */
export const CONTRADICTION =
  "the list of users does not contain this user, but the service lists the user's tokens";

/**
 * The listed user to ask about: a member if there is one, because an account may see its administrator alone.
 * @param stays whether no one removes the member meanwhile
 */
export function witnessIn(
  users: readonly ListedUser[],
  stays: (user: ListedUser) => boolean = () => true,
): ListedUser | undefined {
  const member = users.find((user) => !isPrivileged(user.role) && stays(user));
  return member ?? users.find(({ role }) => isPrivileged(role));
}

/**
 * Lists the tokens of a listed user.
 * @throws Error if the service does not know the user whom it lists, or if the list fails
 */
export async function requireRights(
  organizationId: string,
  witness: Pick<ListedUser, "id" | "email">,
  listTokens: (userId: string) => Promise<unknown>,
): Promise<void> {
  try {
    await listTokens(witness.id);
  } catch (error) {
    if (!provesNoUser(error)) throw error;
    throw withoutRights(
      organizationId,
      `it lacks people of the state, and the service answers that there is no user ${witness.email || witness.id}, whom it lists`,
    );
  }
}

/** The error about a list that lacks too many people. @param doubt of `doubtOf` */
export function unusableList(organizationId: string, doubt: string): CodedError {
  const next = "If these people did leave, set ORGSEAT_MAX_REMOVALS to their number for this run";
  return withoutRights(organizationId, doubt, `. ${next}`);
}

function withoutRights(organizationId: string, doubt: string, next = ""): CodedError {
  return new CodedError(
    "incomplete-list",
    `cannot use the list of users of organization ${organizationId}: ${doubt}. Nothing leaves the state. The service account may have lost its rights or belong to another organization: check it and orgseat:organizationId, ${THEN_RUN_AGAIN}${next}`,
  );
}
