/**
 * Decisions about a list of users: who is who, who has a seat. Pure.
 */

import type { UserList } from "../../api/calls/organization.ts";
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import type { OddItem } from "../../api/schemas/forgiving-list.ts";
import { isSameText } from "../../api/schemas/user-names.ts";
import { CodedError } from "../../util/error-codes.ts";
import { folded, shortList } from "../../util/text.ts";
import { codesOf, type SeatStatus, seatCodes, seatIn } from "./seat-codes.ts";

/** What identifies a user besides the id: the email of a person, or the names of a machine user. */
export interface Identity {
  readonly email?: string | undefined;
  /** Of a machine user. */
  readonly purpose?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/** What the service calls the first name: of a machine user, its purpose. */
export function firstNameOf({ purpose, firstName }: Identity): string | undefined {
  return purpose ?? firstName;
}

/** The users of an organization, found fast: thousands of resources look into one list. */
export interface MemberList {
  readonly users: readonly ListedUser[];
  readonly byId: ReadonlyMap<string, ListedUser>;
  /** By folded email. */
  readonly byEmail: ReadonlyMap<string, ListedUser>;
  readonly odd: readonly OddItem[];
  /** The product codes of all users. */
  readonly codes: readonly string[];
}

export function indexMembers({ users, odd }: UserList): MemberList {
  return {
    users,
    byId: new Map(users.map((user) => [user.id, user])),
    byEmail: new Map(users.flatMap((user) => (user.email ? [[folded(user.email), user]] : []))),
    odd,
    codes: codesOf(users),
  };
}

/** @throws CodedError if the platform has no such list */
export function requireList<List>(list: List | undefined): List {
  if (list !== undefined) return list;
  throw new CodedError(
    "unsupported",
    "cannot list members: this service (orgseat:platform) cannot list users, seats, or tokens",
  );
}

/** Whether a listed user has a seat: of the product, otherwise of the code of the list. */
export function seatOf(
  { codes }: Pick<MemberList, "codes">,
  user: ListedUser,
  product: string | undefined,
): SeatStatus {
  return seatIn(user, seatCodes(codes, product));
}

/** How messages name a listed user. */
export function nameOfListed({ id, email }: Pick<ListedUser, "id" | "email">): string {
  return email || `user ${id}`;
}

/** The role of which the list says nothing. */
export const UNKNOWN_ROLE = "unknown";

/** The role at a removal. One that cannot be read may be an administrator's. */
export function roleOf({ role }: Pick<ListedUser, "role">): string {
  return role ?? UNKNOWN_ROLE;
}

/** Whether a user is more than a member, and so is removed only if the program says so. */
export function isPrivileged(role: string | null | undefined): role is string {
  return role !== null && role !== undefined && role !== "member";
}

/** All users with this email, ignoring letter case, or with these names. */
export function usersLike(list: MemberList, identity: Identity): ListedUser[] {
  const { email, lastName } = identity;
  if (email !== undefined) {
    const user = list.byEmail.get(folded(email));
    return user === undefined ? [] : [user];
  }
  return list.users.filter(
    ({ first_name, last_name }) =>
      isSameText(firstNameOf(identity) ?? "", first_name ?? "") &&
      isSameText(lastName ?? "", last_name ?? ""),
  );
}

/** `ada@acme.example (user 7a1f…), …` */
export function describeUsers(users: readonly ListedUser[]): string {
  return shortList(users.map(({ id, email }) => (email ? `${email} (user ${id})` : `user ${id}`)));
}
