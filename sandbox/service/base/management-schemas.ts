/** Schemas of the management API, besides those of settings, faults, log entries and snapshots. */
import { z } from "zod";
import { memberRoles } from "../../../provider/api/schemas/anaconda-schemas.ts";
import {
  emailSchema,
  instantSchema,
  mailboxSchema,
  organizationIdSchema,
} from "../../../provider/api/schemas/schemas.ts";
import { clockSchema } from "./settings.ts";

export const clockAnswerSchema = z.object({ now: z.string(), setting: clockSchema });
/** `now` is the service's time; `setting` is its source. */
export type ClockAnswer = z.output<typeof clockAnswerSchema>;

/** A new expiry is a renewal (D36). */
export const subscriptionSchema = z.strictObject({
  expiresAt: instantSchema.optional(),
  seats: z.int().min(0).optional(),
});
export type SubscriptionChange = z.input<typeof subscriptionSchema>;

export const adminChangeSchema = z.strictObject({
  admin: z.boolean().optional(),
  password: z.string().min(1).optional(),
});
export type AdminChange = z.input<typeof adminChangeSchema>;

export const newAdminSchema = z.strictObject({
  organizationId: organizationIdSchema,
  username: z.string().min(1),
  password: z.string().min(1),
});
export type NewAdmin = z.input<typeof newAdminSchema>;

/** A change of a user behind the back of every client. */
export const userChangeSchema = z.strictObject({
  /** In the letter case of the lists. */
  email: mailboxSchema.optional(),
  firstName: z.string().nullable().optional(),
  lastName: z.string().nullable().optional(),
  role: z.enum(memberRoles).optional(),
});
export type UserChange = z.input<typeof userChangeSchema>;

/** The same of a token. */
export const tokenChangeSchema = z.strictObject({
  expiresAt: instantSchema.optional(),
  revoked: z.boolean().optional(),
});
export type TokenChange = z.input<typeof tokenChangeSchema>;

/** An email: of an individual account, or of a person whose onboarding fails. */
export const emailOnlySchema = z.strictObject({ email: emailSchema });

export const probeSchema = z.strictObject({ token: z.string().min(1) });
export const probeAnswerSchema = z.object({
  live: z.boolean(),
  userId: z.string().nullable(),
  expiresAt: z.string().nullable(),
});
export type ProbeAnswer = z.output<typeof probeAnswerSchema>;
