/**
 * Issues a token. A value that a lost response had is repaired at once where that cannot make a second token: it is revoked
 * and issued again.
 */
import { type ApiError, isUnfinished } from "../../api/calls/errors.ts";
import type { ListedToken } from "../../api/schemas/anaconda-schemas.ts";
import { type Creation, createOnce } from "../../resources/create-once.ts";
import { AmbiguousCreation, isRefused, mayHaveSucceeded } from "../../resources/failures.ts";
import { listTokens } from "../../resources/members/reads.ts";
import { describeTokens, endedIn, liveTokens, without } from "../../resources/members/token-list.ts";
import { onceKnown } from "../../resources/members/written.ts";
import { identify, type Owner, revokeLost } from "../../resources/user-token/issued.ts";
import { InternalError } from "../../util/error-codes.ts";
import type { HeldUser } from "../held.ts";
import { NEW_USER, type Step } from "../step.ts";
import { failureOf, Unsettled } from "./failures.ts";
import { outcomeOf } from "./outcome.ts";
import { nameOf, ownerOf, type Sender, type Sent, stateOf, warnIfLimited } from "./sender.ts";

export async function issueToken(step: Step, user: HeldUser, sender: Sender): Promise<Sent> {
  try {
    // No one can have issued a token of a user whom this change has just added.
    const isFirst = step.user === NEW_USER && sender.can.canListTokens;
    const listed = isFirst ? [] : await listTokens(ownerOf(sender, user), sender.context);
    if (listed === undefined) return await issueUnlisted(step, user, sender);
    return await issueListed(step, user, listed, sender);
  } catch (error) {
    return error instanceof Unsettled ? error.sent : failureOf(error, "issue token", sender, user.id);
  }
}

/** Whether the response to a request for these dates is the token of the step. */
function ownerIn({ target = {} }: Step, user: HeldUser, sender: Sender): Owner {
  const { expiresAt, subscriptionExpiresAt, tolerance } = target.agrees ?? {};
  return {
    ...ownerOf(sender, user),
    ...{ expiresAt, subscriptionExpiresAt, expirationToleranceMonths: tolerance },
    ...(target.until !== undefined && { validUntil: target.until }),
  };
}

async function send(step: Step, user: HeldUser, sender: Sender) {
  const { access, context, keep } = sender;
  const { target = {} } = step;
  if (keep === undefined || target.expiresAt === undefined)
    throw new InternalError("the token was not prepared");
  const { expiresAt } = target;
  const options = { sendEmail: step.emails === 1, toleranceMonths: target.agrees?.tolerance };
  const call = () =>
    context.service.api(access).issueToken(user.id, expiresAt, context.time.operation, options);
  const issued = await onceKnown(ownerOf(sender, user), call, context);
  return { end: issued.expires_at ?? undefined, kept: await keep(issued.token) };
}

async function issueListed(
  step: Step,
  user: HeldUser,
  listed: readonly ListedToken[],
  sender: Sender,
): Promise<Sent> {
  const { context } = sender;
  const owner = ownerIn(step, user, sender);
  const before = listed.map(({ id }) => id);
  const creation: Creation<Sent> = {
    async send() {
      const { end, kept } = await send(step, user, sender);
      const found = await identify(owner, end ?? null, before, context);
      const ids = found.tokenId === null ? { others: before } : { id: found.tokenId };
      const { listed: after = listed } = found;
      const ended = endedIn(listed, after).map(({ id }) => id);
      const token = { ...ids, ended, end: found.expiresAt ?? end, value: stateOf(kept) };
      warnAboutOthers({ before: listed, after, news: without(after, before) }, step, user, sender);
      warnIfLimited("expires", { end: token.end, target: step.target, userId: user.id }, sender);
      return { outcome: { is: "ok", token, at: context.time.sendTime() }, kept };
    },
    // Its value is lost: it is revoked, and issued again.
    async look(lost) {
      const isUndone = await undone(lost, owner, before, sender);
      if (!isUndone && isUnfinished(lost)) throw openToken(lost, owner, before, sender);
      return undefined;
    },
    // The lists show that none of them left a token behind.
    giveUp: (lost) => {
      const { at } = outcomeOf("issue token", lost, context.time.sendTime());
      return new Unsettled({ outcome: { is: "refused", isForGood: false, at }, error: lost });
    },
  };
  return createOnce(creation, context.time);
}

/**
 * A service can end a user's other tokens. One that no state has can be of a killed run, or a person issued it: it stays.
 * @param lists of tokens before and after the new one was issued, and what is new since
 */
