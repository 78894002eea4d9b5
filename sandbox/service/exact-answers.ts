/**
 * The responses in platforms that list users, exactly as the description has them: stricter than the schemas of the client,
 * for the OpenAPI document and for a check of each response. exact-model-answers.ts has those of the model area.
 */

import { z } from "zod";
import type { CallTable } from "../../provider/api/calls/platform.ts";
import { memberRoles } from "../../provider/api/schemas/anaconda-schemas.ts";
import { mailboxSchema } from "../../provider/api/schemas/schemas.ts";
import { exactModelAnswers } from "./exact-model-answers.ts";

const account = { name: z.string(), client_id: z.guid(), org_id: z.string() };
const names = { first_name: z.string().optional(), last_name: z.string().optional() };
const instant = z.iso.datetime();

export const exactAnswers: { readonly [Name in keyof CallTable]?: z.ZodType } = {
  ...exactModelAnswers,
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
  createUser: z.strictObject({ id: z.guid(), email: mailboxSchema.optional(), ...names }),
  listUsers: z.strictObject({
    items: z.array(
      z.strictObject({
        id: z.guid(),
        email: mailboxSchema,
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

/** Optional fields without which a response would say nothing: the whole response, and which object or person it is about. */
const KEPT = ["data", "id", "users_in_onboarding_process", "users_unavailable_for_onboarding"];

/** The response without its optional fields. */
export function withoutOptional(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional) return withoutOptional(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item: unknown) => withoutOptional(schema.element, item));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== "object" || value === null) return value;
  const fields = Object.entries<z.core.$ZodType>(schema.shape).flatMap(([key, field]) => {
    const isLeftOut = field instanceof z.ZodOptional && !KEPT.includes(key);
    if (isLeftOut || !(key in value)) return [];
    return [[key, withoutOptional(field, Reflect.get(value, key))]];
  });
  return Object.fromEntries(fields);
}
