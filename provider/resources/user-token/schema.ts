/** The inputs and outputs of a UserToken. */
import { z } from "zod";
import { idSchema, instantSchema } from "../../api/schemas/schemas.ts";
import { durationSchema } from "../../util/duration.ts";
import { MOST_TOLERANCE_MONTHS } from "../../util/instants.ts";
import { ownershipOutputs } from "../ownership.ts";
import {
  clientCredentialsSchema,
  commonOutputs,
  organizationIdSchema,
  rotateEverySchema,
  rotationSchema,
  STATE_VERSION,
} from "../resource.ts";
import { recipientSchema } from "./sealing.ts";

export const inputs = {
  userId: idSchema,
  expiresAt: instantSchema.optional(),
  renewBefore: durationSchema.optional(),
  rotation: rotationSchema.optional(),
  rotateEvery: rotateEverySchema.optional(),
  replaceExisting: z.boolean().optional(),
  adopt: z.union([z.boolean(), idSchema]).optional(),
  expirationToleranceMonths: z.int().min(0).max(MOST_TOLERANCE_MONTHS).optional(),
  sendEmail: z.boolean().optional(),
  allowAdminRemoval: z.boolean().optional(),
  recipient: recipientSchema.optional(),
  keepToken: z.boolean().optional(),
  subscriptionExpiresAt: instantSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
export const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  ...ownershipOutputs,
  /** Without the bound of the input, which was higher. */
  expirationToleranceMonths: z.int().min(0).optional(),
  /** Absent if it is sealed, not kept, or adopted; null in older states. */
  token: z.string().nullish(),
  /** For the recipients. */
  sealed: z.string().optional(),
  /** When orgseat issued or adopted the token, an instant. Absent in states of older releases. */
  issuedAt: z.string().optional(),
  /** Absent where the service does not list tokens; null while it is not known which listed token it is. */
  tokenId: z.string().nullish(),
  /** Where `tokenId` is null: the ids that are certainly not its own. */
  otherTokenIds: z.array(z.string()).optional(),
  /** Whether the response of its creation was lost: if the service has a token, the next update replaces it. */
  isLost: z.literal(true).optional(),
  serviceExpiresAt: z.string().nullable(),
  validUntil: z.string(),
  expirySource: z.enum(["service", "declared"]),
});
const inputsSchema = z.object(inputs);
export type UserTokenInputs = z.output<typeof inputsSchema>;
export type UserTokenOutputs = z.output<typeof outputs>;
export type Expiry = Pick<UserTokenOutputs, "serviceExpiresAt" | "validUntil" | "expirySource">;
export type Issued = Pick<
  UserTokenOutputs,
  "token" | "sealed" | "tokenId" | "otherTokenIds" | "instance" | "issuedAt"
>;

/** An issued or adopted token. Where its id is null, it is none of `otherTokenIds`. */
export interface FoundToken extends Pick<UserTokenOutputs, "tokenId"> {
  readonly otherTokenIds?: readonly string[] | undefined;
  /** Null where no response has it. */
  readonly expiresAt: string | null;
}
export type NewValue = FoundToken & { readonly value: string };

export function outsOf(
  news: UserTokenInputs,
  { token, sealed, tokenId, otherTokenIds, instance, issuedAt }: Issued,
  { serviceExpiresAt, validUntil, expirySource }: Expiry,
): UserTokenOutputs {
  const expiry = { serviceExpiresAt, validUntil, expirySource };
  const ids = tokenId === undefined ? {} : { tokenId, otherTokenIds };
  const kept = { token: news.keepToken === false ? undefined : token, sealed };
  return { ...news, stateVersion: STATE_VERSION, instance, ...kept, issuedAt, ...ids, ...expiry };
}

/** The expiry of the response, else the declared one. */
export function expiryOf(answered: string | null | undefined, declared: string): Expiry {
  return answered === null || answered === undefined
    ? { serviceExpiresAt: null, validUntil: declared, expirySource: "declared" }
    : { serviceExpiresAt: answered, validUntil: answered, expirySource: "service" };
}

/** The expiry that a list tells. */
export function confirmedExpiry(at: string): Expiry {
  return { serviceExpiresAt: at, validUntil: at, expirySource: "service" };
}

/** What a call about the token needs. */
export function accessOf({ token, ...outs }: UserTokenOutputs) {
  return { ...outs, token: token ?? undefined };
}
