/**
 * Revokes all tokens of people immediately: for several people in parallel, outside of a run and without waiting for a stack lock,
 * with the configuration, client, redaction, retries, and audit log of the provider process. No removal limit and no
 * list of approved changes applies. The state still has the tokens; when the next run removes them, it finds nothing to
 * revoke, which is not an error.
 */

import { ApiError } from "../api/calls/errors.ts";
import type { OrganizationApi } from "../api/calls/organization.ts";
import { capabilitiesOf } from "../config/settings.ts";
import {
  type HeldToken,
  isTokenShown,
  presenceIn,
  provesNoUser,
  suspicionOf,
} from "../resources/members/absence.ts";
import { indexMembers, requireList } from "../resources/members/member-list.ts";
import { requireRights, witnessIn } from "../resources/members/rights.ts";
import { liveTokens } from "../resources/members/token-list.ts";
import { StillListed, settledRemoval } from "../resources/pauses.ts";
import {
  type Connection,
  describeFailedCall,
  organizationCredentials,
  type SettingsSource,
  withClient,
} from "../service/connection.ts";
import { CodedError } from "../util/error-codes.ts";
import { type Clock, systemClock, type TimeLimit } from "../util/instants.ts";
import { mapConcurrently } from "../util/lists.ts";

interface User {
  readonly organizationId: string;
  readonly userId: string;
}

interface TokenHolder extends User {
  /** What the state knows about the token. */
  readonly token?: HeldToken | undefined;
}

/** The result for one person's token. `none`: the service has no such token. */
export type Revocation = User &
  ({ readonly outcome: "revoked" | "none" } | { readonly outcome: "failed"; readonly reason: string });

interface RevokeOptions {
  /** Gets each result as soon as it is known. */
  readonly onSettled?: ((revocation: Revocation) => void) | undefined;
  /** Gets what no result can say: a sent write is missing in the audit log. Default: a process warning. */
  readonly warn?: ((text: string) => void) | undefined;
  /** For tests. Default: the time of the machine. */
  readonly clock?: Clock | undefined;
}

/**
 * Revokes the tokens of all of them; a failure does not affect the others.
 * @returns the results in the order of `people`, each person once
 * @throws Error if configuration is invalid or missing: nothing was sent
 */
export async function revokeTokens(
  source: SettingsSource,
  people: readonly TokenHolder[],
  options: RevokeOptions = {},
): Promise<Revocation[]> {
  const { onSettled, warn = (text: string) => process.emitWarning(text), clock = systemClock } = options;
  const unique = new Map(people.map((holder) => [`${holder.organizationId}/${holder.userId}`, holder]));
  return withClient(source, { purpose: "cannot revoke tokens", warn, clock }, (connection) =>
    mapConcurrently(unique.values(), connection.settings.concurrency, async (holder) => {
      const revocation = await revoke(connection, holder, clock);
      onSettled?.(revocation);
      return revocation;
    }),
  );
}

async function revoke(
  { client, settings, startOperation }: Connection,
  { organizationId, userId, token }: TokenHolder,
  clock: Clock,
): Promise<Revocation> {
  const holder = { organizationId, userId };
  const pause = async (ms: number): Promise<boolean> => {
    await clock.sleep(ms);
    return true;
  };
  const time = { operation: startOperation(), elapsed: () => clock.monotonic(), pause };
  const api = client.organization(organizationId, organizationCredentials(settings, undefined));
  const { ids, failure } = capabilitiesOf(settings).revokesByTokenId
    ? await tokenIds(api, { organizationId, userId, token }, time.operation)
    : { ids: [undefined], failure: undefined };
  const found: Result[] = failure === undefined ? [] : [failure];
  // One that fails keeps none of the others.
  for (const id of ids) found.push(await revokeOne(api, holder, id, time));
  const worst = found.find(({ outcome }) => outcome === "failed");
  const result = worst ?? found.find(({ outcome }) => outcome === "revoked") ?? { outcome: "none" };
  return { ...holder, ...result };
}

