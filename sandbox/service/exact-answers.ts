/**
 * The responses of the organization area in dialects that list users, as the sandbox sends them: stricter than the
 * schemas of the client, for the OpenAPI document and for a check of each response.
 */
import { z } from "zod";
import { memberRoles } from "../../provider/api/anaconda-schemas.ts";
import type { CallTable } from "../../provider/api/dialect.ts";

const account = { name: z.string(), client_id: z.guid(), org_id: z.string() };
const names = { first_name: z.string().optional(), last_name: z.string().optional() };
const instant = z.iso.datetime();

export const exactAnswers: { readonly [Name in keyof CallTable]?: z.ZodType } = {
  createServiceAccount: z.strictObject({ ...account, client_secret: z.string().min(1) }),
  listServiceAccounts: z.strictObject({ items: z.array(z.strictObject(account)) }),
  onboardUsers: z
    .strictObject({
      users_in_onboarding_process: z.array(z.string()),
      users_unavailable_for_onboarding: z.array(z.string()),
      total_organization_seats: z.string(),
      available_organization_seats: z.string(),
    })
    .partial(),
  createUser: z.strictObject({ id: z.guid(), email: z.email().optional(), ...names }),
  listUsers: z.strictObject({
    items: z.array(
      z.strictObject({
        id: z.guid(),
        email: z.email(),
        ...names,
        role: z.enum(memberRoles),
        subscriptions: z.array(z.string()),
        groups: z.array(z.unknown()).nullish(),
      }),
    ),
  }),
  issueToken: z.strictObject({ token: z.string().min(1), expires_at: instant.nullish() }),
  listTokens: z.strictObject({
    items: z.array(
      z.strictObject({
        id: z.guid(),
        expires_at: instant,
        metadata: z.record(z.string(), z.unknown()),
        revoked: z.boolean().nullish(),
      }),
    ),
  }),
};
