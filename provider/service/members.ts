/**
 * Reads the members of an organization directly: outside of a run, with the configuration, client, redaction, and
 * retries of the provider process. A failed read is an error, never an absent member.
 */

import { ApiError } from "../api/calls/errors.ts";
import type { UserList } from "../api/calls/organization.ts";
import type { ListedToken, ListedUser } from "../api/schemas/anaconda-schemas.ts";
import { hiddenIn, type OddItem } from "../api/schemas/forgiving-list.ts";
import { administratorIn, type Settings } from "../config/settings.ts";
import {
  confirmedBy,
  type Expected,
  lacks,
  provesNoUser,
  suspicionOf,
} from "../resources/members/absence.ts";
import { doubtOf, mostMissing } from "../resources/members/lacking.ts";
import { indexMembers, requireList } from "../resources/members/member-list.ts";
import { requireRights, unusableList, witnessIn } from "../resources/members/rights.ts";
import { isUndecided } from "../resources/members/unreadable.ts";
import { CodedError } from "../util/error-codes.ts";
import { type Clock, systemClock } from "../util/instants.ts";
import { mapConcurrently } from "../util/lists.ts";
import { shortList } from "../util/text.ts";
import {
  describeFailedCall,
  organizationCredentials,
  type SettingsSource,
  withClient,
} from "./connection.ts";

export type { Expected, ListedToken, ListedUser, OddItem };

