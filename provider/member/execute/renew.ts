/** Renews a token, and reads its end back where tokens are listed. The value stays, unless the response has another one. */
import type { ListedToken } from "../../api/schemas/anaconda-schemas.ts";
import { WithoutEffect } from "../../resources/failures.ts";
import { listTokens } from "../../resources/members/reads.ts";
import { expiringAt, liveTokens } from "../../resources/members/token-list.ts";
import { growingPauses, LAGGING } from "../../resources/pauses.ts";
import { known, unknown } from "../../resources/unknown.ts";
import { isExpected } from "../../resources/user-token/dates.ts";
import { type Kept, lacksSeal, prepareKeeping } from "../../resources/user-token/sealing.ts";
import { InternalError } from "../../util/error-codes.ts";
import { isLater } from "../../util/instants.ts";
import { type Agreed, endOf, type HeldToken, type HeldUser } from "../held.ts";
import type { Step, Target } from "../step.ts";
import { failureOf } from "./failures.ts";
import { nameOf, ownerOf, type Sender, type Sent, stateOf, warnIfLimited } from "./sender.ts";

export async function renewToken(
  step: Step,
  user: HeldUser,
  token: HeldToken,
  sender: Sender,
): Promise<Sent> {
  const { access, context } = sender;
  const { expiresAt, until, agrees } = step.target ?? {};
  if (until === undefined) throw new InternalError("a renewal without an end");
  try {
    const options = { expiresAt, toleranceMonths: agrees?.tolerance ?? 0 };
    const answer = await context.service.api(access).renewToken(user.id, context.time.operation, options);
    const kept = answer.token ? await keptOf(answer.token, user, sender) : undefined;
    const end = await endAfter(step, user, token, answer.expires_at ?? undefined, sender);
    return renewed(step, { user, token, end, kept }, sender);
  } catch (error) {
    return failureOf(error, "renew token", sender, user.id);
  }
}

interface Renewed {
  readonly user: HeldUser;
  readonly token: HeldToken;
  /** Null: the list has no such token. Undefined: the service does not report it, which counts as done. */
  readonly end: string | null | undefined;
  readonly kept: Kept | undefined;
}

function renewed({ target = {} }: Step, { user, token, end, kept }: Renewed, sender: Sender): Sent {
  const at = sender.context.time.sendTime();
  const { until = "" } = target;
  // A new value can have a new id.
  const isFound = end !== null || kept !== undefined;
  const found = end ?? undefined;
  const wasLimited = isLimited(token, target);
  if (isFound && (found === undefined || wasLimited || isMoved(endOf(token), found, target))) {
    const value = kept && stateOf(kept);
    if (!wasLimited) warnIfLimited("now expires", { end: found, target, userId: user.id }, sender);
    return { outcome: { is: "ok", end: found, ...(value && { value }), at }, kept };
  }
  const now = isFound ? `expires at ${found}` : "is not on the list of the user's tokens";
  const error = new WithoutEffect(
    "token-date",
    `cannot renew the token of ${nameOf(sender, user.id)}: the service accepted the renewal, but the token ${now}, not at ${until}. The subscription is probably not renewed in the service yet: renew it there, or correct the declared date. To issue a new value instead, change \`rotation\`.${kept === undefined ? " The value is unchanged." : ""}`,
  );
  return { outcome: { is: "noEffect", end: found, at }, error, kept };
}

/** Whether the service answered the same request before with an earlier end: a date need not be reached. A period is meant to move. */
function isLimited({ asked }: HeldToken, { request, isPeriod }: Target): boolean {
  return asked !== undefined && asked.what === request && isPeriod !== true;
}

/** Whether the end moved as requested, or at least in part. */
function isMoved(before: string, end: string, { until = "", agrees = {} }: Target): boolean {
  if (isLater(until, before)) return isLater(end, before);
  return !isLater(end, until) || isExpected(end, until, datesIn(agrees));
}

function datesIn({ expiresAt, subscriptionExpiresAt, tolerance }: Agreed) {
  return { expiresAt, subscriptionExpiresAt, expirationToleranceMonths: tolerance };
}

/**
 * The end that the list shows, once it shows an effect: it can do so later.
 * @param answered what counts without a list
 */
async function endAfter(
  { target = {} }: Step,
  user: HeldUser,
  token: HeldToken,
  answered: string | undefined,
  sender: Sender,
): Promise<string | null | undefined> {
  const { context } = sender;
  const before = endOf(token);
  const isUnmoved = (listed: readonly ListedToken[]) =>
    listed.filter(expiringAt(before)).some(({ id }) => id === token.id) && !isMoved(before, before, target);
  const read = () => listTokens(ownerOf(sender, user), context);
  const listed = await read();
  if (listed === undefined) return answered;
  const pause = growingPauses(context, LAGGING);
  let live = liveTokens(listed);
  while (isUnmoved(live) && !context.run.notes.has(NO_EFFECT) && (await pause()))
    live = liveTokens((await read()) ?? []);
  // The subscription is probably not renewed yet, which concerns all tokens: one that has waited is enough.
  if (isUnmoved(live)) context.run.notes.add(NO_EFFECT);
  const own = live.find(({ id }) => id === token.id);
  return own === undefined ? null : own.expires_at;
}

const NO_EFFECT = "a renewal had no effect";

/** A value in the response replaces the one of the state, with a warning. @returns undefined if it is the same one */
async function keptOf(value: string, user: HeldUser, sender: Sender): Promise<Kept | undefined> {
  const { access, context, wanted } = sender;
  if (value === access.token) return undefined;
  const token = wanted.leaving || wanted.token === unknown ? undefined : wanted.token;
  const keeping = { recipients: known(token?.recipients), keepValue: known(token?.keepValue) };
  const isKept = keeping.keepValue !== false && !lacksSeal(keeping, context);
  const kept = isKept ? await (await prepareKeeping({ ...keeping, userId: user.id }, context))(value) : {};
  const answer = access.token ? "another value" : "a value, which can be another one than before";
  const step = isKept
    ? "The state contains it: pass it on to whoever uses the token"
    : "The state keeps no value: change `rotation` for one that you can pass on";
  context.diagnostics.warn(
    `token of ${nameOf(sender, user.id)}: the service answered the renewal with ${answer}. ${step}.`,
  );
  return kept;
}
