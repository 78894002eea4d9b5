/**
 * Issues, adopts, finds and renews tokens where the service lists them: each token has an id. Only the own token of a
 * resource is ever revoked; where the lists do not tell which one that is, an error names the candidates.
 */

import { ApiError } from "../../api/calls/errors.ts";
import type { Deleted } from "../../api/calls/organization.ts";
import type { ListedToken } from "../../api/schemas/anaconda-schemas.ts";
import { isLater } from "../../util/instants.ts";
import { type Creation, createOnce } from "../create-once.ts";
import { AmbiguousCreation, isRefused, withNextStep } from "../failures.ts";
import { missingToken, type OwnToken, type Resolved, resolveOwn } from "../members/absence.ts";
import { listTokens } from "../members/reads.ts";
import { describeTokens, expiringAt, liveTokens, without } from "../members/token-list.ts";
import type { CallContext, OrganizationAccess } from "../resource.ts";
import { type DeclaredDates, type DueRenewal, hasWantedExpiry, isExpected } from "./dates.ts";
import { explainIssue } from "./documented.ts";
import { accessOf, type UserTokenOutputs } from "./schema.ts";

interface NewToken extends OrganizationAccess, DeclaredDates {
  readonly userId: string;
  readonly sendEmail?: boolean | undefined;
  readonly adopt?: boolean | string | undefined;
  readonly rotateEvery?: string | undefined;
}

/** An issued or adopted token. Without a `tokenId`, its id is none of `otherTokenIds`. */
export interface FoundToken {
  readonly tokenId: string | null;
  readonly otherTokenIds?: readonly string[] | undefined;
  /** Null where no response has it. */
  readonly expiresAt: string | null;
}

type NewValue = FoundToken & { readonly value: string };

/**
 * Issues a token and learns its id from the lists before and after.
 * @param expiresAt the date to request, without the tolerance
 * @throws LostToken where it may have been issued and the lists cannot be read
 */
export async function issueListed(
  news: NewToken,
  expiresAt: string,
  context: CallContext,
): Promise<NewValue> {
  const before = await listTokens(news, context);
  refuseUndecided(before, news, context);
  const ids = before.map(({ id }) => id);
  const { userId, sendEmail, expirationToleranceMonths: toleranceMonths } = news;
  const creation: Creation<NewValue> = {
    async send() {
      const options = { sendEmail, toleranceMonths };
      const issued = await context.api(news).issueToken(userId, expiresAt, context.operation, options);
      return { ...(await identify(news, issued.expires_at ?? null, ids, context)), value: issued.token };
    },
    async decide(failure) {
      throw explainIssue(failure, context.people.nameOf(userId), "");
    },
    // Its value is lost: it is revoked, and issued again.
    async look(lost) {
      await undoLost(lost, news, ids, context);
      return undefined;
    },
    giveUp: (lost, attempts) =>
      withNextStep(lost, `${attempts} attempts failed, and none left a token behind.`),
  };
  return createOnce(creation, context);
}

/**
 * An ended run may have issued a token whose value is lost, and nothing tells it from one that somebody else issued. A
 * token that this run replaces was in the state, so an issued one would have been too.
 */
function refuseUndecided(listed: readonly ListedToken[], news: NewToken, context: CallContext): void {
  if (context.reissued.has(news.userId)) return;
  const unowned = liveTokens(listed).filter(hasWantedExpiry(news));
  if (unowned.length === 0) return;
  const error = new ApiError({
    code: "blocked",
    call: "issue token",
    method: "POST",
    path: `/organizations/${news.organizationId}/users/${news.userId}/token`,
    reason: `not sent: ${context.people.nameOf(news.userId)} has ${describeTokens(unowned)}, which the state does not contain. An interrupted run or a person may have issued it`,
  });
  throw withNextStep(
    error,
    `To issue a token, revoke the unused one in the service. To manage the existing one instead, set \`adopt: "${unowned[0]?.id}"\` on this UserToken. Then run \`pulumi up\` again.`,
    "token-undecided",
  );
}

/** The response of a creation is lost, and no list tells whether there is a token. */
export class LostToken extends Error {
  /** The ids of the tokens from before. */
  readonly before: readonly string[];

  constructor(before: readonly string[], cause: Error) {
    super(cause.message, { cause });
    this.before = before;
  }
}

/** Revokes the token of a lost response. @throws the error, where nothing is to be sent again */
async function undoLost(
  error: ApiError,
  news: NewToken,
  before: readonly string[],
  context: CallContext,
): Promise<void> {
  let after: readonly ListedToken[];
  try {
    after = await listTokens(news, context);
  } catch {
    const who = context.people.nameOf(news.userId);
    const step = `A token of ${who} may have been issued, and its value is lost. Run \`pulumi up\` again: it revokes that token and issues a new one.`;
    throw new LostToken(before, withNextStep(error, step));
  }
  await revokeLost(news, without(after, before), "in this run", context);
}

/** Revokes the token of a creation whose response an earlier run lost, if there is one. */
export async function revokeEarlier(outs: UserTokenOutputs, context: CallContext): Promise<Deleted> {
  const access = accessOf(outs);
  const since = without(await listTokens(access, context), outs.otherTokenIds ?? []);
  return (await revokeLost(access, since, "in an earlier run", context)) ? "deleted" : "gone";
}

/**
 * Revokes the token whose value was lost, if it exists.
 * @param since tokens that may be it
 * @returns whether it existed
 * @throws Error where it may be one of several, or one that expires at another date: then it revokes none of them
 */
