/** The inputs and outputs of an OrgUser. */

import { z } from "zod";
import { emailSchema, idSchema, organizationIdSchema, type User } from "../../api/schemas/schemas.ts";
import { actingCharacterIn } from "../../util/text.ts";
import { listedOutputs, type UserFacts } from "../members/user-facts.ts";
import { ownershipOutputs } from "../ownership.ts";
import { type CallContext, clientCredentialsSchema, commonOutputs } from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { creationSchema } from "./placeholder.ts";

const nameSchema = z
  .string()
  .trim()
  .min(1, "a name must not be empty")
  .max(200, "a name can have at most 200 characters")
  .refine((name) => actingCharacterIn(name) === undefined, "a name must not contain control characters");

/** What removal does to a membership or a seat. */
export const onDeleteSchema = z.enum(["delete", "retain"], "delete or retain");

export const inputs = {
  email: emailSchema.optional(),
  purpose: nameSchema.optional(),
  firstName: nameSchema.optional(),
  lastName: nameSchema.optional(),
  adopt: idSchema.optional(),
  onDelete: onDeleteSchema.optional(),
  allowAdminRemoval: z.boolean().optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
export const outputs = z.object({
  ...inputs,
  // A state can have what the service listed.
  email: z.string().optional(),
  ...commonOutputs,
  userId: z.string(),
  serviceEmail: z.string().nullable(),
  ...listedOutputs,
  ...ownershipOutputs,
  isMachineUser: z.boolean(),
  adopted: z.boolean(),
  creation: creationSchema.optional(),
});
const inputsSchema = z.object(inputs);
export type OrgUserInputs = z.output<typeof inputsSchema>;
export type OrgUserOutputs = z.output<typeof outputs>;

type ServiceOutputs = Pick<OrgUserOutputs, "userId" | "adopted" | "instance"> & Facts;
/** What a response reports: without lists the email only. */
export type Facts = Pick<OrgUserOutputs, "serviceEmail"> & Partial<UserFacts>;

/** One creation: who, and what sends it. */
export interface Creation {
  readonly news: OrgUserInputs;
  readonly who: string;
  readonly context: CallContext;
  readonly send: () => Promise<User>;
}

export function outsOf(news: OrgUserInputs, service: ServiceOutputs): OrgUserOutputs {
  return { ...news, stateVersion: STATE_VERSION, ...service, isMachineUser: news.email === undefined };
}
