/**
 * UserToken: the access token of a user's seat (issue, renew and revoke token). Id: the user id. A renewal is an update and
 * keeps the value; a changed user, rotation, recipient or organization, an earlier `expiresAt`, or a due `rotateEvery`
 * replaces it, deleting the old one first, because a user has one token. Removal revokes it.
 */

import { changedKeys, completeOrganization, organizationOf, requireLists } from "../changes.ts";
import { findMember } from "../members/absence.ts";
import { refuseAdminRemoval } from "../members/user-facts.ts";
import { claimObject, isOwnedByAnother, newInstance, refuseContested } from "../ownership.ts";
import { adoptsToken, reissuedFor } from "../planned-writes.ts";
import type { PlanContext, ResourceDefinition } from "../resource.ts";
import { type Knowable, known } from "../unknown.ts";
import {
  checkCapabilities,
  checkDates,
  expiredIssue,
  knownDates,
  noDate,
  noReplacement,
  refusalOf,
  warnAboutExpiry,
} from "./checks.ts";
import { dueRenewal, isShortened, wantedExpiry } from "./dates.ts";
import { created, idOf, issueAny, isUnresolved, renew, resolve, resolved } from "./lifecycle.ts";
import { findOwn, revokeEarlier, tokenToAdopt } from "./listed.ts";
import { countsAsRemoval, issuedAtOf, moreRotations, rotatesByRule } from "./rotation.ts";
import {
  accessOf,
  confirmedExpiry,
  expiryOf,
  inputs,
  outputs,
  outsOf,
  type UserTokenInputs,
  type UserTokenOutputs,
} from "./schema.ts";
import { checkKeeping } from "./sealing.ts";

const identity = ["userId", "rotation", "organizationId"] as const;
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
  "keepToken",
  "credentials",
] as const;

