/**
 * The fields of a roster: one table for CSV, YAML and JSON. A schema reads the text of a field that is there and not
 * empty.
 */
import { z } from "zod";
import { PERIOD_FORM } from "../../../provider/resources/rotation-schedule.ts";
import { DURATION_FORM } from "../../../provider/util/duration.ts";
import { INSTANT_FORM, MOST_TOLERANCE_MONTHS } from "../../../provider/util/instants.ts";
import { RECIPIENT_FORM } from "../../../provider/util/recipients.ts";
import { grouped } from "../../../provider/util/text.ts";
import {
  ADOPTED_TOKEN,
  countSchema,
  DATE_FORM,
  dateSchema,
  FLAG_FORM,
  flagSchema,
  idField,
  KEY_FORM,
  keySchema,
  MODULE_FORM,
  MOST_STACKS,
  moduleSchema,
  NAME_CHARACTERS,
  nameSchema,
  periodSchema,
  REMOVALS,
  readBy,
  readEmail,
  recipientSchema,
  removalSchema,
  sealTokensSchema,
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
    empty: "a managed user, which has a purpose instead",
  },
  purpose: {
    schema: nameSchema,
    meaning: "what the token of a managed user is for",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "a person, who has an email instead",
  },
  first_name: {
    schema: nameSchema,
    meaning: "first name of a person; orgseat sends it when it adds the person",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "none",
  },
  last_name: {
    schema: nameSchema,
    meaning: "last name, as the first name",
    form: `1 to ${NAME_CHARACTERS} characters`,
    empty: "none",
  },
  team: { schema: z.string(), meaning: "a note for readers of the file", form: "any text", empty: "none" },
  seat: { schema: flagSchema, meaning: "whether the person has a seat", form: FLAG_FORM, empty: "yes" },
  token: {
    schema: tokenSchema,
    meaning:
      "whether the person has a token; requires a seat. `adopt`: the existing token, without its value",
    form: `${FLAG_FORM}; or ${ADOPTED_TOKEN}`,
    empty: "the value of `seat`",
  },
  expires: {
    schema: dateSchema,
    meaning: "when the token expires",
    form: DATE_FORM,
    empty: "the end of the subscription",
  },
  window: {
    schema: spanSchema,
    meaning: "how long before `expires` the token is renewed",
    form: DURATION_FORM,
    empty: "the token is not renewed before it expires",
  },
  expiration_tolerance_months: {
    schema: toleranceSchema,
    meaning: "how many months longer the token works; the platform counts them as part of its expiry",
    form: `0 to ${MOST_TOLERANCE_MONTHS}`,
    empty: "0",
  },
  send_email: {
    schema: flagSchema,
    meaning: "whether the platform sends the person an email about a new seat and a new token",
    form: FLAG_FORM,
    empty: "no",
  },
  recipient: {
    schema: recipientSchema,
    meaning: "the person's public key: only its owner can read the token",
    form: `${RECIPIENT_FORM}; several, separated by spaces`,
    empty: "Pulumi encrypts the token in the state",
  },
  keep_token: {
    schema: flagSchema,
    meaning: "whether the state keeps the token. If not, it cannot be read later. Not with `recipient`",
    form: FLAG_FORM,
    empty: "yes",
  },
  user_id: {
    schema: idField,
    meaning: "an existing membership to adopt",
    form: "a user id",
    empty: "the person is added",
  },
  rotation: {
    schema: z.string(),
    meaning: "a later date or instant issues a new token; so does another text",
    form: `${INSTANT_FORM}, or any other text`,
    empty: "no rotation",
  },
  rotate_every: {
    schema: periodSchema,
    meaning: "how often `orgseat up` issues a new token automatically, each person on another day",
    form: PERIOD_FORM,
    empty: "never",
  },
  access_until: {
    schema: dateSchema,
    meaning: "when the access ends: later runs remove the person, as for a deleted row",
    form: DATE_FORM,
    empty: "the access has no end",
  },
  protected: {
    schema: flagSchema,
    meaning: "whether runs must not take anything away from the person",
    form: FLAG_FORM,
    empty: "no",
  },
} as const satisfies Record<string, Field>;

export const headerFields = {
  organization: {
    schema: z.guid(
      "not a valid organization id (expected a GUID, such as 1b4e28ba-2fa1-11d2-883f-0016d3cca427)",
    ),
    meaning: "the organization's id",
    form: "a GUID",
    empty: "an error",
  },
  roster: {
    schema: z
      .guid(
        "not a valid roster id. Restore the GUID that `orgseat up` wrote, or leave the field out in a new roster",
      )
      .toLowerCase(),
    meaning: "the id of this roster; its Pulumi stacks have the same id and refuse another",
    form: "a GUID, which the first `orgseat up` or `orgseat adopt` writes",
    empty: "this roster was never applied",
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
    meaning: "the number of people in the file; a truncated file has fewer",
    form: "a whole number",
    empty: "not checked",
  },
  stacks: {
    schema: stacksSchema,
    meaning: "the number of Pulumi stacks for these people",
    form: `1 to ${grouped(MOST_STACKS)}`,
    empty: "those that exist; in a new organization 1 for up to 200 people, else 1 per 150",
  },
  seal_tokens: {
    schema: sealTokensSchema,
    meaning: "`required`: each person with a token needs a `recipient`",
    form: "required",
    empty: "`orgseat:sealTokens`",
  },
  removal: {
    schema: removalSchema,
    meaning:
      "what happens to a person whose row you delete: `remove` ends the membership, `release` keeps it",
    form: REMOVALS.join(" or "),
    empty: "remove",
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
  recipient: optional(personFields.recipient),
  keep_token: optional(personFields.keep_token),
  user_id: optional(personFields.user_id),
  rotation: optional(personFields.rotation),
  rotate_every: optional(personFields.rotate_every),
  access_until: optional(personFields.access_until),
  protected: optional(personFields.protected),
} satisfies Record<PersonField, z.ZodType>);

/** The same of the header. */
export const headerSchema = z.object({
  organization: optional(headerFields.organization),
  roster: optional(headerFields.roster),
  subscription: optional(headerFields.subscription),
  seats: optional(headerFields.seats),
  rows: optional(headerFields.rows),
  stacks: optional(headerFields.stacks),
  seal_tokens: optional(headerFields.seal_tokens),
  removal: optional(headerFields.removal),
  deliver: optional(headerFields.deliver),
} satisfies Record<HeaderField, z.ZodType>);

function namesOf<Name extends string>(table: Readonly<Record<Name, Field>>): Name[] {
  return Object.keys(table).filter((name): name is Name => name in table);
}

export const personNames = namesOf(personFields);
export const headerNames = namesOf(headerFields);
