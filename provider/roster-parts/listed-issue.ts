/**
 * Issues a token if the service lists them: its id comes from the lists before and after. Only the own token of a
 * resource is ever revoked; if the lists do not report which one that is, an error names the candidates.
 */

import { ApiError, isUnfinished } from "../api/calls/errors.ts";
import type { Deleted } from "../api/calls/organization.ts";
import type { ListedToken } from "../api/schemas/anaconda-schemas.ts";
import { type Creation, createOnce } from "../resources/create-once.ts";
import { IF_FORCED, notSent, withNextStep } from "../resources/failures.ts";
import { findMember, listTokens } from "../resources/members/reads.ts";
import { describeTokens, liveTokens, without } from "../resources/members/token-list.ts";
import { onceKnown } from "../resources/members/written.ts";
import { isOwned, newInstance, personKey } from "../resources/ownership.ts";
import { type CallContext, PartiallyCreated, type PreviousToken } from "../resources/resource.ts";
import { mayBeIssuedEarlier, wantedExpiry } from "../resources/user-token/dates.ts";
import { identify, revokeLost } from "../resources/user-token/issued.ts";
import { explainIssue } from "../resources/user-token/messages.ts";
import {
  accessOf,
  expiryOf,
  type NewValue,
  outsOf,
  type UserTokenInputs,
  type UserTokenOutputs,
} from "../resources/user-token/schema.ts";
import { keptBeside } from "./created.ts";
import { previousIds, revokeEach, stillListed } from "./listed.ts";

/**
 * Issues a token and learns its id from the lists before and after.
 * @param expiresAt the date to request, without the tolerance
 * @throws PartiallyCreated if it may have been issued and the lists cannot be read
 */
export async function issueListed(
  news: UserTokenInputs,
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
      const call = () => context.api(news).issueToken(userId, expiresAt, context.operation, options);
      const issued = await onceKnown(news, call, context);
      return { ...(await identify(news, issued.expires_at ?? null, ids, context)), value: issued.token };
    },
    async decide(failure) {
      throw explainIssue(failure, context.people.nameOf(userId), "");
    },
    // Its value is lost: it is revoked, and issued again.
    async look(lost) {
      const undone = { before: ids, declared: expiresAt };
      const after = await listTokens(news, context).catch(() => undefined);
      if (after === undefined) throw lostToken(lost, news, undone, context);
      const since = without(after, ids);
      const isUndone = await revokeLost(news, since, "in this run", context).catch((error: unknown) => {
        throw error instanceof ApiError ? lostToken(error, news, undone, context) : error;
      });
      if (!isUndone && isUnfinished(lost)) throw lostToken(lost, news, undone, context);
      return undefined;
    },
    giveUp: (lost, attempts) =>
      withNextStep(lost, `${attempts} attempts failed, and none left a token behind.`),
  };
  return createOnce(creation, context);
}

/**
 * An ended run may have issued a token whose value is lost, and nothing distinguishes it from one that someone else issued. A
 * replacement does not depend on it: the person has the old token in any case.
 */
function refuseUndecided(listed: readonly ListedToken[], news: UserTokenInputs, context: CallContext): void {
  const { userId, organizationId } = news;
  const unowned = liveTokens(listed)
    .filter(mayBeIssuedEarlier(news, context.now))
    .filter(({ id }) => !isOwned(context, "UserToken", id, organizationId));
  if (unowned.length === 0) return;
  const found = `${context.people.nameOf(userId)} has ${describeTokens(unowned)}, which this run does not know from the state. An interrupted run or a person may have issued it`;
  if (context.reissued.has(personKey(news))) {
    context.warn(`${found}. The new token may end it. If no one uses it, revoke it in the service.`);
    return;
  }
  const error = notSent("issue token", `/organizations/${organizationId}/users/${userId}/token`, found);
  throw withNextStep(
    error,
    `${IF_FORCED} If no one uses the existing token, revoke it in the service. To manage it instead, set \`adopt: "${unowned[0]?.id}"\` on this UserToken. Then run \`pulumi up\` again.`,
    "token-undecided",
  );
}

/** Those of the replaced tokens that the service still lists: some services end them when they issue another one. */
export async function stillValid(
  kept: readonly PreviousToken[],
  news: UserTokenInputs,
  context: CallContext,
): Promise<readonly PreviousToken[]> {
  try {
    const left = await stillListed({ previous: [...kept] }, news, context);
    if (kept[0] !== undefined && !left.includes(kept[0]))
      context.warn(
        `token of ${context.people.nameOf(news.userId)}: the service ended the previous token when it issued the new one, so keepPreviousFor (in a roster, \`keep_previous\`) has no effect. Pass the new value on at once.`,
      );
    return left;
  } catch {
    // The new token is issued: a later update finds out.
    return kept;
  }
}

/** The state keeps which tokens were there before, so that the next run finds the lost one. */
function lostToken(
  error: ApiError,
  news: UserTokenInputs,
  { before, declared }: { readonly before: readonly string[]; readonly declared: string },
  context: CallContext,
): PartiallyCreated {
  const who = context.people.nameOf(news.userId);
  const step = `A token of ${who} may have been issued, and its value is lost. Run \`pulumi up\` again: it revokes that token and issues a new one.`;
  const failure = withNextStep(error, step, "outcome-unknown");
  const previous = [...keptBeside(news, context)];
  const own = { tokenId: null, otherTokenIds: [...before], previous, instance: newInstance() };
  const outs = outsOf(news, own, expiryOf(null, wantedExpiry(news, context.now) ?? declared));
  return new PartiallyCreated(news.userId, { ...outs, isLost: true }, failure);
}

/** Revokes the token of a creation whose response an earlier run lost, if there is one, and what no successor keeps. */
export async function revokeEarlier(outs: UserTokenOutputs, context: CallContext): Promise<Deleted> {
  const answer = await revokeUnknown(outs, context);
  const isKept = context.reissued.get(personKey(outs))?.kept !== undefined;
  const { failure } = await revokeEach(isKept ? [] : previousIds(outs), accessOf(outs), context);
  if (failure !== undefined) throw failure;
  return answer;
}

async function revokeUnknown(outs: UserTokenOutputs, context: CallContext): Promise<Deleted> {
  const access = accessOf(outs);
  // Without the user, there is no list of tokens.
  if ((await findMember(access, context)) === undefined) return "gone";
  const since = without(await listTokens(access, context), outs.otherTokenIds ?? []);
  return (await revokeLost(access, since, "in an earlier run", context)) ? "deleted" : "gone";
}
