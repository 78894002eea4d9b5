/**
 * UserToken: the access token of a user's seat (issue, renew and revoke token). Id: the user id. A renewal is an update and
 * keeps the value; a changed user, rotation or organization, or an earlier `expiresAt`, replaces it, deleting the old one
 * first, because a user has one token. Removal revokes it.
 */
import { z } from "zod";
import { isLater } from "../api/instants.ts";
import { idSchema, instantSchema } from "../api/schemas.ts";
import { durationSchema } from "../util/duration.ts";
import { changedKeys, completeOrganization, inputIssue } from "./changes.ts";
import { isRenewed } from "./effects.ts";
import {
  claimObject,
  isOwnedByAnother,
  newInstance,
  ownershipOutputs,
  refuseContested,
} from "./ownership.ts";
import { expiringSoon, isPast, isShortened, renewedExpiry, wantedExpiry } from "./renewal.ts";
import {
  type CallContext,
  clientCredentialsSchema,
  commonOutputs,
  type InputIssue,
  organizationIdSchema,
  PartiallyCreated,
  type PlanContext,
  type ResourceDefinition,
  rotationSchema,
  STATE_VERSION,
} from "./resource.ts";
import { issue, renewAtService } from "./token-calls.ts";
import { type Knowable, known, unknown } from "./unknown.ts";

const inputs = {
  userId: idSchema,
  expiresAt: instantSchema.optional(),
  renewBefore: durationSchema.optional(),
  rotation: rotationSchema.optional(),
  replaceExisting: z.boolean().optional(),
  subscriptionExpiresAt: instantSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  ...ownershipOutputs,
  token: z.string(),
  serviceExpiresAt: z.string().nullable(),
  validUntil: z.string(),
  expirySource: z.enum(["service", "declared"]),
});
const inputsSchema = z.object(inputs);
type UserTokenInputs = z.output<typeof inputsSchema>;
type UserTokenOutputs = z.output<typeof outputs>;
type Expiry = Pick<UserTokenOutputs, "serviceExpiresAt" | "validUntil" | "expirySource">;
type Issued = Pick<UserTokenOutputs, "token" | "instance">;

const identity = ["userId", "rotation", "organizationId"] as const;
/** Without `subscriptionExpiresAt`: it matters only for the renewals that it causes. */
const settings = ["expiresAt", "renewBefore", "replaceExisting", "credentials"] as const;