async function revokeLost(
  news: NewToken,
  since: readonly ListedToken[],
  when: string,
  context: CallContext,
): Promise<boolean> {
  const live = liveTokens(since);
  const fitting = live.filter(hasWantedExpiry(news));
  const who = context.people.nameOf(news.userId);
  const [lost] = fitting;
  if (live.length > 0 && (lost === undefined || fitting.length > 1)) {
    throw new AmbiguousCreation(
      `cannot tell which token of ${who} is the one whose response was lost (${when}): ${describeTokens(live)}. orgseat revoked none of them. Revoke the unused one in the service, or adopt a token with \`adopt: "<token id>"\`; then run \`pulumi up\` again`,
    );
  }
  if (lost === undefined) return false;
  await context.api(news).revokeToken(news.userId, context.operation, lost.id);
  context.warn(
    `token of ${who}: the response of the creation was lost (${when}). The issued token (id ${lost.id}, value lost) was revoked; orgseat issues it again.`,
  );
  return true;
}

/** Finds the id of a token just issued. A value must not be lost, so this never fails. */
async function identify(
  news: NewToken,
  expiresAt: string | null,
  before: readonly string[],
  context: CallContext,
): Promise<FoundToken> {
  const unknown = { tokenId: null, otherTokenIds: before, expiresAt };
  try {
    const since = without(liveTokens(await listTokens(news, context)), before);
    const fitting =
      since.length === 1
        ? since
        : since.filter(expiresAt === null ? hasWantedExpiry(news) : expiringAt(expiresAt));
    const [own] = fitting;
    return own === undefined || fitting.length > 1 ? unknown : { tokenId: own.id, expiresAt: own.expires_at };
  } catch (error) {
    if (error instanceof ApiError) return unknown;
    throw error;
  }
}

/** The existing token to adopt; undefined where the user has none and any would do, or where a new value is due. */
export async function tokenToAdopt(news: NewToken, context: CallContext): Promise<FoundToken | undefined> {
  const all = await listTokens(news, context);
  const live = liveTokens(all);
  const wanted = typeof news.adopt === "string" ? live.filter(({ id }) => id === news.adopt) : live;
  const who = context.people.nameOf(news.userId);
  const [token] = wanted;
  if (wanted.length > 1) {
    throw new Error(
      `cannot adopt the token of ${who}: this user has several tokens: ${describeTokens(live)}. Set \`adopt\` to the id of one of them`,
    );
  }
  if (token !== undefined) return { tokenId: token.id, expiresAt: token.expires_at };
  if (typeof news.adopt !== "string") return undefined;
  // A run that rotated it was killed before it issued the new one.
  const isRevoked = all.some(({ id }) => id === news.adopt);
  if (isRevoked && news.rotateEvery !== undefined) return undefined;
  const found = live.length === 0 ? "no token" : describeTokens(live);
  throw new Error(
    `cannot adopt token ${news.adopt} of ${who}: this user has ${found}. Correct or remove \`adopt\``,
  );
}

/**
 * The own token of a resource in the state.
 * @throws Error where it may be one of several, or where the list contradicts the state
 */
export async function findOwn(
  outs: OwnToken & OrganizationAccess & { readonly userId: string },
  context: CallContext,
): Promise<Extract<Resolved, { readonly token: unknown } | { readonly gone: unknown }>> {
  const resolved = resolveOwn(await listTokens(outs, context), outs);
  const who = context.people.nameOf(outs.userId);
  if ("missing" in resolved) throw new Error(missingToken(who));
  if (!("candidates" in resolved)) return resolved;
  throw new Error(
    `cannot tell which token of ${who} is the one in the state: ${describeTokens(resolved.candidates)}. Set \`adopt: "<token id>"\` on this UserToken and run \`pulumi up\`, or revoke the others in the service`,
  );
}

/**
 * Renews the own token and reads its expiry back.
 * @returns its expiry
 * @throws NotRenewed where the expiry is not the due one
 */
export async function renewListed(
  news: NewToken,
  tokenId: string,
  { until, expiresAt }: DueRenewal,
  context: CallContext,
): Promise<string> {
  const { userId, expirationToleranceMonths: toleranceMonths = 0 } = news;
  const who = context.people.nameOf(userId);
  try {
    await context.api(news).renewToken(userId, context.operation, { expiresAt, toleranceMonths });
  } catch (error) {
    if (!isRefused(error, 404) && !isRefused(error, 422)) throw error;
    throw withNextStep(
      error,
      `If token ${tokenId} of ${who} no longer exists, \`pulumi refresh\` finds out, and the next \`pulumi up\` issues a new one.`,
      "token-gone",
    );
  }
  const live = liveTokens(await listTokens(news, context));
  const own = live.find(({ id }) => id === tokenId);
  // To the end of the subscription, which the service may know to be later.
  const mayBeLater = expiresAt === undefined;
  const isRenewed = (at: string) => isExpected(at, until, news) || (mayBeLater && isLater(at, until));
  if (own && isRenewed(own.expires_at)) return own.expires_at;
  const others = without(live, [tokenId]).filter(({ expires_at }) => isExpected(expires_at, until, news));
  const instead =
    others.length === 0
      ? ""
      : ` Instead, ${describeTokens(others)} of this user may have moved: the service renews the newest token of a user.`;
  const now = own ? `expires at ${own.expires_at}` : "no longer exists";
  throw new NotRenewed(`token ${tokenId} ${now}, not at ${until}.${instead}`, own?.expires_at);
}

/** The service accepted a renewal that did not move the expiry as requested. */
export class NotRenewed extends Error {
  /** The expiry of the own token; undefined where it no longer exists. */
  readonly expiresAt: string | undefined;

  constructor(reason: string, expiresAt: string | undefined) {
    super(reason);
    this.name = "NotRenewed";
    this.expiresAt = expiresAt;
  }
}
