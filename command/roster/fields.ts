/**
 * The fields of a roster: one table for CSV, YAML and JSON; docs/rosters.md says what each means. A schema reads the text of a
 * field that is there and not empty.
 */
import { z } from "zod";
import { organizationIdSchema } from "../../provider/api/schemas/schemas.ts";
import { keepPreviousForSchema } from "../../provider/resources/rotation-schedule.ts";
import {
  addressSchema,
  countSchema,
  dateSchema,
  expirySchema,
  flagSchema,
  idField,
  keySchema,
  membershipSchema,
  nameSchema,
  onDeleteSchema,
  periodSchema,
  recipientSchema,
  requireSealedTokensSchema,
  spanSchema,
  tokenSchema,
  toleranceSchema,
} from "./field-forms.ts";

/** The fields of one row that are there and not empty, read. */
export const personSchema = z
  .object({
    key: keySchema,
    email: addressSchema,
    purpose: nameSchema,
    first_name: nameSchema,
    last_name: nameSchema,
    team: z.string(),
    seat: flagSchema,
    token: tokenSchema,
    expires: expirySchema,
    window: spanSchema,
    expiration_tolerance_months: toleranceSchema,
    send_email: flagSchema,
    recipients: recipientSchema,
    keep_value: flagSchema,
    user_id: idField,
    rotation: z.string(),
    rotate_every: periodSchema,
    keep_previous: keepPreviousForSchema,
    access_until: dateSchema,
    protected: flagSchema,
    exempt: flagSchema,
    idle_notice: dateSchema,
  })
  .partial();

/** The same of the header. */
export const headerSchema = z
  .object({
    organization: organizationIdSchema,
    roster: z
      .guid(
        "not a valid roster id. Restore the GUID that `orgseat up` wrote, or leave the field out in a new roster",
      )
      .toLowerCase(),
    subscription: dateSchema,
    seats: countSchema,
    rows: countSchema,
    max_removals: countSchema,
    owner: nameSchema,
    require_sealed_tokens: requireSealedTokensSchema,
    on_delete: onDeleteSchema,
    membership: membershipSchema,
  })
  .partial();

export type PersonField = keyof z.output<typeof personSchema>;
export type HeaderField = keyof z.output<typeof headerSchema>;

export const personNames = personSchema.keyof().options;
export const headerNames = headerSchema.keyof().options;