export const userTokenDefinition: ResourceDefinition<UserTokenInputs, UserTokenOutputs> = {
  name: "UserToken",
  area: "organization",
  inputs,
  outputs,
  // Somebody may paste a private key.
  secretInputs: ["credentials", "recipient"],
  secretOutputs: ["token"],
  stableOutputs: ["token", "sealed"],
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
    if (issue !== undefined) context.warn(`cannot issue token of ${nameIn(news, context)}: ${issue}`);
    return failures;
  },

  diff(id, olds, news, context) {
    const who = context.people.nameOf(id);
    const reissued = reissuedFor(olds, news);
    const isOfOther = changedKeys(olds, news, ["userId", "organizationId"]).length > 0;
    const refusal = isOfOther ? undefined : refusalOf(who, olds, news, context);
    if (refusal !== undefined) {
      context.warn(refusal);
      claimObject(context, "UserToken", id, olds);
      return { changes: true, replaces: [], deleteBeforeReplace: true };
    }
    const replaces: (keyof UserTokenInputs)[] = [...changedKeys(olds, news, identity), ...reissued];
    if (replaces.length > 0) {
      if (reissued.length > 0) {
        context.rotatedByRule.set(id, "new");
        context.infoLimited(
          `rotate token of ${who}: ${reissued[0]} changed, and only a new value can be kept in another form. orgseat revokes the token and issues a new value.`,
          moreRotations,
        );
      }
      return { changes: true, replaces, deleteBeforeReplace: true };
    }
    claimObject(context, "UserToken", id, olds);
    if (olds.isLost && (news.adopt ?? false) === false) {
      context.rotatedByRule.set(id, "known");
      return { changes: true, replaces: ["rotation"], deleteBeforeReplace: true };
    }
    const dates = knownDates(news);
    if (dates === undefined) return { changes: true, replaces, deleteBeforeReplace: true };
    if (rotatesByRule(id, olds, news, context))
      return { changes: true, replaces: ["rotateEvery"], deleteBeforeReplace: true };
    if (isShortened(olds, dates, olds.validUntil) && !context.can.canSetExpiry) {
      context.info(
        `rotate token of ${who}: its date moves from ${wantedExpiry(olds)} back to ${dates.expiresAt}, and a renewal can only extend a token. orgseat revokes the token and issues a new value.`,
      );
      return { changes: true, replaces: ["expiresAt"], deleteBeforeReplace: true };
    }
    const due = dueRenewal(olds, dates, context.now);
    if (due !== undefined) {
      const declared = olds.expirySource === "declared" ? " (declared)" : "";
      context.infoLimited(
        `renew token of ${who}: expires ${olds.validUntil}${declared} -> ${due.until}, value unchanged`,
        moreRenewals,
      );
      return { changes: true, replaces: [], deleteBeforeReplace: true };
    }
    warnAboutExpiry(who, olds, dates, context);
    const isIncomplete = isUnresolved(olds, context) || issuedAtOf(olds, news, context.now) !== olds.issuedAt;
    const changes = changedKeys(olds, news, settings).length > 0 || isIncomplete;
    return { changes, replaces: [], deleteBeforeReplace: true };
  },

  async create(news, context) {
    refuseContested(context, news);
    const who = context.people.nameOf(news.userId);
    const planned = context.plannedWrites();
    const isReissued = context.rotatedByRule.has(news.userId) || planned?.includes("issue token");
    if (adoptsToken(news) && !isReissued) {
      const adopted = await tokenToAdopt(news, context);
      if (adopted) return created(news, adopted, context);
      if (planned !== undefined && !context.adoptOnly) throw new Error(nothingToAdopt(who));
    }
    if (context.adoptOnly) throw new Error(cannotAdopt(who, context));
    const { expiresAt = news.subscriptionExpiresAt } = news;
    const issue = expiresAt === undefined ? noDate : expiredIssue(news, context);
    if (expiresAt === undefined || issue !== undefined)
      throw new Error(`cannot issue token of ${who}: ${issue}`);
    return created(news, await issueAny(news, expiresAt, context), context);
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

  async read(id, outs, context) {
    if (!context.can.canListTokens || outs.isLost) return outs;
    const access = accessOf(outs);
    if ((await findMember(access, context)) === undefined) return undefined;
    const own = await findOwn(access, context);
    if ("token" in own)
      return outsOf(outs, resolved(outs, own.token.id), confirmedExpiry(own.token.expires_at));
    context.countMissing({ type: "UserToken", userId: id, organizationId: outs.organizationId });
    return undefined;
  },

  async update(id, olds, news, context) {
    const refusal = refusalOf(context.people.nameOf(id), olds, news, context);
    if (refusal !== undefined) throw new Error(refusal);
    const due = dueRenewal(olds, news, context.now);
    const found = await resolve(olds, news, context);
    const own = { ...found, issuedAt: issuedAtOf(olds, news, context.now) };
    if (due === undefined) return outsOf(news, own, own);
    return outsOf(news, own, await renew(id, own, news, due, context));
  },

  updateWrites: (olds, news, { now }) => (dueRenewal(olds, news, now) ? ["renew token"] : []),

  async delete(id, outs, context) {
    if (isOwnedByAnother(context, "UserToken", id, outs)) return "kept";
    const access = accessOf(outs);
    if (context.removesUser(outs)) await refuseAdminRemoval(access, context);
    if (countsAsRemoval(id, context))
      await context.checkRemovalLimit({ type: "UserToken", userId: id, organizationId: outs.organizationId });
    // A creation in this run then replaces it.
    if (!context.rotatedByRule.has(id)) context.rotatedByRule.set(id, "new");
    if (outs.isLost) return revokeEarlier(outs, context);
    if (!context.can.revokesByTokenId) return context.api(access).revokeToken(id, context.operation);
    const tokenId = outs.tokenId ?? idOf(await findOwn(access, context));
    return tokenId === undefined ? "gone" : context.api(access).revokeToken(id, context.operation, tokenId);
  },
};

function nameIn({ userId }: Knowable<UserTokenInputs>, { people }: PlanContext): string {
  const id = known(userId);
  return id === undefined ? "a new user" : people.nameOf(id);
}

function nothingToAdopt(who: string): string {
  return `cannot adopt the token of ${who}: this user has no token, and the plan does not contain "issue token". Run the preview again with --refresh: its plan issues one`;
}

function cannotAdopt(who: string, { can }: PlanContext): string {
  if (can.canListTokens)
    return `cannot issue token of ${who}: this run only adopts existing resources and writes nothing (ORGSEAT_ADOPT_ONLY), and no token was adopted. Set \`adopt: true\` where the person has one token; otherwise declare the person without a token first, and a later run issues one.`;
  return `cannot issue token of ${who}: this run only adopts existing resources and writes nothing (ORGSEAT_ADOPT_ONLY), and the value of an existing token cannot be read. Declare the person without a token first; a later run issues one (\`replaceExisting: true\` where the person has one).`;
}

const moreRenewals = "renew token of more people: not listed here, counted as updates";
