/** Which of the listed tokens is the one just issued, or the one whose response was lost. */

import type { ListedToken } from "../../api/schemas/anaconda-schemas.ts";
import { THEN_RUN_AGAIN } from "../../util/text.ts";
import type { CallContext, OrganizationAccess } from "../contexts.ts";
import { AmbiguousCreation } from "../failures.ts";
import { requireList } from "../members/member-list.ts";
import { listTokens } from "../members/reads.ts";
import { revokeById } from "../members/removal.ts";
import { describeTokens, expiringAt, liveTokens, without } from "../members/token-list.ts";
import { growingPauses, LAGGING } from "../pauses.ts";
import { type DeclaredDates, hasWantedExpiry } from "./dates.ts";

/** Whose token it is, and its dates. */
export interface Owner extends OrganizationAccess, DeclaredDates {
  readonly userId: string;
  /** The end that was requested. */
  readonly validUntil?: string;
}

/** An issued token. */
interface FoundToken {
  /** Null if the list cannot tell. */
  readonly tokenId: string | null;
  /** Null if no response has it. */
  readonly expiresAt: string | null;
  /** The user's tokens after it was issued; undefined if they cannot be read. */
  readonly listed?: readonly ListedToken[];
}

/**
 * Revokes the token whose value was lost, if it exists.
 * @param since tokens that may be it
 * @returns whether it existed
 * @throws Error if it may be one of several, also a revoked one, or expires at another date: then it revokes none of them
 */
export async function revokeLost(
  news: Owner,
  since: readonly ListedToken[],
  when: string,
  context: CallContext,
): Promise<boolean> {
  const live = liveTokens(since);
  const fitting = live.filter(hasWantedExpiry(news, context.now));
  const who = context.people.nameOf(news.userId);
  const [lost] = fitting;
  if (live.length > 0 && (lost === undefined || fitting.length > 1 || live.length < since.length)) {
    throw new AmbiguousCreation(
      `cannot tell which token of ${who} is the one whose response was lost (${when}): ${describeTokens(live)}. orgseat revoked none of them. Revoke the unused one in the service, or adopt a token with \`adopt: "<token id>"\`, ${THEN_RUN_AGAIN}`,
    );
  }
  if (lost === undefined) return false;
  await revokeById(lost.id, news, context);
  context.diagnostics.warn(
    `token of ${who}: the response to the create request was lost (${when}). The issued token (id ${lost.id}, value lost) was revoked; orgseat issues it again.`,
  );
  return true;
}

/**
 * Finds the id of a token just issued, which may be revoked already: a service can end it when a person issues one. A value must
 * not be lost, so this never fails.
 */
export async function identify(
  news: Owner,
  expiresAt: string | null,
  before: readonly string[],
  context: CallContext,
): Promise<FoundToken> {
  const pause = growingPauses(context, LAGGING);
  try {
    const read = async () => requireList(await listTokens(news, context));
    let listed = await read();
    while (without(listed, before).length === 0 && (await pause())) listed = await read();
    const since = without(listed, before);
    const fitting =
      since.length === 1
        ? since
        : since.filter(expiresAt === null ? hasWantedExpiry(news, context.now) : expiringAt(expiresAt));
    const [own] = fitting;
    return own === undefined || fitting.length > 1
      ? { tokenId: null, expiresAt, listed }
      : { tokenId: own.id, expiresAt: own.expires_at ?? expiresAt, listed };
  } catch {
    return { tokenId: null, expiresAt };
  }
}
