/** The forms of a field's text: schemas whose messages follow the invalid text, and say what to write instead. */

import { z } from "zod";
import { addressIssue, emailSchema, idSchema } from "../../provider/api/schemas/schemas.ts";
import { PERIOD_FORM, parsePeriod } from "../../provider/resources/rotation-schedule.ts";
import { EXPIRY_FORM, parseExpiry } from "../../provider/resources/user-token/dates.ts";
import { DURATION_FORM, parseDuration } from "../../provider/util/duration.ts";
import { INSTANT_FORM, MOST_TOLERANCE_MONTHS, parseInstant } from "../../provider/util/instants.ts";
import { recipientIssues } from "../../provider/util/recipients.ts";

/** The most characters of a name, as the provider has it. */
export const NAME_CHARACTERS = 200;

/** A schema for a reader; the text is invalid if the reader returns undefined. */
export function readBy<Read extends string | number | boolean>(
  read: (text: string) => Read | undefined,
  message: string,
): z.ZodType<Read, string> {
  return z.string().transform((text, context) => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

export const KEY_FORM = "1 to 100 letters, digits, or . _ @ + -, starting with a letter or digit";
export const keySchema = readBy(
  (text) => readEmail(text) ?? (/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/.test(text) ? text : undefined),
  `not a valid key (expected ${KEY_FORM})`,
);

const NO_ADDRESS = "not a valid email address (expected, for example, ada@acme.example)";
export const addressSchema = z.string().transform((text, context) => {
  const email = readEmail(text);
  if (email !== undefined) return email;
  context.addIssue({ code: "custom", message: addressIssue(text) ?? NO_ADDRESS });
  return z.NEVER;
});

export function readEmail(text: string): string | undefined {
  const email = emailSchema.safeParse(text);
  return email.success ? email.data : undefined;
}

const lineSchema = z.string().regex(/^[^\n\r\t]*$/, "contains a line break or a tab. Write a space instead");
export const nameSchema = lineSchema.max(NAME_CHARACTERS, `too long (at most ${NAME_CHARACTERS} characters)`);

const FLAGS = new Map([
  ...["yes", "true", "1", "x"].map((text) => [text, true] as const),
  ...["no", "false", "0"].map((text) => [text, false] as const),
]);
export const flagSchema = readBy((text) => FLAGS.get(text.toLowerCase()), "expected yes or no");
/** The value of `token` for a token that exists already. */
export const ADOPTED_TOKEN = "adopt";
export const tokenSchema = readBy<boolean | typeof ADOPTED_TOKEN>(
  (text) => (text.toLowerCase() === ADOPTED_TOKEN ? ADOPTED_TOKEN : FLAGS.get(text.toLowerCase())),
  "expected yes, no, or adopt",
);

/** A timestamp in UTC. */
export const dateSchema = readBy(parseInstant, `not a valid date (expected ${INSTANT_FORM})`);
export const DATE_FORM = `${INSTANT_FORM}; a date is the end of that day in UTC`;

/** A timestamp in UTC, or a period. */
export const expirySchema = readBy(parseExpiry, `not a valid date or period (expected ${EXPIRY_FORM})`);

export const spanSchema = readBy(
  (text) => (parseDuration(text) === undefined ? undefined : text),
  `not a valid duration (expected ${DURATION_FORM})`,
);
export const periodSchema = readBy(
  (text) => (parsePeriod(text) === undefined ? undefined : text),
  `not a valid period (expected ${PERIOD_FORM})`,
);
export const idField = readBy(
  (text) => (idSchema.safeParse(text).success ? text : undefined),
  "not a valid user id. Copy it from the service",
);

export const countSchema = readBy(readCount, "not a valid count (expected a whole number, such as 120)");

export const toleranceSchema = readBy((text) => {
  const count = readCount(text);
  return count !== undefined && count <= MOST_TOLERANCE_MONTHS ? count : undefined;
}, `not a valid number of months (expected a whole number from 0 to ${MOST_TOLERANCE_MONTHS})`);

function readCount(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

export const recipientSchema = z.string().transform((text, context) => {
  const recipients = text.split(/\s+/);
  for (const message of recipientIssues(recipients)) context.addIssue({ code: "custom", message });
  return recipients;
});
/** One of these words, in any letter case. */
function choice<const Word extends string>(words: readonly Word[], message: string): z.ZodType<Word, string> {
  return z.string().toLowerCase().pipe(z.enum(words, message));
}

export const requireSealedTokensSchema = choice(
  ["true"],
  "expected true (each token has a recipient). To require none, leave the field out",
).transform(() => true);

export const ON_DELETE = ["delete", "retain"] as const;
export const onDeleteSchema = choice(
  ON_DELETE,
  "expected delete (orgseat removes a person without a row from the organization) or retain (the person stays a member)",
);

export const DIRECTORY = "directory";
export const membershipSchema = choice(
  [DIRECTORY],
  "expected directory (an identity provider adds and removes the members). If orgseat does, leave the field out",
);
