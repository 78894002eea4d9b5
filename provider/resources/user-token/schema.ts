/** The inputs and outputs of a UserToken. */

import { z } from "zod";
import { idSchema, instantSchema, organizationIdSchema } from "../../api/schemas/schemas.ts";
import { durationSchema } from "../../util/duration.ts";
import { isLater, MOST_TOLERANCE_MONTHS } from "../../util/instants.ts";
import { ownershipOutputs } from "../ownership.ts";
import type { CallContext } from "../resource.ts";
import { clientCredentialsSchema, commonOutputs, rotateEverySchema, rotationSchema } from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { keepPreviousForSchema } from "../rotation-schedule.ts";
import { type DeclaredDates, EXPIRY_FORM, isLimited, parseExpiry, periodOf, requestOf } from "./dates.ts";
import { recipientsSchema } from "./sealing.ts";

const expirySchema = z.string().transform((text, context) => {
  const expiry = parseExpiry(text);
  if (expiry !== undefined) return expiry;
  context.addIssue({ code: "custom", message: `not ${EXPIRY_FORM}` });
  return z.NEVER;
});

export const inputs = {
  userId: idSchema,
  expiresAt: expirySchema.optional(),
  renewBefore: durationSchema.optional(),
  rotation: rotationSchema.optional(),
  rotateEvery: rotateEverySchema.optional(),
  keepPreviousFor: keepPreviousForSchema.optional(),
  replaceExisting: z.boolean().optional(),
  adopt: z.union([z.boolean(), idSchema]).optional(),
  expirationToleranceMonths: z.int().min(0).max(MOST_TOLERANCE_MONTHS).optional(),
  sendEmail: z.boolean().optional(),
  allowAdminRemoval: z.boolean().optional(),
  recipients: recipientsSchema.optional(),
  keepValue: z.boolean().optional(),
  subscriptionExpiresAt: instantSchema.optional(),
  /** As of an OrgUser. */
  accessEnd: instantSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
export const previousSchema = z.array(z.object({ tokenId: z.string(), removeAfter: z.string() }));
export const limitSchema = z.object({ wanted: z.string(), since: z.string() });
export const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  ...ownershipOutputs,
  /** Absent if it is sealed, not kept, or adopted. */
  value: z.string().optional(),
  /** For the recipients. */
  sealedValue: z.string().optional(),
  /** When orgseat issued or adopted the token, a timestamp. Absent after a lost response, until a rule needs it. */
  issuedAt: z.string().optional(),
  /** Absent if the service does not list tokens; null while it is not known which listed token it is. */
  tokenId: z.string().nullish(),
  /** Where `tokenId` is null: the ids that are certainly not its own. */
  otherTokenIds: z.array(z.string()).optional(),
  /** The replaced tokens that are still valid, the newest first; absent if there are none. */
  previous: previousSchema.optional(),
  /** Whether the response of its creation was lost: if the service has a token, the next update replaces it. */
  isLost: z.literal(true).optional(),
  /** What was requested, and when: a period, or a date that the service answered with an earlier one. */
  limit: limitSchema.optional(),
  reportedExpiresAt: z.string().nullable(),
  validUntil: z.string(),
  expirySource: z.enum(["service", "declared"]),
});
const inputsSchema = z.object(inputs);
export type UserTokenInputs = z.output<typeof inputsSchema>;
export type UserTokenOutputs = z.output<typeof outputs>;
export type Expiry = Pick<UserTokenOutputs, "reportedExpiresAt" | "validUntil" | "expirySource" | "limit">;
export type Issued = Pick<
  UserTokenOutputs,
  "value" | "sealedValue" | "tokenId" | "otherTokenIds" | "previous" | "instance" | "issuedAt"
>;

/** An issued or adopted token. If its id is null, it is none of `otherTokenIds`. */
export interface FoundToken extends Pick<UserTokenOutputs, "tokenId"> {
  readonly otherTokenIds?: readonly string[] | undefined;
  /** Null if no response has it. */
  readonly expiresAt: string | null;
}
export type NewValue = FoundToken & { readonly value: string };

export function outsOf(
  news: UserTokenInputs,
  { value, sealedValue, tokenId, otherTokenIds, previous = [], instance, issuedAt }: Issued,
  { reportedExpiresAt, validUntil, expirySource, limit }: Expiry,
): UserTokenOutputs {
  const expiry = { reportedExpiresAt, validUntil, expirySource, limit };
  const ids = tokenId === undefined ? {} : { tokenId, otherTokenIds };
  const kept = { value: news.keepValue === false ? undefined : value, sealedValue };
  const older = previous.length === 0 ? undefined : previous;
  return {
    ...news,
    stateVersion: STATE_VERSION,
    instance,
    ...kept,
    issuedAt,
    ...ids,
    previous: older,
    ...expiry,
  };
}

/** The expiry of the response, otherwise the declared one. */
export function expiryOf(answered: string | null | undefined, declared: string): Expiry {
  return answered === null || answered === undefined
    ? { reportedExpiresAt: null, validUntil: declared, expirySource: "declared" }
    : { reportedExpiresAt: answered, validUntil: answered, expirySource: "service" };
}

/** The expiry that a list reports; if it is unreadable, the known one. */
export function confirmedExpiry(at: string | undefined, known: Expiry): Expiry {
  const { limit } = known;
  return at === undefined ? known : { reportedExpiresAt: at, validUntil: at, expirySource: "service", limit };
}

/**
 * The expiry that the service has set for a request. If it is before the wanted one, or if a period was declared, no update
 * asks again before half of it has passed.
 */
export function answeredExpiry(expiry: Expiry, news: DeclaredDates, wanted: string, since: string): Expiry {
  if (periodOf(news) === undefined && !isLater(wanted, expiry.validUntil)) return expiry;
  return { ...expiry, limit: { wanted: requestOf(news, wanted), since } };
}

/** The expiry after a renewal without effect: an update asks again for a date, and for a period after half of the rest. */
export function unmovedExpiry(expiry: Expiry, news: DeclaredDates, wanted: string, since: string): Expiry {
  return periodOf(news) === undefined ? expiry : answeredExpiry(expiry, news, wanted, since);
}

/** What a call about the token needs. */
export function accessOf({ value, ...outs }: UserTokenOutputs) {
  return { ...outs, token: value };
}

/** A user has one token, or several with ids. */
export function ownedId(userId: string, { tokenId }: Pick<UserTokenOutputs, "tokenId">): string {
  return tokenId ?? userId;
}

/**
 * The expiry after a renewal, if the service moved it, but not to the wanted one, or has not moved it for the same wish
 * before. Warns about a new wish.
 * @returns undefined if the service did what was wanted, or nothing: then the subscription is probably not renewed
 */
export function acceptedLimit(
  olds: UserTokenOutputs,
  news: UserTokenInputs,
  expiry: Expiry,
  wanted: string,
  context: CallContext,
): Expiry | undefined {
  const { validUntil } = expiry;
  const isMoved = isLater(validUntil, olds.validUntil) || isLater(olds.validUntil, validUntil);
  const isKnown = isLimited(olds, news, wanted);
  // A period is meant to move, and a date need not be reached.
  const isAccepted = isMoved || (isKnown && periodOf(news) === undefined);
  if (!isLater(wanted, validUntil) || !isAccepted) return undefined;
  if (!isKnown) {
    context.warn(
      `token of ${context.people.nameOf(olds.userId)} now expires at ${validUntil}, not at ${wanted} as requested: the service limits it. orgseat requests ${requestOf(news, wanted)} again when half of that time has passed.`,
    );
  }
  return answeredExpiry(expiry, news, wanted, context.sendTime());
}
