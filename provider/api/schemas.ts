/**
 * The wire: one zod schema for each request and answer of the organization area. Fields that the contract does not
 * name are ignored. Numbers in comments are decisions of docs/contract.md.
 */
import { z } from "zod";
import { INSTANT_FORM, parseInstant } from "./instants.ts";

/** An id as it stands in a path: a GUID at every known service, never anything that a path would need to escape. */
export const idSchema = z.string().regex(/^[A-Za-z0-9._~-]{1,128}$/, "not an id");

/** The rule for the name of a service account (section 2 of the interface; length by D8). */
export const SERVICE_ACCOUNT_NAME = /^[a-z0-9_-]{1,64}$/;

/** An email address, compared and sent in lower case (D18). */
export const emailSchema = z.email("not an email address").transform((email) => email.toLowerCase());

/** An instant of D37, kept in UTC with whole seconds. */
export const instantSchema = z.string().transform((text, context) => {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  context.addIssue({ code: "custom", message: `not ${INSTANT_FORM}` });
  return z.NEVER;
});

const serviceAccountFields = { name: z.string(), client_id: idSchema, org_id: z.string() };

/** A service account as call 2 lists it: never with its secret. */
export const serviceAccountSchema = z.object(serviceAccountFields);
/** The answer of call 1, the only one that ever holds `client_secret`. */
export const createdServiceAccountSchema = z.object({
  ...serviceAccountFields,
  client_secret: z.string().min(1),
});
export const createServiceAccountRequestSchema = z.object({
  name: z
    .string()
    .regex(SERVICE_ACCOUNT_NAME, "1 to 64 lower-case letters, digits, hyphens and underscores are allowed"),
});

/**
 * The answer of call 2 in each wrapping that D7 accepts. `complete` is false for one bare object: that is an account
 * of the organization, not proof that there is no other.
 */
export const serviceAccountListSchema = z.union([
  z.array(serviceAccountSchema).transform((accounts) => ({ accounts, complete: true })),
  z
    .object({ items: z.array(serviceAccountSchema) })
    .transform(({ items }) => ({ accounts: items, complete: true })),
  z
    .object({ data: z.array(serviceAccountSchema) })
    .transform(({ data }) => ({ accounts: data, complete: true })),
  serviceAccountSchema.transform((account) => ({ accounts: [account], complete: false })),
]);

/** The body of call 4. */
export const onboardingRequestSchema = z.object({ user_emails: z.array(emailSchema) });

/** A count as call 4 gives it: a number, or a text that holds one (D19). */
const countSchema = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,9}$/, "not a count")
    .transform(Number),
]);
/** The answer of call 4. An email in neither list was refused (D20). */
export const onboardingResultSchema = z.object({
  users_in_onboarding_process: z.array(z.string()),
  users_unavailable_for_onboarding: z.array(z.string()),
  total_organization_seats: countSchema,
  available_organization_seats: countSchema,
});

/** The body of call 5. Without an email the service makes an organization-managed user. */
export const createUserRequestSchema = z.object({
  email: emailSchema.optional(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
});
/** The answer of call 5. */
export const userSchema = z.object({
  id: idSchema,
  email: z.string().nullish(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
});

/** The body of call 7 (D11: `expires_at` is always sent). */
export const issueTokenRequestSchema = z.object({ expires_at: instantSchema });
/** The answer of call 7. `expires_at` null means that the service did not say (D12). */
export const issuedTokenSchema = z.object({ token: z.string().min(1), expires_at: instantSchema.nullish() });
/** The answer of call 8: a date, or nothing (D9). */
export const renewedTokenSchema = z.object({ expires_at: instantSchema.nullish() });

/** The answer of the token endpoint (D3). */
export const accessTokenSchema = z.object({
  /** Goes into a header as it is, so nothing may stand in it that a header cannot hold. */
  access_token: z.string().regex(/^[\x21-\x7e]+$/, "not an access token"),
  token_type: z.string().optional(),
  expires_in: z.coerce.number().positive().default(900),
});
/** The form that the token endpoint takes (D3). */
export const tokenRequestSchema = z.discriminatedUnion("grant_type", [
  z.object({ grant_type: z.literal("password"), username: z.string().min(1), password: z.string().min(1) }),
  z.object({
    grant_type: z.literal("client_credentials"),
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
  }),
]);

/** An error body of D30, and the shape of a 422. */
export const errorBodySchema = z.union([
  z.object({
    error: z.object({ code: z.string().optional(), message: z.string(), data: z.unknown().optional() }),
  }),
  z.object({
    detail: z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }))
      .min(1),
  }),
]);

/** An error body of OAuth 2.0, as token endpoints answer it. */
export const oauthErrorSchema = z.object({ error: z.string(), error_description: z.string().optional() });
/** The body of a FastAPI service's own errors. Shown where it is a reason, never taken for the contract's (D15). */
export const plainDetailSchema = z.object({ detail: z.string() });

export type ListedServiceAccount = z.output<typeof serviceAccountSchema>;
export type CreatedServiceAccount = z.output<typeof createdServiceAccountSchema>;
export type ServiceAccountList = z.output<typeof serviceAccountListSchema>;
export type CreateUserRequest = z.input<typeof createUserRequestSchema>;
export type OnboardingResult = z.output<typeof onboardingResultSchema>;
export type User = z.output<typeof userSchema>;
export type IssuedToken = z.output<typeof issuedTokenSchema>;
export type RenewedToken = z.output<typeof renewedTokenSchema>;
export type TokenRequest = z.output<typeof tokenRequestSchema>;
