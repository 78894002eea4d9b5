/**
 * Revoking tokens tonight: call 9 for several people side by side, outside of any run and without waiting for the lock of
 * one, by the rules of the provider process: the same configuration, client, redaction, repeats and audit. Who calls it
 * has decided: no breaker and no list of removals stops it. The state still holds the tokens; removing them there by
 * the next run finds nothing to revoke, which is no error.
 */

import type { Client } from "./api/client.ts";
import { type Clock, systemClock } from "./api/clock.ts";
import { ApiError } from "./api/errors.ts";
import { connect, describeFailure, obstacleTo, organizationCredentials } from "./connection.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import { readSettings, type Settings } from "./settings.ts";

/** Where settings come from. */
export interface Configuration {
  /** A value of the stack's configuration by its full key, `orgseat:orgUrl`. */
  readonly config: (key: string) => string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface TokenHolder {
  readonly organizationId: string;
  readonly userId: string;
}

/** What became of one person's token. `none`: the service says that there is none (any more). */
export type Revocation = TokenHolder &
  ({ readonly outcome: "revoked" | "none" } | { readonly outcome: "failed"; readonly reason: string });

export interface RevokeOptions {
  /** Told of each person as soon as the outcome is there. */
  readonly onSettled?: ((revocation: Revocation) => void) | undefined;
  /** Told what no outcome can say: that a write which was sent is missing in the audit. Default: a process warning. */
  readonly warn?: ((text: string) => void) | undefined;
  /** For tests. Default: the time of the machine. */
  readonly clock?: Clock | undefined;
}

/**
 * Revokes the tokens of all of them; one failure stops nobody else.
 * @returns the outcomes in the order of `people`, each person once
 * @throws Error where configuration is wrong or missing: nothing was sent
 */
export async function revokeTokens(
  { config, environment }: Configuration,
  people: readonly TokenHolder[],
  options: RevokeOptions = {},
): Promise<Revocation[]> {
  const { onSettled, warn = (text: string) => process.emitWarning(text), clock = systemClock } = options;
  const settings = readSettings(config, environment);
  const fault = obstacleTo(settings, "organization");
  if (fault !== undefined) throw new Error(`no token was revoked: ${fault}`);
  const client = connect(settings, clock, warn);
  const holders = new Map(people.map((holder) => [`${holder.organizationId}/${holder.userId}`, holder]));
  const revokeNext = async (holder: TokenHolder) => {
    // The time of a holder runs from here on, and not while others are before them.
    const revocation = await revoke(client, settings, holder, clock);
    onSettled?.(revocation);
    return revocation;
  };
  try {
    return await mapConcurrently(holders.values(), settings.concurrency, revokeNext);
  } finally {
    await client.close();
  }
}

async function revoke(
  client: Client,
  settings: Settings,
  { organizationId, userId }: TokenHolder,
  clock: Clock,
): Promise<Revocation> {
  const holder = { organizationId, userId };
  const operation = { deadline: clock.monotonic() + settings.operationTimeoutMs };
  const api = client.organization(organizationId, organizationCredentials(settings, undefined));
  try {
    const deleted = await api.revokeToken(userId, operation);
    return { ...holder, outcome: deleted === "gone" ? "none" : "revoked" };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...holder, outcome: "failed", reason: describeFailure(error) };
  }
}