export const userTokenDefinition: ResourceDefinition<UserTokenInputs, UserTokenOutputs> = {
  name: "UserToken",
  area: "organization",
  inputs,
  outputs,
  secretInputs: ["credentials"],

  complete(news, context) {
    const completed = completeOrganization(news, context);
    const declared = context.defaults.subscriptionExpiresAt;
    if (completed.subscriptionExpiresAt !== undefined || declared === undefined) return completed;
    return { ...completed, subscriptionExpiresAt: declared };
  },

  check(news, olds, context) {
    const failures = checkDates(news);
    const wanted = knownWanted(news);
    if (wanted === undefined || !isPast(wanted, context.now)) return failures;
    const property = news.expiresAt === undefined ? "subscriptionExpiresAt" : "expiresAt";
    if (olds === undefined) {
      failures.push(inputIssue(property, `the token would already be expired (${wanted}). Set a later date`));
    }
    return failures;
  },

  diff(id, olds, news, context) {
    const who = context.people.nameOf(id);
    const replaces: (keyof UserTokenInputs)[] = changedKeys(olds, news, identity);
    if (replaces.length > 0) {
      refuseExpired(who, news, context);
      return { changes: true, replaces, deleteBeforeReplace: true };
    }
    claimObject(context, "UserToken", id, olds);
    const dates = knownDates(news);
    if (dates === undefined) return { changes: true, replaces, deleteBeforeReplace: true };
    if (isShortened(olds, dates, olds.validUntil)) {
      context.info(
        `rotate token of ${who}: expiresAt moves from ${wantedExpiry(olds)} back to ${dates.expiresAt}, and a renewal can only extend a token. orgseat revokes the token and issues a new value.`,
      );
      return { changes: true, replaces: ["expiresAt"], deleteBeforeReplace: true };
    }
    const renewed = renewedExpiry(olds.validUntil, dates, context.now);
    if (renewed !== undefined) {
      const declared = olds.expirySource === "declared" ? " (declared)" : "";
      context.infoLimited(
        `renew token of ${who}: expires ${olds.validUntil}${declared} -> ${renewed}, value unchanged`,
        moreRenewals,
      );
      return { changes: true, replaces: [], deleteBeforeReplace: true };
    }
    warnAboutExpiry(who, olds, dates, context);
    return { changes: changedKeys(olds, news, settings).length > 0, replaces: [], deleteBeforeReplace: true };
  },

  async create(news, context) {
    refuseContested(context, news);
    // Pulumi passes a user id on only after the state has it.
    context.creations.settle(news.organizationId, news.userId);
    if (context.adoptOnly) throw new Error(cannotAdopt(context.people.nameOf(news.userId)));
    const wanted = wantedExpiry(news);
    if (wanted === undefined)
      throw new Error(`cannot issue token of ${context.people.nameOf(news.userId)}: ${noDate}`);
    const issued = await issue(news, wanted, context);
    const expiry = expiryOf(issued.expires_at, wanted);
    if (isLater(wanted, expiry.validUntil)) {
      context.warn(
        `token of ${context.people.nameOf(news.userId)} expires at ${expiry.validUntil}, not at ${wanted} as requested: the subscription probably ends then. Correct subscriptionExpiresAt or expiresAt (in a roster, \`subscription\` or \`expires\`), or renew the subscription in the service.`,
      );
    }
    const outs = outsOf(news, { token: issued.token, instance: newInstance() }, expiry);
    claimObject(context, "UserToken", news.userId, outs);
    return { id: news.userId, outs };
  },

  async read(_id, outs) {
    return outs;
  },

  async update(id, olds, news, context) {
    if (!isRenewed(olds, news, context.now)) return outsOf(news, olds, olds);
    return outsOf(news, olds, await renew(id, olds, news, context));
  },

  updateWrites: (olds, news, now) => (isRenewed(olds, news, now) ? ["renew token"] : []),

  async delete(id, outs, context) {
    if (isOwnedByAnother(context, "UserToken", id, outs)) return "kept";
    context.checkRemovalLimit({ type: "UserToken", userId: id, organizationId: outs.organizationId });
    return context.api(outs).revokeToken(id, context.operation);
  },
};

function cannotAdopt(who: string): string {
  return `cannot issue token of ${who}: this run only adopts existing resources and writes nothing (ORGSEAT_ADOPT_ONLY), and the value of an existing token cannot be read. Declare the person without a token first; a later run issues one (\`replaceExisting: true\` where the person has one).`;
}

const moreRenewals = "renew token of more people: not listed here, counted as updates";

const noDate =
  "no expiry date is known. Set expiresAt, or orgseat:subscriptionExpiresAt (pulumi config set orgseat:subscriptionExpiresAt <date>; in a roster, the header field `subscription`)";

function outsOf(
  news: UserTokenInputs,
  { token, instance }: Issued,
  { serviceExpiresAt, validUntil, expirySource }: Expiry,
): UserTokenOutputs {
  const expiry = { serviceExpiresAt, validUntil, expirySource };
  return { ...news, stateVersion: STATE_VERSION, instance, token, ...expiry };
}

/** The expiry of the response, else the declared one. */
function expiryOf(answered: string | null | undefined, declared: string): Expiry {
  return answered === null || answered === undefined
    ? { serviceExpiresAt: null, validUntil: declared, expirySource: "declared" }
    : { serviceExpiresAt: answered, validUntil: answered, expirySource: "service" };
}

function describeSource(source: Expiry["expirySource"]): string {
  return source === "service" ? "confirmed by the service" : "declared, not confirmed";
}