type Time = Parameters<typeof settledRemoval>[2]["time"];
type Result = { readonly outcome: "revoked" | "none" } | Failure;
interface Failure {
  readonly outcome: "failed";
  readonly reason: string;
}

async function revokeOne(
  api: OrganizationApi,
  user: User,
  tokenId: string | undefined,
  time: Time,
): Promise<Result> {
  const { userId } = user;
  const { operation } = time;
  const isListed = (id: string) =>
    isTokenShown(
      id,
      () => api.listTokens(userId, operation),
      () => isUserListed(api, user, operation),
    );
  const sought = { what: "the token", isListed: tokenId === undefined ? undefined : () => isListed(tokenId) };
  const revoke = () => api.revokeToken(userId, operation, tokenId);
  const result = await unlessFailed(async (): Promise<Result> => {
    const removed = await settledRemoval(revoke, sought, { time, diagnostics: NO_DIAGNOSTICS });
    return { outcome: removed === "gone" ? "none" : "revoked" };
  });
  return "outcome" in result ? result : { outcome: "failed", ...result };
}

/** The result says it. */
const NO_DIAGNOSTICS = { info: () => undefined, warn: () => undefined };

/** The result of calls, or why they failed. */
async function unlessFailed<Found>(work: () => Promise<Found>): Promise<Found | { readonly reason: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StillListed) return { reason: STILL_LISTED };
    if (error instanceof ApiError) return { reason: describeFailedCall(error) };
    if (error instanceof CodedError) return { reason: error.message };
    throw error;
  }
}

const STILL_LISTED =
  "the service answers that the token does not exist, but still lists it. Check the rights of the service account";

/**
 * Whether a list shows the user, or proves nothing.
 * @throws Error if it lacks the user, and the service account has no rights: the service then knows no one
 */
async function isUserListed(
  api: OrganizationApi,
  { organizationId, userId }: User,
  operation: TimeLimit,
): Promise<boolean> {
  const members = indexMembers(requireList(await api.listUsers(operation)));
  if (suspicionOf(members) !== undefined || presenceIn(members, { userId }) !== "lacking") return true;
  const witness = witnessIn(members.users);
  if (witness) await requireRights(organizationId, witness, (id) => api.listTokens(id, operation));
  return false;
}

interface TokenIds {
  readonly ids: readonly string[];
  readonly failure: Failure | undefined;
}

/**
 * Every token of the list that is not revoked, whoever issued it: a run that was killed leaves tokens that no state has.
 * Those of the state are revoked even if the list lacks them, or cannot be read.
 */
async function tokenIds(
  api: OrganizationApi,
  { token, ...user }: TokenHolder,
  operation: TimeLimit,
): Promise<TokenIds> {
  const previous = token?.previous?.map(({ tokenId }) => tokenId) ?? [];
  const own = [...(token?.tokenId ? [token.tokenId] : []), ...previous];
  const listed = await unlessFailed(() => tokensOf(api, user, operation));
  if ("reason" in listed) return { ids: own, failure: { outcome: "failed", ...listed } };
  const known = new Set(listed.tokens.map(({ id }) => id));
  const ids = [...liveTokens(listed.tokens).map(({ id }) => id), ...own.filter((id) => !known.has(id))];
  // A revoked token stays in the list.
  const isMissing = token !== undefined && known.size === 0 && own.length === 0 && !listed.isGone;
  return { ids, failure: isMissing ? { outcome: "failed", reason: NOT_LISTED } : undefined };
}

const NOT_LISTED =
  "the list of the user's tokens does not contain the one in the state. Check it in the service";

/** Without tokens if the user is gone. */
async function tokensOf(api: OrganizationApi, user: User, operation: TimeLimit) {
  try {
    return { tokens: requireList(await api.listTokens(user.userId, operation)), isGone: false };
  } catch (error) {
    if (!provesNoUser(error) || (await isUserListed(api, user, operation))) throw error;
    return { tokens: [], isGone: true };
  }
}
