/**
 * UserToken: the access token of a user's seat (issue, renew and revoke token). Id: the user id. A renewal is an update and
 * keeps the value; a changed user, rotation, organization, or list of recipients, an earlier `expiresAt`, or a due `rotateEvery`
 * replaces it, deleting the old one first, because a user may have only one token. Removal revokes it.
 */

import type { Deleted } from "../api/calls/organization.ts";
import { changedKeys, completeOrganization, organizationOf, requireLists } from "../resources/changes.ts";
import { findMember } from "../resources/members/reads.ts";
import { refuseAdminRemoval } from "../resources/members/user-facts.ts";
import { isOwnedByAnother, newInstance, personKey, refuseContested } from "../resources/ownership.ts";
import {
  type CallContext,
  PartiallyCreated,
  type PlanContext,
  type ResourceDefinition,
} from "../resources/resource.ts";
import { issuedAtOf } from "../resources/rotation-schedule.ts";
import type { Knowable } from "../resources/unknown.ts";
import {
  causeOf,
  causeOfUpdate,
  identity,
  isIssuedByTime,
  isRevokedFirst,
  isUpdatedByTime,
  lacksId,
  noteRule,
  reissueOf,
  replacesOf,
} from "../resources/user-token/cause.ts";
import { type DueRenewal, declaredDate } from "../resources/user-token/dates.ts";
import {
  cannotAdopt,
  checkCapabilities,
  checkDates,
  checkKeeping,
  expiredIssue,
  explain,
  explainPrevious,
  nameIn,
  noDate,
  noReplacement,
  nothingToAdopt,
  refusalIn,
} from "../resources/user-token/messages.ts";
import { adoptsToken, removableTokens, tokenOperations } from "../resources/user-token/operations.ts";
import type { NewValue } from "../resources/user-token/schema.ts";
import {
  accessOf,
  expiryOf,
  inputs,
  outputs,
  outsOf,
  ownedId,
  type UserTokenInputs,
  type UserTokenOutputs,
} from "../resources/user-token/schema.ts";
import { prepareKeeping } from "../resources/user-token/sealing.ts";
import { CodedError } from "../util/error-codes.ts";
import { issueUnlisted, renewUnlisted, revokeUnlisted, unchanged } from "./basic.ts";
import { claimTokens, created, isKeptBySuccessor, keptBeside } from "./created.ts";
import { readListed, renewListed, resolveListed, revokeEach, revokeListed, tokenToAdopt } from "./listed.ts";
import { issueListed, revokeEarlier, stillValid } from "./listed-issue.ts";
import { requireTime, requireTimeToRotate, requireTimeToUpdate } from "./time.ts";

/** Without `subscriptionExpiresAt`: it matters only for the renewals that it causes. */
const settings = [
  "expiresAt",
  "renewBefore",
  "rotateEvery",
  "replaceExisting",
  "adopt",
  "expirationToleranceMonths",
  "sendEmail",
  "allowAdminRemoval",
  "keepValue",
  "keepPreviousFor",
  "accessEnd",
  "credentials",
] as const;

