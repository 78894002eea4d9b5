/** The inputs and outputs of a SeatAssignment. */
import { z } from "zod";
import { idSchema } from "../api/schemas.ts";
import { onDeleteSchema } from "./org-user-state.ts";
import { ownershipOutputs } from "./ownership.ts";
import { clientCredentialsSchema, commonOutputs, organizationIdSchema, STATE_VERSION } from "./resource.ts";

export const inputs = {
  userId: idSchema,
  adopt: z.boolean().optional(),
  onDelete: onDeleteSchema.optional(),
  sendEmail: z.boolean().optional(),
  allowAdminRemoval: z.boolean().optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};
export const outputs = z.object({
  ...inputs,
  ...commonOutputs,
  ...ownershipOutputs,
  adopted: z.boolean(),
  /** False where the response of the assignment was lost; the next update assigns again. */
  confirmed: z.boolean(),
});
const inputsSchema = z.object(inputs);
export type SeatAssignmentInputs = z.output<typeof inputsSchema>;
export type SeatAssignmentOutputs = z.output<typeof outputs>;

export function outsOf(
  news: SeatAssignmentInputs,
  { adopted, instance }: Pick<SeatAssignmentOutputs, "adopted" | "instance">,
): SeatAssignmentOutputs {
  return { ...news, stateVersion: STATE_VERSION, instance, adopted, confirmed: true };
}
