/**
 * Revokes tokens immediately: for several people in parallel, outside of a run and without waiting for a stack lock,
 * with the configuration, client, redaction, retries, and audit log of the provider process. No removal limit and no
 * list of approved changes applies. The state still has the tokens; when the next run removes them, it finds nothing to
 * revoke, which is not an error.
 */

import { ApiError } from "../api/calls/errors.ts";
import type { OrganizationApi } from "../api/calls/organization.ts";
import { verdictOn } from "../api/calls/refused-removal.ts";
import type { ListedToken } from "../api/schemas/anaconda-schemas.ts";
import { capabilitiesOf } from "../config/settings.ts";
import {
  type HeldToken,
  isTokenShown,
  type OwnToken,
  resolveOwn,
  suspicionOf,
} from "../resources/members/absence.ts";
import { indexMembers } from "../resources/members/member-list.ts";
import { describeTokens } from "../resources/members/token-list.ts";
import {
  type Connection,
  describeFailedCall,
  organizationCredentials,
  type SettingsSource,
  withClient,
} from "../service/connection.ts";
import { type Clock, systemClock, type TimeLimit } from "../util/instants.ts";
import { mapConcurrently } from "../util/lists.ts";

interface User {
  readonly organizationId: string;
  readonly userId: string;
}

interface TokenHolder extends User {
  /** What the state knows about the token: if a user can have several, orgseat revokes its own only. */
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
      const revocation = await revoke(connection, holder);
      onSettled?.(revocation);
      return revocation;
    }),
  );
}

async function revoke(
  { client, settings, startOperation }: Connection,
  { organizationId, userId, token }: TokenHolder,
): Promise<Revocation> {
  const holder = { organizationId, userId };
  const operation = startOperation();
  const api = client.organization(organizationId, organizationCredentials(settings, undefined));
  const own = capabilitiesOf(settings).revokesByTokenId
    ? await unlessFailed(() => ownTokenId(() => api.listTokens(userId, operation), token))
    : { tokenId: undefined };
  const found: Result[] = own !== undefined && "reason" in own ? [{ outcome: "failed", ...own }] : [];
  const ids = [...(own === undefined || "reason" in own ? [] : [own]), ...(token?.previous ?? [])];
  // One that fails keeps none of the others.
  for (const { tokenId } of ids) found.push(await revokeOne(api, userId, tokenId, operation));
  const worst = found.find(({ outcome }) => outcome === "failed");
  const result = worst ?? found.find(({ outcome }) => outcome === "revoked") ?? { outcome: "none" };
  return { ...holder, ...result };
}

type Result = { readonly outcome: "revoked" | "none" } | Failure;
interface Failure {
  readonly outcome: "failed";
  readonly reason: string;
}

async function revokeOne(
  api: OrganizationApi,
  userId: string,
  tokenId: string | undefined,
  operation: TimeLimit,
): Promise<Result> {
  const isListed = async (): Promise<boolean | undefined> =>
    tokenId === undefined
      ? undefined
      : isTokenShown(
          tokenId,
          () => api.listTokens(userId, operation),
          () => isUserListed(api, userId, operation),
        );
  const result = await unlessFailed(async (): Promise<Result> => {
    const answer = await api.revokeToken(userId, operation, tokenId).catch(refusalIn);
    if (answer === "deleted") return { outcome: "revoked" };
    if (!(answer instanceof ApiError)) {
      if (await isListed()) return { outcome: "failed", reason: STILL_LISTED };
      return { outcome: answer === "gone" ? "none" : "revoked" };
    }
    // If no list can be read, the refusal is the result.
    const isShown = await isListed().catch(() => undefined);
    if (isShown === undefined || verdictOn(answer, isShown) !== "gone") throw answer;
    return { outcome: "none" };
  });
  return "outcome" in result ? result : { outcome: "failed", ...result };
}

/** The error of a call that the service refused. @throws any other one */
function refusalIn(error: unknown): ApiError {
  if (error instanceof ApiError && error.code === "refused") return error;
  throw error;
}

/** The result of calls, or why they failed. */
async function unlessFailed<Found>(work: () => Promise<Found>): Promise<Found | { readonly reason: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) return { reason: describeFailedCall(error) };
    throw error;
  }
}

const STILL_LISTED =
  "the service answers that the token does not exist, but still lists it. Check the rights of the service account";

/** Whether a list shows the user, or proves nothing. */
async function isUserListed(api: OrganizationApi, userId: string, operation: TimeLimit): Promise<boolean> {
  const members = indexMembers(await api.listUsers(operation));
  return suspicionOf(members) !== undefined || members.byId.has(userId);
}

/** The id of the own token: of the state, otherwise found in the list. Undefined if the token is gone. */
async function ownTokenId(
  list: () => Promise<readonly ListedToken[]>,
  token: OwnToken | undefined,
): Promise<{ readonly tokenId: string } | { readonly reason: string } | undefined> {
  if (typeof token?.tokenId === "string") return { tokenId: token.tokenId };
  const resolved = resolveOwn(await list(), token);
  if ("token" in resolved) return { tokenId: resolved.token.id };
  if ("gone" in resolved) return undefined;
  if ("missing" in resolved)
    return {
      reason: "the list of the user's tokens does not contain the one in the state. Check it in the service",
    };
  const tokens = describeTokens(resolved.candidates);
  return { reason: `cannot tell which token is the one in the state: ${tokens}. Revoke it in the service` };
}