function warnAboutOthers(
  { before, after, news }: Readonly<Record<"before" | "after" | "news", readonly ListedToken[]>>,
  { target = {} }: Step,
  { id, tokens }: HeldUser,
  sender: Sender,
): void {
  const who = nameOf(sender, id);
  const warn = (what: string, found: readonly ListedToken[], next: string) => {
    if (found.length > 0) sender.context.diagnostics.warn(`${what}: ${describeTokens(found)}. ${next}.`);
  };
  const held = tokens.map((token) => token.id ?? "");
  const ended = endedIn(before, after);
  const isKept = target.keepPreviousFor !== undefined;
  const surprising = without(liveTokens(ended), isKept ? [] : held.slice(0, 1));
  const effect = isKept ? ", so keepPreviousFor (in a roster, `keep_previous`) has no effect" : "";
  const what = `the service ended a token of ${who} when it issued the new one${effect}`;
  warn(what, surprising, "Whoever uses it needs the new value");
  const race = `a token of ${who} ended, because someone issued or revoked one at the same time`;
  const isRevoked = ({ revoked }: ListedToken) => revoked === true;
  warn(race, news.filter(isRevoked), "The new value may not work: a run with --refresh shows it");
  if (tokens.some(({ others }) => others !== undefined)) return;
  const left = without(liveTokens(before), [...held, ...ended.map((token) => token.id)]);
  if (left.length === 0) return;
  sender.context.diagnostics.warn(
    `${who} has ${describeTokens(left)}, which the state doesn't contain: an interrupted run or a person issued it. If no one uses it, revoke it in the service.`,
  );
}

/** @param before gets what is revoked: it is not the next one @returns whether there was a token, which is revoked now */
async function undone(lost: ApiError, owner: Owner, before: string[], sender: Sender): Promise<boolean> {
  try {
    const after = (await listTokens(owner, sender.context)) ?? [];
    const since = without(after, before);
    const isUndone = await revokeLost(owner, since, "in this run", sender.context);
    before.push(...since.map(({ id }) => id));
    return isUndone;
  } catch (error) {
    const { sent } = openToken(lost, owner, before, sender);
    throw new Unsettled({ ...sent, error: error instanceof AmbiguousCreation ? error : sent.error });
  }
}

/** What is held says which tokens were there before, so that the next run finds the lost one. */
function openToken(lost: ApiError, { userId }: Owner, before: readonly string[], sender: Sender): Unsettled {
  const { outcome, ...more } = failureOf(lost, "issue token", sender, userId);
  const isOpen = outcome.is === "lost" || outcome.is === "late";
  return new Unsettled({ ...more, outcome: isOpen ? { ...outcome, before } : outcome });
}

/** A user has one token, and the service refuses a second one. */
async function issueUnlisted(step: Step, user: HeldUser, sender: Sender): Promise<Sent> {
  const { access, context } = sender;
  const issued = async (): Promise<Sent> => {
    const { end, kept } = await send(step, user, sender);
    warnIfLimited("expires", { end, target: step.target, userId: user.id }, sender);
    return { outcome: { is: "ok", token: { end, value: stateOf(kept) }, at: context.time.sendTime() }, kept };
  };
  try {
    return await issued();
  } catch (lost) {
    const isRepairable = step.repair !== undefined && !mayHoldForeign(user, sender);
    if (!mayHaveSucceeded(lost) || !isRepairable) throw lost;
    const revoke = () => context.service.api(access).revokeToken(user.id, context.time.operation);
    return await repaired(lost, revoke, issued, { user, sender });
  }
}

/** Whether a lost answer may have been a 409 about a token that this member never had. */
function mayHoldForeign({ adopted, tokens }: HeldUser, { wanted }: Sender): boolean {
  if (!adopted || tokens.length > 0 || wanted.leaving) return false;
  return typeof wanted.token !== "object" || wanted.token.replaceExisting !== true;
}

interface Repair {
  readonly user: HeldUser;
  readonly sender: Sender;
}

/** @param lost the response that had the value: if the repair fails, what is held still says so */
async function repaired(
  lost: ApiError,
  revoke: () => Promise<unknown>,
  issue: () => Promise<Sent>,
  { user, sender }: Repair,
): Promise<Sent> {
  const { context } = sender;
  const isLost = failureOf(lost, "issue token", sender, user.id);
  try {
    await revoke();
  } catch {
    return isLost;
  }
  context.diagnostics.warn(
    `token of ${nameOf(sender, user.id)}: the response to the create request was lost (in this run). orgseat revoked what it may have issued, and issues it again.`,
  );
  try {
    return await issue();
  } catch (error) {
    // The first request arrived late: its token is there.
    return isRefused(error, 409) ? isLost : failureOf(error, "issue token", sender, user.id);
  }
}
