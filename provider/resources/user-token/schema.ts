/** The inputs of a UserToken. */

import { z } from "zod";
import { idSchema, instantSchema, organizationIdSchema } from "../../api/schemas/schemas.ts";
import { durationSchema } from "../../util/duration.ts";
import { MOST_TOLERANCE_MONTHS } from "../../util/instants.ts";
import { clientCredentialsSchema, rotateEverySchema, rotationSchema } from "../resource.ts";
import { keepPreviousForSchema } from "../rotation-schedule.ts";
import { EXPIRY_FORM, parseExpiry } from "./dates.ts";
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
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
export const previousSchema = z.array(z.object({ tokenId: z.string(), removeAfter: z.string() }));
const inputsSchema = z.object(inputs);
export type UserTokenInputs = z.output<typeof inputsSchema>;
