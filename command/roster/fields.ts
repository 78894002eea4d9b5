/**
 * The fields of a roster: one table for CSV, YAML and JSON. A schema reads the text of a field that is there and not
 * empty.
 */
import { z } from "zod";
import { keepPreviousForSchema, PERIOD_FORM } from "../../provider/resources/rotation-schedule.ts";
import { EXPIRY_PERIOD } from "../../provider/resources/user-token/dates.ts";
import { DURATION_FORM } from "../../provider/util/duration.ts";
import { INSTANT_FORM, MOST_TOLERANCE_MONTHS } from "../../provider/util/instants.ts";
import { RECIPIENT_FORM } from "../../provider/util/recipients.ts";
import { grouped } from "../../provider/util/text.ts";
import {
  ADOPTED_TOKEN,
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
  MODULE_FORM,
  MOST_STACKS,
  membershipSchema,
  moduleSchema,
  NAME_CHARACTERS,
  nameSchema,
  ON_DELETE,
  onDeleteSchema,
  periodSchema,
  readBy,
  readEmail,
  recipientSchema,
  requireSealedTokensSchema,
  spanSchema,
  stacksSchema,
  tokenSchema,
  toleranceSchema,
} from "./field-forms.ts";

/** One field, as docs/rosters.md describes it. */
interface Field {
  readonly schema: z.ZodType<unknown, string>;
  readonly meaning: string;
  readonly form: string;
  /** What an empty or missing field means. */
  readonly empty: string;
}

export const personFields = {
  key: {
    schema: keySchema,
    meaning: "permanent name of the person's resources",
    form: KEY_FORM,
    empty: "the email in lower case",
  },
  email: {
    schema: readBy(readEmail, "not a valid email address (expected, for example, ada@acme.example)"),
    meaning: "the person's email",
    form: "an email address, in any letter case",
    empty: "the row is a machine user, which has a purpose instead",
  },
  purpose: {
    schema: nameSchema,
    meaning: "what the token of a machine user is for",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "the row is a person, who has an email instead",
  },
  first_name: {
    schema: nameSchema,
    meaning: "first name of a person; orgseat sends it only when it adds the person",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "none",
  },
  last_name: {
    schema: nameSchema,
    meaning: "last name of a person; orgseat sends it like the first name",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "none",
  },
  team: { schema: z.string(), meaning: "a note for readers of the file", form: "any text", empty: "none" },
  seat: { schema: flagSchema, meaning: "whether the person has a seat", form: FLAG_FORM, empty: "yes" },
  token: {
    schema: tokenSchema,
    meaning:
      "whether the person has a token, which requires a seat. `adopt`: adopts the existing token, without its value",
    form: `${FLAG_FORM}; or ${ADOPTED_TOKEN}`,
    empty: "the value of `seat`",
  },
  expires: {
    schema: expirySchema,
    meaning:
      "when the token expires: a date, or a period, which begins when a run issues or renews the token. The first run after half of the period renews it",
    form: `${DATE_FORM}; or ${EXPIRY_PERIOD}`,
    empty: "the end of the subscription",
  },
  window: {
    schema: spanSchema,
    meaning: "how long before `expires` orgseat renews the token",
    form: DURATION_FORM,
    empty: "orgseat does not renew the token early",
  },
  expiration_tolerance_months: {
    schema: toleranceSchema,
    meaning: "how many months the token works after its date; the platform includes them in the expiry",
    form: `0 to ${MOST_TOLERANCE_MONTHS}`,
    empty: "0",
  },
  send_email: {
    schema: flagSchema,
    meaning: "whether the platform sends the person an email about a new seat and a new token",
    form: FLAG_FORM,
    empty: "no",
  },
  recipients: {
    schema: recipientSchema,
    meaning: "the person's public key; only the owner of its private key can read the token",
    form: `${RECIPIENT_FORM}; several, separated by spaces`,
    empty: "Pulumi encrypts the token in the state",
  },
  keep_value: {
    schema: flagSchema,
    meaning:
      "whether the state stores the value of the token. If not, you cannot read it later. Not with `recipients`",
    form: FLAG_FORM,
    empty: "yes",
  },
  user_id: {
    schema: idField,
    meaning: "the user ID of an existing member to adopt",
    form: "a user ID",
    empty: "orgseat adds the person",
  },
  rotation: {
    schema: z.string(),
    meaning: "a later date or timestamp, or a changed text, issues a new token",
    form: `${INSTANT_FORM}, or any other text`,
    empty: "no rotation",
  },
  rotate_every: {
    schema: periodSchema,
    meaning: "how often `orgseat up` issues a new token automatically, on a different day for each person",
    form: PERIOD_FORM,
    empty: "never",
  },
  keep_previous: {
    schema: keepPreviousForSchema,
    meaning: "how long a rotated token stays valid beside the new one, where a user can have several tokens",
    form: `${DURATION_FORM}, up to 3650d`,
    empty: "the run revokes it after it has issued the new one",
  },
  access_until: {
    schema: dateSchema,
    meaning:
      "when the access ends; the next run after that removes the person, as if you had deleted the row",
    form: DATE_FORM,
    empty: "the access has no end",
  },
  protected: {
    schema: flagSchema,
    meaning: "whether orgseat refuses to take anything away from the person",
    form: FLAG_FORM,
    empty: "no",
  },
  exempt: {
    schema: flagSchema,
    meaning: "whether `orgseat reclaim` leaves the seat, even if it is idle",
    form: FLAG_FORM,
    empty: "no, unless the person is protected",
  },
  idle_notice: {
    schema: dateSchema,
    meaning: "when `orgseat reclaim` found the seat idle for the first time; it writes this field itself",
    form: DATE_FORM,
    empty: "the seat is in use, or no one has looked",
  },
} as const satisfies Record<string, Field>;

