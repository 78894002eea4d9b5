/**
 * The fields of a roster: one table for CSV, YAML and JSON. A schema reads the text of a field that is there and not
 * empty.
 */

import { z } from "zod";
import { organizationIdSchema } from "../../provider/api/schemas/schemas.ts";
import { keepPreviousForSchema, PERIOD_FORM } from "../../provider/resources/rotation-schedule.ts";
import { EXPIRY_PERIOD } from "../../provider/resources/user-token/dates.ts";
import { DURATION_FORM } from "../../provider/util/duration.ts";
import { INSTANT_FORM, MOST_TOLERANCE_MONTHS } from "../../provider/util/instants.ts";
import { RECIPIENT_FORM } from "../../provider/util/recipients.ts";
import {
  ADOPTED_TOKEN,
  addressSchema,
  countSchema,
  DATE_FORM,
  DIRECTORY,
  dateSchema,
  expirySchema,
  FLAG_FORM,
  flagSchema,
  idField,
  KEY_FORM,
  keySchema,
  membershipSchema,
  NAME_CHARACTERS,
  nameSchema,
  ON_DELETE,
  onDeleteSchema,
  periodSchema,
  recipientSchema,
  requireSealedTokensSchema,
  spanSchema,
  tokenSchema,
  toleranceSchema,
} from "./field-forms.ts";

/** What docs/rosters.md says about a field. */
interface FieldText {
  readonly meaning: string;
  readonly form: string;
  /** What an empty or missing field means. */
  readonly empty: string;
}

export const fieldTexts = z.registry<FieldText>();

function field<Schema extends z.ZodType>(schema: Schema, text: FieldText): z.ZodOptional<Schema> {
  const read = schema.optional();
  fieldTexts.add(read, text);
  return read;
}

/** The fields of one row that are there and not empty, read. */
export const personSchema = z.object({
  key: field(keySchema, {
    meaning: "permanent name of the person's resources",
    form: KEY_FORM,
    empty: "the email in lower case",
  }),
  email: field(addressSchema, {
    meaning: "the person's email",
    form: "an email address, in any letter case",
    empty: "the row is a machine user, which has a purpose instead",
  }),
  purpose: field(nameSchema, {
    meaning: "what the token of a machine user is for",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "the row is a person, who has an email instead",
  }),
  first_name: field(nameSchema, {
    meaning: "first name of a person; orgseat sends it only when it adds the person",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "none",
  }),
  last_name: field(nameSchema, {
    meaning: "last name of a person; orgseat sends it like the first name",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "none",
  }),
  team: field(z.string(), { meaning: "a note for readers of the file", form: "any text", empty: "none" }),
  seat: field(flagSchema, { meaning: "whether the person has a seat", form: FLAG_FORM, empty: "yes" }),
  token: field(tokenSchema, {
    meaning:
      "whether the person has a token, which requires a seat. `adopt`: adopts the existing token, without its value",
    form: `${FLAG_FORM}; or ${ADOPTED_TOKEN}`,
    empty: "the value of `seat`",
  }),
  expires: field(expirySchema, {
    meaning:
      "when the token expires: a date, or a period, which begins when a run issues or renews the token. The first run after half of the period renews it",
    form: `${DATE_FORM}; or ${EXPIRY_PERIOD}`,
    empty: "the end of the subscription",
  }),
  window: field(spanSchema, {
    meaning: "how long before `expires` orgseat renews the token",
    form: DURATION_FORM,
    empty: "orgseat does not renew the token early",
  }),
  expiration_tolerance_months: field(toleranceSchema, {
    meaning: "how many months the token works after its date; the platform includes them in the expiry",
    form: `0 to ${MOST_TOLERANCE_MONTHS}`,
    empty: "0",
  }),
  send_email: field(flagSchema, {
    meaning: "whether the platform sends the person an email about a new seat and a new token",
    form: FLAG_FORM,
    empty: "no",
  }),
  recipients: field(recipientSchema, {
    meaning: "the person's public key; only the owner of its private key can read the token",
    form: `${RECIPIENT_FORM}; several, separated by spaces`,
    empty: "Pulumi encrypts the token in the state",
  }),
  keep_value: field(flagSchema, {
    meaning:
      "whether the state stores the value of the token. If not, you cannot read it later. Not with `recipients`",
    form: FLAG_FORM,
    empty: "yes",
  }),
  user_id: field(idField, {
    meaning: "the user ID of an existing member to adopt",
    form: "a user ID",
    empty: "orgseat adds the person",
  }),
  rotation: field(z.string(), {
    meaning: "a later date or timestamp, or a changed text, issues a new token",
    form: `${INSTANT_FORM}, or any other text`,
    empty: "no rotation",
  }),
  rotate_every: field(periodSchema, {
    meaning: "how often `orgseat up` issues a new token automatically, on a different day for each person",
    form: PERIOD_FORM,
    empty: "never",
  }),
  keep_previous: field(keepPreviousForSchema, {
    meaning: "how long a rotated token stays valid beside the new one, where a user can have several tokens",
    form: `${DURATION_FORM}, up to 3650d`,
    empty: "the run revokes it after it has issued the new one",
  }),
  access_until: field(dateSchema, {
    meaning:
      "when the access ends; the next run after that removes the person, as if you had deleted the row",
    form: DATE_FORM,
    empty: "the access has no end",
  }),
  protected: field(flagSchema, {
    meaning: "whether orgseat refuses to take anything away from the person",
    form: FLAG_FORM,
    empty: "no",
  }),
  exempt: field(flagSchema, {
    meaning: "whether `orgseat reclaim` leaves the seat, even if it is idle",
    form: FLAG_FORM,
    empty: "no, unless the person is protected",
  }),
  idle_notice: field(dateSchema, {
    meaning: "when `orgseat reclaim` found the seat idle for the first time; it writes this field itself",
    form: DATE_FORM,
    empty: "the seat is in use, or no one has looked",
  }),
});