export const userTokenDefinition: ResourceDefinition<UserTokenInputs, UserTokenOutputs> = {
  name: "UserToken",
  area: "organization",
  inputs,
  outputs,
  // Someone may paste a private key.
  secretInputs: ["recipients"],
  secretOutputs: ["value"],
  stableOutputs: ["value", "sealedValue"],
  identity,

  complete(news, context) {
    const completed = completeOrganization(news, context);
    const declared = context.defaults.subscriptionExpiresAt;
    if (completed.subscriptionExpiresAt !== undefined || declared === undefined) return completed;
    return { ...completed, subscriptionExpiresAt: declared };
  },

  check(news, olds, context) {
    const failures = [
      ...checkDates(news),
      ...checkCapabilities(news, context),
      ...checkKeeping(news, context),
    ];
    if (context.can.revokesByTokenId && olds === undefined && news.replaceExisting === true)
      context.infoLimited(noReplacement, noReplacement);
    const issue = olds === undefined ? expiredIssue(news, context) : undefined;
    if (issue !== undefined) context.warn(`cannot issue a token for ${nameIn(news, context)}: ${issue}`);
    return failures;
  },

  diff(id, olds, news, context) {
    const mayRotate = () => context.mayReplaceNow("UserToken", id, news);
    const cause = causeOf(olds, news, {
      now: context.now,
      canSetExpiry: context.can.canSetExpiry,
      mayRotate,
    });
    explain(cause, olds, news, context);
    noteRule(cause, olds, context);
    const deleteBeforeReplace = isRevokedFirst(olds, cause, context);
    if (cause.kind !== "replaced" || !deleteBeforeReplace) claimTokens(context, id, olds);
    const reissue = reissueOf(cause, olds, news, context);
    if (reissue !== undefined) context.reissued.set(personKey(olds), reissue);
    const due = removableTokens(id, olds.previous ?? [], context);
    explainPrevious(due, id, context);
    const changes = cause.kind !== "kept" || due.length > 0 || isChanged(olds, news, context);
    return { changes, replaces: replacesOf(cause), deleteBeforeReplace };
  },

  operations: tokenOperations,

  async checkSuccessor(news, context) {
    dateToRequest(news, context);
    if (isIssuedByTime(news, context)) await requireTime(news, context);
    await prepareKeeping(news, context);
  },

  async create(news, context) {
    refuseContested(context, news);
    const who = context.people.nameOf(news.userId);
    const planned = context.plannedWrites();
    const isReissued = context.reissued.has(personKey(news)) || planned?.includes("issue token");
    if (adoptsToken(news) && !isReissued) {
      const adopted = await tokenToAdopt(news, context);
      if (adopted) return created(news, adopted, context);
      if (planned !== undefined && !context.adoptOnly)
        throw new CodedError("cannot-adopt", nothingToAdopt(who));
    }
    if (context.adoptOnly) throw new CodedError("cannot-adopt", cannotAdopt(who, context));
    const expiresAt = dateToRequest(news, context);
    if (isIssuedByTime(news, context)) await requireTime(news, context);
    const keep = await prepareKeeping(news, context);
    // The removal of the old token comes later, and must not fail then.
    const { userId, organizationId } = news;
    const { isRoutine = true } = context.reissued.get(personKey(news)) ?? {};
    const kept = keptBeside(news, context);
    if (context.can.revokesByTokenId && !isRoutine && kept.length === 0)
      await context.checkRemovalLimit({ type: "UserToken", userId, organizationId, isReplaced: true });
    const { value, ...issued } = await strategyOf(context).issue(news, expiresAt, context);
    const sealed = await keep(value);
    const previous = await stillValid(kept, news, context);
    return created(news, { ...issued, kept: sealed, previous }, context);
  },

  async find(id, given, context) {
    const what = `the token of user ${id}`;
    requireLists(
      context,
      what,
      "The value of an existing token cannot be read: declare a UserToken with `replaceExisting: true`, which revokes it and issues a new one",
    );
    const organizationId = organizationOf(given, context, what);
    const { subscriptionExpiresAt = context.defaults.subscriptionExpiresAt } = given;
    const access = { ...given, userId: id, organizationId };
    if ((await findMember(access, context)) === undefined) return undefined;
    const found = await tokenToAdopt({ adopt: true, ...access }, context);
    if (found === undefined) return undefined;
    const { tokenId, expiresAt } = found;
    const isDeclared =
      given.expiresAt !== undefined || expiresAt === null || expiresAt === subscriptionExpiresAt;
    const dates = isDeclared ? { subscriptionExpiresAt } : { subscriptionExpiresAt, expiresAt };
    const expiry = expiryOf(expiresAt, subscriptionExpiresAt ?? "");
    return outsOf(
      { ...dates, ...access },
      { tokenId, issuedAt: context.sendTime(), instance: newInstance() },
      expiry,
    );
  },

  read: (_id, outs, context) => strategyOf(context).read(outs, context),

  async update(id, olds, news, context) {
    const cause = causeOfUpdate(olds, news, context.now);
    const refusal = refusalIn(cause, context.people.nameOf(id), news);
    if (refusal !== undefined) throw new CodedError("token-date", refusal);
    const due = removableTokens(id, olds.previous ?? [], context);
    const ids = due.map(({ tokenId }) => tokenId);
    if (isUpdatedByTime(cause, ids, olds, news)) await requireTimeToUpdate(cause, ids, olds, news, context);
    const strategy = strategyOf(context);
    const found = await strategy.resolve(olds, news, context);
    const revoked =
      ids.length === 0 ? undefined : await revokeEach(ids, { ...accessOf(olds), ...news }, context);
    const previous = olds.previous?.filter(({ tokenId }) => !revoked?.answers.has(tokenId));
    const own = { ...found, previous, issuedAt: issuedAtOf(olds, news, context.now) };
    const outs =
      cause.kind === "renewal" ? await strategy.renew(own, news, cause.due, context) : outsOf(news, own, own);
    if (revoked?.failure !== undefined) throw new PartiallyCreated(id, outs, revoked.failure);
    return outs;
  },

  async delete(id, outs, context) {
    if (isKeptBySuccessor(context, outs)) return "kept";
    if (isOwnedByAnother(context, "UserToken", ownedId(id, outs), outs, id)) return "kept";
    const access = accessOf(outs);
    await requireTimeToRotate(access, context);
    if (context.removesUser(outs)) await refuseAdminRemoval(access, context);
    // A rule that was in force before rotates a few people a day.
    if (context.reissued.get(personKey(outs))?.isRoutine !== true)
      await context.checkRemovalLimit({ type: "UserToken", userId: id, organizationId: outs.organizationId });
    // A creation in this run then replaces it.
    if (!context.reissued.has(personKey(outs))) context.reissued.set(personKey(outs), { isRoutine: false });
    // The command has revoked it: a second request could only get an error.
    if (context.plannedWrites()?.includes("revoke token") === false) return "gone";
    if (outs.isLost && lacksId(outs)) return revokeEarlier(outs, context);
    return strategyOf(context).revoke(outs, context);
  },
};