/** The members of an organization at one moment. */
export interface ServiceMembers {
  readonly organizationId: string;
  readonly users: readonly ListedUser[];
  /** The items of the list of which something cannot be read. */
  readonly odd: readonly OddItem[];
  /** By user id, of the users whose tokens were asked for. */
  readonly tokens: ReadonlyMap<string, readonly ListedToken[]>;
  /** The ids of users whose tokens a refresh leaves as the states have them. */
  readonly unread: ReadonlySet<string>;
  /** The ids of users of the states whom the list lacks, and whom the service does not know: they are gone. */
  readonly gone: ReadonlySet<string>;
  /** The ids of users of the states whom the list lacks, and whose tokens the service lists: the answers contradict each other. */
  readonly contradicted: ReadonlySet<string>;
  /** Of both, those whom a refresh leaves as the states have them. */
  readonly kept: ReadonlySet<string>;
  /** Of wanted lists of tokens, those that cannot be read, as sentences by user id. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/** Whether the list has an item that may be anyone: then it proves no one gone. */
export function isHiding({ odd }: Pick<ServiceMembers, "odd">): boolean {
  return hiddenIn(odd).length > 0;
}

export interface ManagedUser {
  readonly userId: string;
  /** For messages. */
  readonly label: string;
}

interface ReadOptions {
  readonly organizationId: string;
  /** The users and seats that should be there: if one is missing, a second list confirms it. */
  readonly expected?: readonly Expected[] | undefined;
  /** The people of the states, who are expected too: a list that lacks too many of them shows nothing. */
  readonly managed?: readonly ManagedUser[] | undefined;
  /** The ids of the users whose tokens to list, one request each. */
  readonly tokensOf: (users: readonly ListedUser[]) => Iterable<string>;
  /** Gets the number of lists of tokens that are read, from 0, and of all. */
  readonly onProgress?: ((read: number, all: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For tests. Default: the time of the machine. */
  readonly clock?: Clock | undefined;
}

/** One list of users, and one list of tokens for each user whose tokens are wanted. @throws Error that says why it cannot */
export async function readMembers(
  source: SettingsSource,
  {
    organizationId,
    expected = [],
    managed = [],
    tokensOf,
    onProgress,
    signal,
    clock = systemClock,
  }: ReadOptions,
): Promise<ServiceMembers> {
  const purpose = "cannot list the members";
  // It only reads, so the audit log misses nothing.
  const warn = () => undefined;
  return withClient(source, { purpose, warn, clock }, async ({ client, settings, startOperation }) => {
    const api = client.organization(organizationId, organizationCredentials(settings, undefined));
    const list = await confirmedUsers(
      async () => requireList(await api.listUsers(startOperation())),
      [...expected, ...managed],
    );
    const { users, odd } = list;
    const listTokens = once((userId) => api.listTokens(userId, startOperation()));
    const wanted = [...new Set(tokensOf(users))];
    const missing = lackedBy(list, managed);
    if (missing.length > 0) {
      requirePlausible(users, missing, { organizationId, managed: managed.length, settings });
      const witness = users.find(({ id }) => wanted.includes(id)) ?? witnessIn(users);
      if (witness) await requireRights(organizationId, witness, listTokens);
    }
    const contradicted = new Set<string>();
    await mapConcurrently(missing, settings.concurrency, async ({ userId }) => {
      if (await hasTokens(() => listTokens(userId))) contradicted.add(userId);
    });
    const gone = new Set(missing.map(({ userId }) => userId)).difference(contradicted);
    const unreadable = new Map<string, string>();
    let read = 0;
    if (wanted.length > 0) onProgress?.(read, wanted.length);
    const tokens = await mapConcurrently(wanted, settings.concurrency, async (userId) => {
      signal?.throwIfAborted();
      const listed = await listTokens(userId).catch((error: unknown) => {
        if (!(error instanceof ApiError) || !isUndecided(error)) throw error;
        unreadable.set(userId, error.message);
        return undefined;
      });
      read += 1;
      onProgress?.(read, wanted.length);
      return listed && ([userId, listed] as const);
    });
    const found = tokens.filter((one) => one !== undefined);
    return {
      ...{ organizationId, users, odd, unreadable },
      tokens: new Map(found),
      unread: new Set(unreadable.keys()),
      ...{ gone, contradicted, kept: contradicted },
    };
  }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    throw new Error(`${purpose}: ${describeFailedCall(error)}`, { cause: error });
  });
}

/** Whether the service lists tokens of a user whom its lists lack. */
async function hasTokens(list: () => Promise<unknown>): Promise<boolean> {
  try {
    await list();
    return true;
  } catch (error) {
    if (provesNoUser(error)) return false;
    if (error instanceof ApiError && isUndecided(error)) return true;
    throw error;
  }
}

/** The people whom a list lacks; none if an item that cannot be read may be any of them. */
function lackedBy({ users, odd }: UserList, managed: readonly ManagedUser[]): ManagedUser[] {
  if (hiddenIn(odd).length > 0) return [];
  const there = new Set(users.map(({ id }) => id));
  return managed.filter(({ userId }) => !there.has(userId));
}

/** @throws Error if the list shows nothing about those whom it lacks */
function requirePlausible(
  users: readonly ListedUser[],
  missing: readonly ManagedUser[],
  {
    organizationId,
    managed,
    settings,
  }: { readonly organizationId: string; readonly managed: number; readonly settings: Settings },
): void {
  const doubt = doubtOf(users, {
    ...{ missing: missing.length, managed, most: mostMissing(settings, organizationId) },
    administrator: administratorIn(settings),
  });
  if (doubt === undefined) return;
  throw unusableList(organizationId, `${doubt}: ${shortList(missing.map(({ label }) => label).toSorted())}`);
}

/** Makes a read once for each user. */
function once<Found>(read: (userId: string) => Promise<Found>): (userId: string) => Promise<Found> {
  const made = new Map<string, Promise<Found>>();
  return (userId) => {
    const found = made.get(userId) ?? read(userId);
    made.set(userId, found);
    return found;
  };
}

/** The users of one list, and of a second one where the first lacks a user or a seat. @throws Error for an incomplete list */
async function confirmedUsers(
  list: () => Promise<UserList>,
  expected: readonly Expected[],
): Promise<UserList> {
  const first = indexMembers(await list());
  const isMissing = expected.some((one) => lacks(first, one));
  const second = isMissing ? indexMembers(await list()) : undefined;
  const suspicion = suspicionOf(first) ?? (second && suspicionOf(second));
  if (suspicion !== undefined)
    throw new CodedError("incomplete-list", `cannot use the list of users: ${suspicion}`);
  return second === undefined ? first : confirmedBy(first, second);
}