/** The same of the header. */
export const headerSchema = z.object({
  organization: field(organizationIdSchema, {
    meaning: "the organization's ID",
    form: "its name in the address of its console, such as `acme-data`, or a GUID",
    empty: "none; required",
  }),
  roster: field(
    z
      .guid(
        "not a valid roster id. Restore the GUID that `orgseat up` wrote, or leave the field out in a new roster",
      )
      .toLowerCase(),
    {
      meaning:
        "the ID of this roster; its Pulumi stack stores the ID too, and refuses rosters with a different one",
      form: "a GUID, which the first `orgseat up` or `orgseat adopt` writes",
      empty: "the roster has not been applied yet",
    },
  ),
  subscription: field(dateSchema, {
    meaning: "the end of the subscription",
    form: DATE_FORM,
    empty: "`orgseat:subscriptionExpiresAt`",
  }),
  seats: field(countSchema, { meaning: "purchased seats", form: "a whole number", empty: "`orgseat:seats`" }),
  rows: field(countSchema, {
    meaning: "the number of people in the file, to detect a truncated file",
    form: "a whole number",
    empty: "not checked",
  }),
  max_removals: field(countSchema, {
    meaning: "how many people may lose access in one run, if the removal limit is not lower",
    form: "a whole number",
    empty: "the removal limit",
  }),
  owner: field(nameSchema, {
    meaning: "who answers for the file; plans of a roster of several files show it",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "none",
  }),
  require_sealed_tokens: field(requireSealedTokensSchema, {
    meaning:
      "`true`: each person with a token needs `recipients`, except for an adopted token until it is rotated",
    form: "true",
    empty: "`orgseat:requireSealedTokens`",
  }),
  on_delete: field(onDeleteSchema, {
    meaning:
      "what happens to a person whose row you delete: `delete` ends the membership, `retain` leaves it",
    form: ON_DELETE.join(" or "),
    empty: "delete",
  }),
  membership: field(membershipSchema, {
    meaning:
      "`directory`: an identity provider (SSO, SCIM) adds and removes the members, and orgseat manages only their seats and tokens",
    form: DIRECTORY,
    empty: "orgseat adds and removes the members",
  }),
});

export type PersonField = keyof z.output<typeof personSchema>;
export type HeaderField = keyof z.output<typeof headerSchema>;

export const personNames = personSchema.keyof().options;
export const headerNames = headerSchema.keyof().options;
