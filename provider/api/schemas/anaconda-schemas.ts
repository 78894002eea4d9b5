/**
 * The requests and responses of the organization area that only the platform `anaconda` has, as zod schemas. Unknown fields
 * are ignored. Ids such as L8 are decisions in docs/internal/contract.md.
 */
import { z } from "zod";
import { emailSchema, idSchema, instantSchema, profileTextSchema } from "./schemas.ts";

/** The roles of members. The client accepts others. */
export const memberRoles = ["member", "admin", "billing_manager"] as const;

const userFields = {
  id: idSchema,
  /** Missing for a machine user that was added without one. */
  email: profileTextSchema.nullish(),
  first_name: profileTextSchema.nullish(),
  last_name: profileTextSchema.nullish(),
  groups: z.array(z.unknown()).nullish(),
};
const seatFields = {
  role: profileTextSchema,
  /** The product codes of the member's subscriptions. */
  subscriptions: z.array(z.string()),
};
/** A member in the response of "list users". A field that cannot be read is missing, and means unknown. */
export const listedUserSchema = z.object({ ...userFields, ...z.object(seatFields).partial().shape });
export const userListSchema = z.object({ items: z.array(z.object({ ...userFields, ...seatFields })) });
export const partialUserListSchema = z.object({ items: z.array(listedUserSchema) });
export const userListQuerySchema = z.strictObject({
  include_groups: z.stringbool().or(z.boolean()).optional(),
});

/** The query of "assign seat". */
export const seatQuerySchema = z.strictObject({
  send_seat_assigned_email: z.stringbool().or(z.boolean()).optional(),
});

const toleranceSchema = z.int().min(0).optional();
/** The request of "issue token". Without `send_token_email` the service sends an email. */
export const issueListedTokenRequestSchema = z.object({
  expires_at: instantSchema,
  expiration_tolerance_months: toleranceSchema,
  send_token_email: z.boolean().optional(),
});
/** The request of "renew token". `is_renewal` extends to the end of the subscription and ignores `expires_at`. */
export const renewTokenRequestSchema = z.object({
  is_renewal: z.boolean().optional(),
  expires_at: instantSchema.nullish(),
  expiration_tolerance_months: toleranceSchema,
});
/** The response of "renew token", which the description leaves open: a value must not be lost, the rest is read back. */
export const renewedListedTokenSchema = z
  .object({ token: z.string().min(1).nullish().catch(undefined) })
  .catch({});

/** A token in the response of "list tokens", which never contains its value. */
export const listedTokenSchema = z.object({
  id: idSchema,
  /** Required, and only a text in the description: one in another form counts as not said. */
  expires_at: instantSchema.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  revoked: z.boolean().nullish(),
});
export const tokenListSchema = z.object({ items: z.array(listedTokenSchema) });

/** A count in text of any form; undefined if the text is not a number. The emails are sent whatever it says. */
const unreliableCountSchema = z
  .union([z.string(), z.number()])
  .transform((count) => (/^\s*\d{1,9}\s*$/.test(String(count)) ? Number(count) : undefined))
  .optional()
  .catch(undefined);
/** An element in another form is null: it costs the others nothing, and the list is not whole. */
const partialEmailsSchema = z.array(z.string().nullable().catch(null)).optional();
/** The response of "onboard users", whose fields can all be missing. */
export const partialOnboardingResultSchema = z.object({
  users_in_onboarding_process: partialEmailsSchema,
  users_unavailable_for_onboarding: partialEmailsSchema,
  total_organization_seats: unreliableCountSchema,
  available_organization_seats: unreliableCountSchema,
});
/** The request of "add user". */
export const createMemberRequestSchema = z.object({
  email: emailSchema.nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
});

export type ListedUser = z.output<typeof listedUserSchema>;
export type ListedToken = z.output<typeof listedTokenSchema>;
