/**
 * Revokes tokens immediately: for several people in parallel, outside of a run and without waiting for a stack lock, with
 * the configuration, client, redaction, repeats and audit log of the provider process. No removal limit and no list of
 * approved changes applies. The state still has the tokens; when the next run removes them, it finds nothing to revoke,
 * which is not an error.
 */

import type { ListedToken } from "./api/anaconda-schemas.ts";
import type { Client } from "./api/client.ts";
import { type Clock, systemClock } from "./api/clock.ts";
import { ApiError } from "./api/errors.ts";
import { configurationErrorOf, connect, describeFailedCall, organizationCredentials } from "./connection.ts";
import { describeTokens, type OwnToken, resolveOwn } from "./resources/token-list.ts";
import { capabilitiesOf, readSettings, type Settings } from "./settings.ts";
import { mapConcurrently } from "./util/map-concurrently.ts";

/** Where settings come from. */
export interface SettingsSource {
  /** A value of the stack's configuration by its full key, `orgseat:orgUrl`. */
  readonly config: (key: string) => string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface User {
  readonly organizationId: string;
  readonly userId: string;
}

interface TokenHolder extends User {
  /** What the state knows about the token: where a user can have several, orgseat revokes its own only. */
  readonly token?: OwnToken | undefined;
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
 * @throws Error where configuration is invalid or missing: nothing was sent
 */
export async function revokeTokens(
  { config, environment }: SettingsSource,
  people: readonly TokenHolder[],
  options: RevokeOptions = {},
): Promise<Revocation[]> {
  const { onSettled, warn = (text: string) => process.emitWarning(text), clock = systemClock } = options;
  const settings = readSettings(config, environment);
  const error = configurationErrorOf(settings, "organization");
  if (error !== undefined) throw new Error(`cannot revoke tokens: ${error}`);
  const client = connect(settings, clock, warn);
  const unique = new Map(people.map((holder) => [`${holder.organizationId}/${holder.userId}`, holder]));
  const revokeNext = async (holder: TokenHolder) => {
    // The time of an operation starts when it runs, not when it is queued.
    const revocation = await revoke(client, settings, holder, clock);
    onSettled?.(revocation);
    return revocation;
  };
  try {
    return await mapConcurrently(unique.values(), settings.concurrency, revokeNext);
  } finally {
    await client.close();
  }
}

async function revoke(
  client: Client,
  settings: Settings,
  { organizationId, userId, token }: TokenHolder,
  clock: Clock,
): Promise<Revocation> {
  const holder = { organizationId, userId };
  const operation = { deadline: clock.monotonic() + settings.operationTimeoutMs };
  const api = client.organization(organizationId, organizationCredentials(settings, undefined));
  try {
    const own = capabilitiesOf(settings).revokesByTokenId
      ? await ownTokenId(() => api.listTokens(userId, operation), token)
      : { tokenId: undefined };
    if (own === undefined) return { ...holder, outcome: "none" };
    if ("reason" in own) return { ...holder, outcome: "failed", reason: own.reason };
    const deleted = await api.revokeToken(userId, operation, own.tokenId);
    return { ...holder, outcome: deleted === "gone" ? "none" : "revoked" };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...holder, outcome: "failed", reason: describeFailedCall(error) };
  }
}

/** The id of the own token: of the state, else found in the list. Undefined where the token is gone. */
async function ownTokenId(
  list: () => Promise<readonly ListedToken[]>,
  token: OwnToken | undefined,
): Promise<{ readonly tokenId: string } | { readonly reason: string } | undefined> {
  if (typeof token?.tokenId === "string") return { tokenId: token.tokenId };
  const resolved = resolveOwn(await list(), token ?? { validUntil: "" });
  if ("token" in resolved) return { tokenId: resolved.token.id };
  if ("gone" in resolved || ("missing" in resolved && token === undefined)) return undefined;
  if ("missing" in resolved)
    return { reason: "the list of the user's tokens lacks the one in the state. Check it in the service" };
  const tokens = describeTokens(resolved.candidates);
  return { reason: `cannot tell which token is the one in the state: ${tokens}. Revoke it in the service` };
}