export const headerFields = {
  organization: {
    schema: z.guid(
      "not a valid organization id (expected a GUID, such as 1b4e28ba-2fa1-11d2-883f-0016d3cca427)",
    ),
    meaning: "the organization's ID",
    form: "a GUID",
    empty: "none; required",
  },
  roster: {
    schema: z
      .guid(
        "not a valid roster id. Restore the GUID that `orgseat up` wrote, or leave the field out in a new roster",
      )
      .toLowerCase(),
    meaning:
      "the ID of this roster; its Pulumi stacks store the ID too, and refuse rosters with a different one",
    form: "a GUID, which the first `orgseat up` or `orgseat adopt` writes",
    empty: "the roster has not been applied yet",
  },
  subscription: {
    schema: dateSchema,
    meaning: "the end of the subscription",
    form: DATE_FORM,
    empty: "`orgseat:subscriptionExpiresAt`",
  },
  seats: {
    schema: countSchema,
    meaning: "purchased seats",
    form: "a whole number",
    empty: "`orgseat:seats`",
  },
  rows: {
    schema: countSchema,
    meaning: "the number of people in the file, to detect a truncated file",
    form: "a whole number",
    empty: "not checked",
  },
  max_removals: {
    schema: countSchema,
    meaning: "how many people may lose access in one run, if the removal limit is not lower",
    form: "a whole number",
    empty: "the removal limit",
  },
  owner: {
    schema: nameSchema,
    meaning: "who answers for the file; plans of a roster of several files show it",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "none",
  },
  stacks: {
    schema: stacksSchema,
    meaning: "the number of Pulumi stacks for these people",
    form: `1 to ${grouped(MOST_STACKS)}`,
    empty: "the number that exists; for a new organization, 1 for up to 200 people, otherwise 1 per 150",
  },
  require_sealed_tokens: {
    schema: requireSealedTokensSchema,
    meaning:
      "`true`: each person with a token needs `recipients`, except for an adopted token until it is rotated",
    form: "true",
    empty: "`orgseat:requireSealedTokens`",
  },
  on_delete: {
    schema: onDeleteSchema,
    meaning:
      "what happens to a person whose row you delete: `delete` ends the membership, `retain` leaves it",
    form: ON_DELETE.join(" or "),
    empty: "delete",
  },
  membership: {
    schema: membershipSchema,
    meaning:
      "`directory`: an identity provider (SSO, SCIM) adds and removes the members, and orgseat manages only their seats and tokens",
    form: DIRECTORY,
    empty: "orgseat adds and removes the members",
  },
  deliver: {
    schema: moduleSchema,
    meaning: "a module that orgseat runs for each member, for example to put the token into a store",
    form: MODULE_FORM,
    empty: "none",
  },
} as const satisfies Record<string, Field>;

export type PersonField = keyof typeof personFields;
export type HeaderField = keyof typeof headerFields;

const optional = <Schema extends z.ZodType>(field: { readonly schema: Schema }) => field.schema.optional();

/** The fields of one row that are there and not empty, read. */
export const personSchema = z.object({
  key: optional(personFields.key),
  email: optional(personFields.email),
  purpose: optional(personFields.purpose),
  first_name: optional(personFields.first_name),
  last_name: optional(personFields.last_name),
  team: optional(personFields.team),
  seat: optional(personFields.seat),
  token: optional(personFields.token),
  expires: optional(personFields.expires),
  window: optional(personFields.window),
  expiration_tolerance_months: optional(personFields.expiration_tolerance_months),
  send_email: optional(personFields.send_email),
  recipients: optional(personFields.recipients),
  keep_value: optional(personFields.keep_value),
  user_id: optional(personFields.user_id),
  rotation: optional(personFields.rotation),
  rotate_every: optional(personFields.rotate_every),
  keep_previous: optional(personFields.keep_previous),
  access_until: optional(personFields.access_until),
  protected: optional(personFields.protected),
  exempt: optional(personFields.exempt),
  idle_notice: optional(personFields.idle_notice),
} satisfies Record<PersonField, z.ZodType>);

/** The same of the header. */
export const headerSchema = z.object({
  organization: optional(headerFields.organization),
  roster: optional(headerFields.roster),
  subscription: optional(headerFields.subscription),
  seats: optional(headerFields.seats),
  rows: optional(headerFields.rows),
  max_removals: optional(headerFields.max_removals),
  owner: optional(headerFields.owner),
  stacks: optional(headerFields.stacks),
  require_sealed_tokens: optional(headerFields.require_sealed_tokens),
  on_delete: optional(headerFields.on_delete),
  membership: optional(headerFields.membership),
  deliver: optional(headerFields.deliver),
} satisfies Record<HeaderField, z.ZodType>);

function namesOf<Name extends string>(table: Readonly<Record<Name, Field>>): Name[] {
  return Object.keys(table).filter((name): name is Name => name in table);
}

export const personNames = namesOf(personFields);
export const headerNames = namesOf(headerFields);
