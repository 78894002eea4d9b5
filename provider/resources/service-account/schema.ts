/** The inputs and outputs of a ServiceAccount. */

import { z } from "zod";
import { organizationIdSchema, SERVICE_ACCOUNT_NAME } from "../../api/schemas/schemas.ts";
import type { PreviousAccount } from "../contexts.ts";
import { adminCredentialsSchema, commonOutputs, rotateEverySchema, rotationSchema } from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { keepPreviousForSchema } from "../rotation-schedule.ts";

export const inputs = {
  name: z
    .string()
    .regex(
      SERVICE_ACCOUNT_NAME,
      "not a valid service account name (1 to 64 lower-case letters, digits, hyphens, and underscores, for example, build-bot)",
    ),
  rotation: rotationSchema.optional(),
  rotateEvery: rotateEverySchema.optional(),
  keepPreviousFor: keepPreviousForSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: adminCredentialsSchema.optional(),
};
export const previousSchema = z.array(z.object({ clientId: z.string(), removeAfter: z.string() }));
export const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  clientId: z.string(),
  clientSecret: z.string(),
  /** When the account was created, a timestamp. Absent after an import. */
  issuedAt: z.string().optional(),
  /** The replaced accounts that still work, the newest first; absent if there are none. */
  previous: previousSchema.optional(),
});
const inputsSchema = z.object(inputs);
export type ServiceAccountInputs = z.output<typeof inputsSchema>;
export type ServiceAccountOutputs = z.output<typeof outputs>;

interface Account extends Pick<ServiceAccountOutputs, "clientId" | "clientSecret" | "issuedAt"> {
  readonly previous: readonly PreviousAccount[];
}

export function outsOf(
  news: ServiceAccountInputs,
  { clientId, clientSecret, issuedAt, previous }: Account,
): ServiceAccountOutputs {
  const kept = previous.length === 0 ? {} : { previous: [...previous] };
  return { ...news, stateVersion: STATE_VERSION, clientId, clientSecret, issuedAt, ...kept };
}