function checkDates(news: Knowable<UserTokenInputs>): InputIssue[] {
  const { expiresAt, subscriptionExpiresAt: end, renewBefore } = news;
  if (expiresAt === undefined && end === undefined) return [inputIssue("expiresAt", noDate)];
  const failures: InputIssue[] = [];
  if (renewBefore !== undefined && end === undefined) {
    failures.push(
      inputIssue(
        "renewBefore",
        "a renewal extends to the end of the subscription. Set orgseat:subscriptionExpiresAt too",
      ),
    );
  }
  const explicit = known(expiresAt);
  const subscription = known(end);
  if (explicit !== undefined && subscription !== undefined && isLater(explicit, subscription)) {
    failures.push(
      inputIssue(
        "expiresAt",
        `${explicit} is after the end of the subscription (subscriptionExpiresAt, ${subscription})`,
      ),
    );
  }
  return failures;
}

type Dates = Pick<UserTokenInputs, "expiresAt" | "renewBefore" | "subscriptionExpiresAt">;

/** The dates; undefined while one of them is unknown. */
function knownDates(news: Knowable<UserTokenInputs>): Dates | undefined {
  const { expiresAt, renewBefore, subscriptionExpiresAt } = news;
  if (expiresAt === unknown || renewBefore === unknown || subscriptionExpiresAt === unknown) return undefined;
  return { expiresAt, renewBefore, subscriptionExpiresAt };
}

function knownWanted(news: Knowable<UserTokenInputs>): string | undefined {
  return news.expiresAt === undefined ? known(news.subscriptionExpiresAt) : known(news.expiresAt);
}

/** A replacement deletes first, so it must not start where the new token could not be issued. */
function refuseExpired(who: string, news: Knowable<UserTokenInputs>, context: PlanContext): void {
  const wanted = knownWanted(news);
  if (wanted === undefined || !isPast(wanted, context.now)) return;
  const property = news.expiresAt === undefined ? "orgseat:subscriptionExpiresAt" : "expiresAt";
  throw new Error(
    `cannot rotate token of ${who}: the new token would already be expired (${wanted}). Nothing was revoked. Set a later date for ${property}.`,
  );
}

function warnAboutExpiry(who: string, olds: UserTokenOutputs, dates: Dates, context: PlanContext): void {
  const end = expiringSoon(olds.validUntil, context.now);
  if (end === undefined) return;
  const key = dates.expiresAt === undefined ? SUBSCRIPTION_KEY : "expiresAt";
  context.warn(
    `token of ${who} ${end} (${describeSource(olds.expirySource)}), and no declared date renews it. If the subscription was renewed, raise ${key}.`,
  );
}

const SUBSCRIPTION_KEY = "orgseat:subscriptionExpiresAt (in a roster, `subscription`)";

/** Renews the token to the end of the subscription. */
async function renew(
  userId: string,
  olds: UserTokenOutputs,
  news: UserTokenInputs,
  context: CallContext,
): Promise<Expiry> {
  const who = context.people.nameOf(userId);
  const wanted = wantedExpiry(news) ?? olds.validUntil;
  const answered = await renewAtService(userId, { ...news, token: olds.token }, context);
  const expiry = expiryOf(answered, news.subscriptionExpiresAt ?? wanted);
  if (isLater(wanted, expiry.validUntil) || !isLater(expiry.validUntil, olds.validUntil)) {
    const key = news.expiresAt === undefined ? SUBSCRIPTION_KEY : "expiresAt";
    // Keeps the new inputs, such as credentials, and the old expiry: the next run tries again.
    throw new PartiallyCreated(
      userId,
      outsOf(news, olds, olds),
      `cannot renew token of ${who}: the service accepted the renewal, but the token expires at ${expiry.validUntil}, not at ${laterOf(wanted, news.subscriptionExpiresAt)}. The subscription is probably not renewed in the service yet: renew it there, or correct ${key}. To issue a new value instead, change \`rotation\`. The value is unchanged.`,
    );
  }
  if (news.expiresAt !== undefined && isLater(expiry.validUntil, news.expiresAt)) {
    context.warn(
      `token of ${who} now expires at ${expiry.validUntil}, later than expiresAt (${news.expiresAt}): a renewal extends to the end of the subscription. If the exact date matters, change \`rotation\` too.`,
    );
  }
  return expiry;
}

function laterOf(a: string, b: string | undefined): string {
  return b !== undefined && isLater(b, a) ? b : a;
}
