/** The members of an organization in the service, read for a command. */
import { capabilitiesOf } from "../../provider/config/settings.ts";
import { roleOf } from "../../provider/resources/members/member-list.ts";
import {
  type Expected,
  isHiding,
  type ListedUser,
  type ManagedUser,
  readMembers,
  type ServiceMembers,
} from "../../provider/service/members.ts";
import type { StateMember } from "../members/state-members.ts";
import type { Connection, Declaration, Organization } from "../stacks/organization.ts";
import { requireOwnTokens } from "./drift.ts";
import { REFRESH_TOKENS, type RefreshTokens, usersOfDay } from "./token-turns.ts";

interface ReadOptions {
  /** The users and seats that should be there. */
  readonly expected?: readonly Expected[] | undefined;
  /** The people of the state: a list that lacks too many of them is an error. */
  readonly managed?: readonly ManagedUser[] | undefined;
  /** The ids of the users whose tokens to read. */
  readonly tokensOf: (users: readonly ListedUser[]) => Iterable<string>;
  /** Gets the number of people whose tokens are read, from 0, and of all. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws Error that says why the members cannot be read */
export function membersOfService(
  { config: values, environment, roster }: Declaration & Connection,
  options: ReadOptions,
): Promise<ServiceMembers> {
  const { organizationId } = roster;
  const config = (key: string): string | undefined => values.get(key);
  return readMembers({ config, environment }, { ...options, organizationId });
}

/** The people of the state who hold a user. */
export function managedUsers(members: readonly StateMember[]): ManagedUser[] {
  return members.flatMap(({ userId, label }) => (userId === undefined ? [] : [{ userId, label }]));
}

/** Whether a command can ask for lists: without a service account, it goes by the state alone. */
export function listsMembers({ settings }: Pick<Connection, "settings">): boolean {
  return capabilitiesOf(settings).canListUsers && settings.account !== undefined;
}

interface RefreshOptions extends Pick<ReadOptions, "onProgress" | "signal"> {
  readonly refreshTokens?: RefreshTokens | undefined;
}

/**
 * The members for a comparison with the state.
 * @param affected the ids of the users whom the plan changes: their tokens are read first
 * @throws Error if the members cannot be read, or if the list is implausible
 */
export async function refreshedMembers(
  organization: Organization,
  members: readonly StateMember[],
  affected: ReadonlySet<string>,
  { refreshTokens = REFRESH_TOKENS, ...options }: RefreshOptions,
): Promise<ServiceMembers> {
  const { settings, openedAt } = organization;
  const users = members.flatMap(({ label, held }) => held.users.map((user) => ({ user, label })));
  const holders = tokenHolders(members);
  const isBounded =
    refreshTokens !== "all" && users.filter(({ user }) => user.tokens.length > 0).length > refreshTokens;
  const tokensOf: ReadOptions["tokensOf"] = (listed) => {
    const ids = holders(listed);
    return isBounded
      ? [...ids.filter((id) => affected.has(id)), ...usersOfDay(ids, refreshTokens, openedAt)]
      : ids;
  };
  const read = await membersOfService(organization, {
    ...options,
    expected: users.flatMap(({ user }): Expected[] => [
      { userId: user.id },
      ...(user.seat === "held" ? [{ userId: user.id, seat: { product: settings.product } }] : []),
    ]),
    managed: users.map(({ user, label }) => ({ userId: user.id, label })),
    tokensOf,
  });
  const unread = new Set(holders(read.users).filter((id) => !read.tokens.has(id)));
  requireOwnTokens(members, read);
  return { ...read, unread };
}

/**
 * The users whom the service lists, for what a command asks about some of them.
 * @param expected the ids of users who should be there
 * @returns undefined if the service cannot list users, or without a service account
 * @throws Error if the list cannot be read
 */
export async function listedMembers(
  organization: Organization,
  expected: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<ServiceMembers | undefined> {
  const { members } = organization;
  if (members !== undefined || !listsMembers(organization)) return members;
  const users = [...expected].map((userId) => ({ userId }));
  return membersOfService(organization, { expected: users, tokensOf: () => [], signal });
}

/** Whether the list has an item that may be anyone. */
export function hidesUsers(members: ServiceMembers | undefined): boolean {
  return members !== undefined && isHiding(members);
}

/** By user id. */
export function rolesOf({ users }: ServiceMembers): ReadonlyMap<string, string> {
  return new Map(users.map((user) => [user.id, roleOf(user)]));
}

/** The ids of the listed users whose token the state has. */
export function tokenHolders(members: readonly StateMember[]): (users: readonly ListedUser[]) => string[] {
  const holders = members.flatMap(({ held }) => held.users.filter(({ tokens }) => tokens.length > 0));
  const ids = new Set(holders.map(({ id }) => id));
  return (users) => users.flatMap(({ id }) => (ids.has(id) ? [id] : []));
}
