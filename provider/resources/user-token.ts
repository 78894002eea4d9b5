/**
 * UserToken: the token that gives a user access to the assigned seat (calls 7, 8, 9). Id: the user id. A renewal
 * (call 8) is an update and keeps the value; a changed user, rotation, organization or an earlier `expiresAt` replaces
 * it, the old one first, since a user has one token. Removal revokes it.
 */
import { z } from "zod";
import { isLater } from "../api/instants.ts";
import { idSchema, instantSchema } from "../api/schemas.ts";
import { durationSchema } from "../util/duration.ts";
import { changedKeys, completeOrganization, validationIssue } from "./changes.ts";
import { isRenewed } from "./effects.ts";
import {
  claimObject,
  isOwnedByAnother,
  newInstance,
  ownershipOutputs,
  refuseContested,
} from "./ownership.ts";
import { endingSoon, isPast, isShortened, renewalReason, wantedExpiry } from "./renewal.ts";
import {
  accountCredentialsSchema,
  type CallContext,
  commonOutputs,
  organizationIdSchema,
  PartiallyCreated,
  type PlanContext,
  type ResourceDefinition,
  rotationSchema,
  STATE_VERSION,
  type ValidationIssue,
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
  credentials: accountCredentialsSchema.optional(),
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
export type UserTokenInputs = z.output<typeof inputsSchema>;
export type UserTokenOutputs = z.output<typeof outputs>;
type Expiry = Pick<UserTokenOutputs, "serviceExpiresAt" | "validUntil" | "expirySource">;
type Issued = Pick<UserTokenOutputs, "token" | "instance">;

const identity = ["userId", "rotation", "organizationId"] as const;
/** `subscriptionExpiresAt` is no such key: it matters by the renewals it causes, and going down it causes nothing. */
const settings = ["expiresAt", "renewBefore", "replaceExisting", "credentials"] as const;

export const userToken: ResourceDefinition<UserTokenInputs, UserTokenOutputs> = {
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
      failures.push(
        validationIssue(property, `the token would have expired already (${wanted}); write a later date`),
      );
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
        `UserToken of ${who}: expiresAt moves from ${wantedExpiry(olds)} back to ${dates.expiresAt}; a renewal only extends, so the token is revoked and issued anew, with a new value.`,
      );
      return { changes: true, replaces: ["expiresAt"], deleteBeforeReplace: true };
    }
    const reason = renewalReason(olds.validUntil, dates, context.now);
    if (reason !== undefined) {
      context.info(
        `UserToken of ${who}: call 8 renews it, same value; valid until ${olds.validUntil} (${sourceInWords(olds.expirySource)}) so far, and ${reason}.`,
      );
      return { changes: true, replaces: [], deleteBeforeReplace: true };
    }
    warnOfEnd(who, olds, dates, context);
    return { changes: changedKeys(olds, news, settings).length > 0, replaces: [], deleteBeforeReplace: true };
  },

  async create(news, context) {
    refuseContested(context, news);
    // Pulumi passes a user id on when the state has it.
    context.creations.settle(news.organizationId, news.userId);
    if (context.adoptOnly) throw new Error(cannotTakeOver(context.people.nameOf(news.userId)));
    const wanted = wantedExpiry(news);
    if (wanted === undefined)
      throw new Error(`UserToken of ${context.people.nameOf(news.userId)}: ${noDate}`);
    const issued = await issue(news, wanted, context);
    const expiry = expiryOf(issued.expires_at, wanted);
    if (isLater(wanted, expiry.validUntil)) {
      context.warn(
        `UserToken of ${context.people.nameOf(news.userId)}: ${wanted} was asked for, and the service issued it until ${expiry.validUntil}, probably the real end of the subscription. Correct subscriptionExpiresAt or expiresAt, or renew the subscription at the service.`,
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

function cannotTakeOver(who: string): string {
  return `UserToken of ${who}: nothing was sent. This run takes over what exists and writes nothing (ORGSEAT_ADOPT_ONLY), and the value of a token cannot be read. Declare the person without a token first; a later run issues one (\`replaceExisting: true\` where the person has one).`;
}

const noDate =
  "no expiry is known: set expiresAt, or the organization's orgseat:subscriptionExpiresAt (pulumi config set orgseat:subscriptionExpiresAt <date>)";

function outsOf(
  news: UserTokenInputs,
  { token, instance }: Issued,
  { serviceExpiresAt, validUntil, expirySource }: Expiry,
): UserTokenOutputs {
  const expiry = { serviceExpiresAt, validUntil, expirySource };
  return { ...news, stateVersion: STATE_VERSION, instance, token, ...expiry };
}

/** E: what the service said, else what was declared. */
function expiryOf(answered: string | null | undefined, declared: string): Expiry {
  return answered === null || answered === undefined
    ? { serviceExpiresAt: null, validUntil: declared, expirySource: "declared" }
    : { serviceExpiresAt: answered, validUntil: answered, expirySource: "service" };
}

function sourceInWords(source: Expiry["expirySource"]): string {
  return source === "service" ? "confirmed by the service" : "declared, not confirmed";
}

function checkDates(news: Knowable<UserTokenInputs>): ValidationIssue[] {
  const { expiresAt, subscriptionExpiresAt: end, renewBefore } = news;
  if (expiresAt === undefined && end === undefined) return [validationIssue("expiresAt", noDate)];
  const failures: ValidationIssue[] = [];
  if (renewBefore !== undefined && end === undefined) {
    failures.push(
      validationIssue(
        "renewBefore",
        "a renewal extends to the end of the subscription: set orgseat:subscriptionExpiresAt too",
      ),
    );
  }
  const explicit = known(expiresAt);
  const subscription = known(end);
  if (explicit !== undefined && subscription !== undefined && isLater(explicit, subscription)) {
    failures.push(
      validationIssue(
        "expiresAt",
        `${explicit} is after the end of the subscription (subscriptionExpiresAt, ${subscription})`,
      ),
    );
  }
  return failures;
}

type Dates = Pick<UserTokenInputs, "expiresAt" | "renewBefore" | "subscriptionExpiresAt">;

/** The dates, undefined as long as one of them is not known. */
function knownDates(news: Knowable<UserTokenInputs>): Dates | undefined {
  const { expiresAt, renewBefore, subscriptionExpiresAt } = news;
  if (expiresAt === unknown || renewBefore === unknown || subscriptionExpiresAt === unknown) return undefined;
  return { expiresAt, renewBefore, subscriptionExpiresAt };
}

function knownWanted(news: Knowable<UserTokenInputs>): string | undefined {
  return news.expiresAt === undefined ? known(news.subscriptionExpiresAt) : known(news.expiresAt);
}

/** A replacement deletes first: one that could not issue a token must not begin. */
function refuseExpired(who: string, news: Knowable<UserTokenInputs>, context: PlanContext): void {
  const wanted = knownWanted(news);
  if (wanted === undefined || !isPast(wanted, context.now)) return;
  const property = news.expiresAt === undefined ? "orgseat:subscriptionExpiresAt" : "expiresAt";
  throw new Error(
    `UserToken of ${who} would be issued anew, and the new one would have expired already (${wanted}): write a later date for ${property}. Nothing was revoked.`,
  );
}

function warnOfEnd(who: string, olds: UserTokenOutputs, dates: Dates, context: PlanContext): void {
  const end = endingSoon(olds.validUntil, context.now);
  if (end === undefined) return;
  const key = dates.expiresAt === undefined ? "orgseat:subscriptionExpiresAt" : "expiresAt";
  context.warn(
    `UserToken of ${who} ${end} (${sourceInWords(olds.expirySource)}), and nothing declared renews it. If the subscription was renewed, raise ${key}.`,
  );
}

/** Call 8. It takes no date: the token then runs to the subscription's end. */
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
    const key = news.expiresAt === undefined ? "orgseat:subscriptionExpiresAt" : "expiresAt";
    // Kept with the new inputs, such as credentials, and the old expiry: the next run tries again.
    throw new PartiallyCreated(
      userId,
      outsOf(news, olds, olds),
      `UserToken of ${who}: call 8 (renew token) was accepted, and the service says that the token ends at ${expiry.validUntil}, not at ${laterOf(wanted, news.subscriptionExpiresAt)}. The subscription probably has not been renewed at the service yet: renew it there, or correct ${key}; a changed \`rotation\` issues a new token instead. The value is unchanged.`,
    );
  }
  if (news.expiresAt !== undefined && isLater(expiry.validUntil, news.expiresAt)) {
    context.warn(
      `UserToken of ${who}: call 8 takes no date, so the token now runs to ${expiry.validUntil}, later than expiresAt (${news.expiresAt}). If the exact date matters, change \`rotation\` too.`,
    );
  }
  return expiry;
}

function laterOf(a: string, b: string | undefined): string {
  return b !== undefined && isLater(b, a) ? b : a;
}