/** The expiry of a new token, without the tolerance. @throws Error if there is none, or if it has passed */
function dateToRequest(news: UserTokenInputs, context: PlanContext): string {
  const expiresAt = declaredDate(news, context.now);
  const issue = expiresAt === undefined ? noDate : expiredIssue(news, context);
  if (expiresAt !== undefined && issue === undefined) return expiresAt;
  throw new CodedError(
    "token-date",
    `cannot issue a token for ${context.people.nameOf(news.userId)}: ${issue}`,
  );
}

/** Whether an update of the state is due. */
function isChanged(olds: UserTokenOutputs, news: Knowable<UserTokenInputs>, context: PlanContext): boolean {
  if (changedKeys(olds, news, settings).length > 0 || strategyOf(context).isUnresolved(olds)) return true;
  return issuedAtOf(olds, news, context.now) !== olds.issuedAt;
}

/** What differs if the service lists tokens: chosen once, by the capabilities of the platform. */
interface Strategy {
  /** @param expiresAt the date to request, without the tolerance */
  issue(news: UserTokenInputs, expiresAt: string, context: CallContext): Promise<NewValue>;
  /** Whether the state lacks what the service reports about the token. */
  isUnresolved(olds: UserTokenOutputs): boolean;
  /** The outputs with what the service reports. @throws Error if it does not report which token it is */
  resolve(olds: UserTokenOutputs, news: UserTokenInputs, context: CallContext): Promise<UserTokenOutputs>;
  /** The outputs after it. @param olds resolved @throws PartiallyCreated if the token does not expire as requested */
  renew(
    olds: UserTokenOutputs,
    news: UserTokenInputs,
    due: DueRenewal,
    context: CallContext,
  ): Promise<UserTokenOutputs>;
  /** The current outputs; undefined if the service confirms that the token is gone. */
  read(outs: UserTokenOutputs, context: CallContext): Promise<UserTokenOutputs | undefined>;
  revoke(outs: UserTokenOutputs, context: CallContext): Promise<Deleted>;
}

const listed: Strategy = {
  issue: issueListed,
  isUnresolved: lacksId,
  resolve: resolveListed,
  renew: renewListed,
  read: readListed,
  revoke: revokeListed,
};

const basic: Strategy = {
  issue: issueUnlisted,
  isUnresolved: () => false,
  resolve: unchanged,
  renew: renewUnlisted,
  read: unchanged,
  revoke: revokeUnlisted,
};

function strategyOf({ can }: Pick<PlanContext, "can">): Strategy {
  return can.canListTokens ? listed : basic;
}
