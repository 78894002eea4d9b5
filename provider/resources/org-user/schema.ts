/** The inputs of an OrgUser. */
import { z } from "zod";
import { emailSchema, idSchema, organizationIdSchema } from "../../api/schemas/schemas.ts";
import { actingCharacterIn } from "../../util/text.ts";
import { clientCredentialsSchema } from "../resource.ts";

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
const inputsSchema = z.object(inputs);
export type OrgUserInputs = z.output<typeof inputsSchema>;
