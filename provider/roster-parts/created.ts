/** What the state gets of a token that was issued or adopted. */

import { claimObject, newInstance, personKey } from "../resources/ownership.ts";
import {
  type CallContext,
  PartiallyCreated,
  type PlanContext,
  type PreviousToken,
} from "../resources/resource.ts";
import { keptUntil } from "../resources/rotation-schedule.ts";
import { requestOf, wantedExpiry } from "../resources/user-token/dates.ts";
import { EXPIRES_KEY, noDate, SUBSCRIPTION_KEY } from "../resources/user-token/messages.ts";
import {
  answeredExpiry,
  expiryOf,
  type FoundToken,
  outsOf,
  ownedId,
  type UserTokenInputs,
  type UserTokenOutputs,
} from "../resources/user-token/schema.ts";
import { type Kept, lacksSeal, prepareKeeping } from "../resources/user-token/sealing.ts";
import { CodedError } from "../util/error-codes.ts";
import { isLater } from "../util/instants.ts";

/**
 * The outputs after a renewal that answered a value: the valid one, even if it is another one than the service gave before.
 */
export async function withAnsweredValue(
  olds: UserTokenOutputs,
  value: string,
  news: UserTokenInputs,
  context: CallContext,
): Promise<UserTokenOutputs> {
  if (value === olds.value) return olds;
  const isKept = news.keepValue !== false && !lacksSeal(news, context);
  const kept = isKept ? await (await prepareKeeping(news, context))(value) : {};
  const answer = olds.value ? "another value" : "a value, which can be another one than before";
  const step = isKept
    ? "The state contains it: pass it on to whoever uses the token"
    : "The state keeps no value: change `rotation` for one that you can pass on";
  context.warn(
    `token of ${context.people.nameOf(olds.userId)}: the service answered the renewal with ${answer}. ${step}.`,
  );
  return { ...olds, value: undefined, sealedValue: undefined, ...kept };
}

interface IssuedToken extends FoundToken {
  /** Undefined of an adopted token: the service does not report its value again. */
  readonly kept?: Kept | undefined;
  /** The tokens that it replaced and that stay valid for a while. */
  readonly previous?: readonly PreviousToken[] | undefined;
}

/** The tokens that a new one keeps, the newest first. Only for the one that it replaces does the time begin now. */
export function keptBeside(news: UserTokenInputs, context: CallContext): readonly PreviousToken[] {
  const { replaced, kept = [] } = context.reissued.get(personKey(news)) ?? {};
  const { keepPreviousFor } = news;
  if (replaced === undefined || keepPreviousFor === undefined) return kept;
  return [{ tokenId: replaced, removeAfter: keptUntil(keepPreviousFor, context.sendTime()) }, ...kept];
}

/** Records that the resource owns its token and the previous ones. */
export function claimTokens(context: PlanContext, id: string, outs: UserTokenOutputs): void {
  const { organizationId, previous = [] } = outs;
  claimObject(context, "UserToken", ownedId(id, outs), outs);
  for (const { tokenId } of previous) {
    claimObject(context, "UserToken", tokenId, outs);
    context.notes.add(keptKey(organizationId, tokenId));
  }
}

/** Whether the successor of a token keeps it: Pulumi deletes the old resource at the end of the rotation, or a later run does. */
export function isKeptBySuccessor(
  { notes }: PlanContext,
  { organizationId, tokenId }: UserTokenOutputs,
): boolean {
  return typeof tokenId === "string" && notes.has(keptKey(organizationId, tokenId));
}

function keptKey(organizationId: string, tokenId: string): string {
  return `kept token ${organizationId}/${tokenId}`;
}

/** @throws PartiallyCreated if the id of the token is not known: the state keeps its value */
export function created(
  news: UserTokenInputs,
  { expiresAt, otherTokenIds, kept, previous = [], tokenId }: IssuedToken,
  context: CallContext,
): { id: string; outs: UserTokenOutputs } {
  const { userId } = news;
  const who = context.people.nameOf(userId);
  const wanted = wantedExpiry(news, context.now) ?? expiresAt;
  if (wanted === null) throw new CodedError("token-date", `cannot issue a token for ${who}: ${noDate}`);
  const answered = expiryOf(expiresAt, wanted);
  // An adopted token has no answer to a wish yet.
  const expiry = kept === undefined ? answered : answeredExpiry(answered, news, wanted, context.sendTime());
  if (kept !== undefined && isLater(wanted, expiry.validUntil)) {
    context.warn(
      `token of ${who} expires at ${expiry.validUntil}, not at ${wanted} as requested: the service limits it, or the subscription ends then. orgseat requests ${requestOf(news, wanted)} again when half of that time has passed. To request it earlier, correct ${SUBSCRIPTION_KEY} or ${EXPIRES_KEY}.`,
    );
  }
  const others = otherTokenIds && { otherTokenIds: [...otherTokenIds] };
  const age = { issuedAt: context.sendTime(), instance: newInstance() };
  const outs = outsOf(news, { ...kept, tokenId, ...others, previous: [...previous], ...age }, expiry);
  claimTokens(context, userId, outs);
  if (tokenId !== null) return { id: userId, outs };
  throw new PartiallyCreated(
    userId,
    outs,
    new CodedError(
      "incomplete-list",
      `the token of ${who} was issued, but the service's lists do not contain its id. The state contains its value. Run \`pulumi up\` again, which looks for the id.`,
    ),
  );
}
