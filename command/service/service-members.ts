/** The members of an organization in the service: read once for a command, and handed to its runs. */
import { dirname, join } from "node:path";
import { capabilitiesOf } from "../../provider/config/settings.ts";
import { roleOf } from "../../provider/resources/members/member-list.ts";
import { writeMembers } from "../../provider/service/member-file.ts";
import {
  type Expected,
  isHiding,
  type ListedUser,
  type ManagedUser,
  readMembers,
  type ServiceMembers,
} from "../../provider/service/members.ts";
import { withoutStop } from "../../provider/util/text.ts";
import type { ListedUsers } from "../plan/guards/user-guards.ts";
import { type AllStacks, affectedUsers, type PreviewOutcome, runAll } from "../stacks/all-stacks.ts";
import type { Connection, Declaration, Organization } from "../stacks/organization.ts";
import { withRunFolder } from "../stacks/run.ts";
import {
  membersIn,
  resourcesOf,
  type State,
  type StateMember,
  statesOf,
  tokenIn,
} from "../stacks/stack-state.ts";
import { requireOwnTokens } from "./drift.ts";
import { REFRESH_TOKENS, type RefreshTokens, usersOfDay } from "./token-turns.ts";

interface ReadOptions {
  /** The users and seats that should be there. */
  readonly expected?: readonly Expected[] | undefined;
  /** The people of the states: a list that lacks too many of them is an error. */
  readonly managed?: readonly ManagedUser[] | undefined;
  /** The ids of the users whose tokens to read. */
  readonly tokensOf: (users: readonly ListedUser[]) => Iterable<string>;
  /** Gets the number of people whose tokens are read, and of all. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** @throws Error that says why the members cannot be read */
export function membersOfService(
  { configuration, environment, roster }: Declaration & Connection,
  options: ReadOptions,
): Promise<ServiceMembers> {
  const { organizationId } = roster;
  const config = (key: string): string | undefined => configuration.config.get(key);
  return readMembers({ config, environment }, { ...options, organizationId });
}

/**
 * The organization with what the service says about its members, for a preview that names the drift. Unchanged where the
 * service cannot list its members.
 * @throws Error if the members cannot be read, or if the list is implausible
 */
export async function withServiceMembers(
  organization: Organization,
  {
    refreshTokens = REFRESH_TOKENS,
    noRemovals = false,
    ...options
  }: Omit<ReadOptions, "tokensOf" | "expected" | "managed"> & {
    readonly refreshTokens?: RefreshTokens | undefined;
    /** Whether a person whom the list lacks stays in the state. */
    readonly noRemovals?: boolean | undefined;
  },
): Promise<Organization> {
  const { settings, openedAt } = organization;
  if (!capabilitiesOf(settings).canListUsers) return organization;
  const states = await statesOf(organization);
  const managed = membersIn(states);
  const holders = tokenHolders(managed);
  const isBounded =
    refreshTokens !== "all" && managed.filter((member) => tokenIn(member)).length > refreshTokens;
  const affected = isBounded ? await affectedUsers(organization, states) : new Set<string>();
  const tokensOf: ReadOptions["tokensOf"] = (users) => {
    const ids = holders(users);
    return isBounded
      ? [...ids.filter((id) => affected.has(id)), ...usersOfDay(ids, refreshTokens, openedAt)]
      : ids;
  };
  const expected = expectedIn(states, settings.product);
  const read = await membersOfService(organization, { ...options, expected, managed, tokensOf });
  const members = {
    ...read,
    unread: new Set(holders(read.users).filter((id) => !read.tokens.has(id))),
    kept: noRemovals ? read.contradicted.union(read.gone) : read.contradicted,
  };
  requireOwnTokens(managed, members);
  return { ...organization, members };
}

/** The users and seats that the states have. The runs get one list, so nothing else confirms what it lacks. */
function expectedIn(states: ReadonlyMap<string, State>, product: string | undefined): Expected[] {
  const resources = [...states].flatMap(([stack, state]) => resourcesOf(stack, state));
  return resources.flatMap(({ type, id: userId }): Expected[] => {
    if (type === "OrgUser") return [{ userId }];
    return type === "SeatAssignment" ? [{ userId, seat: { product } }] : [];
  });
}

/**
 * The users whom the service lists, for what a command plans: those that it has read already, otherwise of one request.
 * @param expected the ids of users who should be there
 * @returns undefined if the service cannot list users, or without a service account, which a preview does not need
 * @throws Error if the list cannot be read
 */
export async function listedMembers(
  organization: Organization,
  expected: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<ServiceMembers | undefined> {
  const { members, settings } = organization;
  if (members !== undefined) return members;
  if (!capabilitiesOf(settings).canListUsers || settings.account === undefined) return undefined;
  const users = [...expected].map((userId) => ({ userId }));
  return membersOfService(organization, { expected: users, tokensOf: () => [], signal });
}

/** Whether the service may have a user: an item that cannot be read may be anyone. @param members undefined if it cannot list users */
export function mayHaveUser(members: ServiceMembers | undefined, userId: string): boolean {
  return members === undefined || isHiding(members) || members.users.some(({ id }) => id === userId);
}

/** Whether the list has an item that may be anyone. */
export function hidesUsers(members: ServiceMembers | undefined): boolean {
  return members !== undefined && isHiding(members);
}

export function rolesOf({ users }: ServiceMembers): ListedUsers {
  return new Map(users.map((user) => [user.id, roleOf(user)]));
}

/** The ids of the listed users whose token the states have. */
export function tokenHolders(members: readonly StateMember[]): (users: readonly ListedUser[]) => string[] {
  const holders = members.filter((member) => tokenIn(member) !== undefined);
  const ids = new Set(holders.map(({ userId }) => userId));
  return (users) => users.flatMap(({ id }) => (ids.has(id) ? [id] : []));
}

/** The variable with which a run reads these members instead of the service. @param folder of the run */
export function memberVariables(
  members: ServiceMembers | undefined,
  folder: string,
): Readonly<Record<string, string>> {
  if (members === undefined) return {};
  const file = join(folder, "members.json");
  writeMembers(file, members);
  return { ORGSEAT_MEMBERS_FILE: file };
}

/**
 * @param without the stacks to leave as they are
 * @returns whether the signal did not stop it
 * @throws Error that names the stacks whose state it cannot refresh
 */
export async function refreshStates(
  organization: Organization,
  without: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const left = new Set([...without, ...organization.newStacks]);
  const each = (stack: string) => (left.has(stack) ? undefined : {});
  const outcomes = await runAllWithMembers(organization, { operation: "refresh", each, signal });
  const failed = outcomes.flatMap(({ stack, failure }) =>
    failure === undefined ? [] : { stack, ...failure },
  );
  if (failed.some(({ code }) => code === "cancelled")) return false;
  if (failed.length === 0) return true;
  const reasons = failed.map(({ stack, text }) => `stack ${stack}: ${withoutStop(text)}`).join("; ");
  throw new Error(`cannot refresh the states: ${reasons}. No changes were made in the service`);
}

/** One operation on all stacks, whose runs read the members that this command has read instead of the service. */
export function runAllWithMembers(organization: Organization, options: AllStacks): Promise<PreviewOutcome[]> {
  return withRunFolder(dirname(organization.file), (folder) => {
    const environment = memberVariables(organization.members, folder);
    return runAll(organization, { ...options, environment });
  });
}
