/**
 * Whether the service account still sees users: one without rights gets "no such user" about everybody (D15), so that this
 * answer shows nothing about those whom a list lacks.
 */
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import { provesNoUser } from "./absence.ts";
import { unusableList } from "./lacking.ts";
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
    throw unusableList(
      organizationId,
      `it lacks people of the state, and the service answers that there is no user ${witness.email || witness.id}, whom it lists`,
    );
  }
}
