/**
 * The requests and responses of the organization area, as zod schemas. Unknown fields are ignored. Ids such as D18 are
 * decisions in docs/internal/contract.md.
 */
import { z } from "zod";
import { INSTANT_FORM, parseInstant } from "../../util/instants.ts";
import { firstCharacter, folded, inert } from "../../util/text.ts";

/** An id that the service made: a GUID in all known services, and never a text that a path would have to escape. */
export const idSchema = z.string().regex(/^[A-Za-z0-9._~-]{1,128}$/, "not an id");

/** What separates the parts of an address, and what no one sees in one. */
const NOT_IN_ID = /[/?#\\]|\p{White_Space}|\p{Cc}|\p{Cf}|\p{Cs}|\p{Default_Ignorable_Code_Point}/u;

/**
 * The id of an organization: its name in the addresses of the service, such as `acme-data`, or a GUID. Program, roster,
 * configuration, and plugin have this schema alone. Paths encode it.
 */
export const organizationIdSchema = z.string().superRefine((text, context) => {
  const issue = organizationIdIssue(text);
  if (issue === undefined) return;
  const message = `not an organization id: ${issue}. Copy it from the address of the organization in the console`;
  context.addIssue({ code: "custom", message });
});

function organizationIdIssue(text: string): string | undefined {
  if (text === "") return "it is empty";
  // A path with them is another path, even if they are encoded.
  if (text === "." || text === "..") return `"${text}" is no name in an address`;
  const found = firstCharacter(text, NOT_IN_ID);
  return found && `it contains ${found.codePoint} in column ${found.column}`;
}

/**
 * The mailboxes of RFC 6531, in letters of any script, whose domain is an address or has a dot. Spaces and characters that
 * act on a terminal are excluded, even in quotes, and texts that would fill the stack of the expression.
 */
const BEYOND_ASCII = "[^\\x00-\\x9f\\s\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]";
const ATOM = `(?:[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]|${BEYOND_ASCII})+`;
const QUOTED = `"(?:[!#-[\\]-~]|\\\\[!-~]|${BEYOND_ASCII})*"`;
const LABEL = `(?!-)(?:[A-Za-z0-9-]|${BEYOND_ASCII})+(?<!-)`;
const MAILBOX = new RegExp(
  `^(?![^]{1001})(?:${ATOM}(?:\\.${ATOM})*|${QUOTED})@(?:${LABEL}(?:\\.${LABEL})+|\\[[!-Z^-~]+\\])$`,
  "u",
);

/** What text processors and copies put into an address: it then looks like another one, which is another mailbox. */
const NOT_IN_ADDRESS: readonly (readonly [kind: RegExp, name: string])[] = [
  [/\p{Cc}/u, "a control character"],
  [/\p{White_Space}/u, "a space"],
  [/[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cs}]/u, "an invisible character"],
  [/(?![\p{ASCII}])\p{Quotation_Mark}/u, "a typographic quote"],
  // In lower case it is an i with a second dot, which looks like an i.
  [/\u0130|(?<=[Ii]\p{M}*)\u0307/u, "a second dot of an i"],
];

/** The character for which a text is no address, with its place, or its length; undefined if there is neither. */
export function addressIssue(text: string): string | undefined {
  if (text.length > MOST_CHARACTERS) return TOO_LONG;
  const found = NOT_IN_ADDRESS.flatMap(([kind, name]) => {
    const one = firstCharacter(text, kind);
    return one === undefined ? [] : [{ ...one, name }];
  });
  const [first] = found.toSorted((a, b) => a.column - b.column);
  if (first === undefined) return undefined;
  return `not an email address: ${first.codePoint} in column ${first.column} is ${first.name}. Type the address again`;
}

const NO_ADDRESS = "not an email address";
const MOST_CHARACTERS = 64 + 1 + 255;
const TOO_LONG = "too long for an email address (at most 64 bytes before the @, and 255 after it)";

function issueOf({ input }: { readonly input?: unknown }): string {
  return (typeof input === "string" ? addressIssue(input) : undefined) ?? NO_ADDRESS;
}

/** An email address on the wire, in any form: a service can list one that no one may write. */
export const mailboxSchema = z.email({ pattern: MAILBOX, error: issueOf });

/** An email address, compared and sent in lower case (D18) and in one form of letters with accents. */
export const emailSchema = mailboxSchema
  .refine((email) => addressIssue(email) === undefined, { error: issueOf })
  .refine(hasMailboxLength, TOO_LONG)
  .transform(folded);

function hasMailboxLength(email: string): boolean {
  const at = email.lastIndexOf("@");
  return Buffer.byteLength(email.slice(0, at)) <= 64 && Buffer.byteLength(email.slice(at + 1)) <= 255;
}

/** The rule for the name of a service account (section 2 of the interface; length by D8). */
export const SERVICE_ACCOUNT_NAME = /^[a-z0-9_-]{1,64}$/;

/** A timestamp of D37, converted to UTC with whole seconds. */
export const instantSchema = z.string().transform((text, context) => {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  context.addIssue({ code: "custom", message: `not ${INSTANT_FORM}` });
  return z.NEVER;
});

const serviceAccountFields = { name: z.string(), client_id: idSchema, org_id: z.string() };

/** A service account in the response of "list service accounts", which never contains its secret. */
export const serviceAccountSchema = z.object(serviceAccountFields);
/** The response of "create service account", the only one with `client_secret`. */
export const createdServiceAccountSchema = z.object({
  ...serviceAccountFields,
  ...{ name: z.string().optional(), org_id: z.string().optional() },
  client_secret: z.string().min(1),
});
export const createServiceAccountRequestSchema = z.object({
  name: z
    .string()
    .regex(SERVICE_ACCOUNT_NAME, "1 to 64 lower-case letters, digits, hyphens, and underscores are allowed"),
});

/**
 * The response of "list service accounts" in each form of D7. `complete` is false for a single object, which does not
 * prove that there is no other account.
 */
export const serviceAccountListSchema = z.union([
  z.array(serviceAccountSchema).transform((accounts) => ({ accounts, complete: true })),
  z
    .object({ items: z.array(serviceAccountSchema) })
    .transform(({ items }) => ({ accounts: items, complete: true })),
  z
    .object({ data: z.array(serviceAccountSchema) })
    .transform(({ data }) => ({ accounts: data, complete: true })),
  serviceAccountSchema.transform((account) => ({ accounts: [account], complete: false })),
]);

/** The request of "onboard users". */
export const onboardingRequestSchema = z.object({ user_emails: z.array(emailSchema) });

/** A count of "onboard users": a number, or a text with a number (D19). */
const countSchema = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,9}$/, "not a count")
    .transform(Number),
]);
/** The response of "onboard users". An email in neither list was refused (D20). */
export const onboardingResultSchema = z.object({
  users_in_onboarding_process: z.array(z.string()),
  users_unavailable_for_onboarding: z.array(z.string()),
  total_organization_seats: countSchema.optional(),
  available_organization_seats: countSchema.optional(),
});

/** The request of "add user". Without an email the service creates a machine user. */
export const createUserRequestSchema = z.object({
  email: emailSchema.optional(),
  first_name: z.string().nullish(),
  last_name: z.string().nullish(),
});
/** What members write about themselves. */
export const profileTextSchema = z.string().transform(inert);

/** The response of "add user". */
export const userSchema = z.object({
  id: idSchema,
  email: profileTextSchema.nullish(),
  first_name: profileTextSchema.nullish(),
  last_name: profileTextSchema.nullish(),
});

/** The request of "issue token", always with `expires_at` (D11). */
export const issueTokenRequestSchema = z.object({ expires_at: instantSchema });
/** The response of "issue token". `expires_at` can be null (D12). */
export const issuedTokenSchema = z.object({ token: z.string().min(1), expires_at: instantSchema.nullish() });
/** The response of "renew token": a date, or nothing (D9). A value is another one than before, or the same. */
export const renewedTokenSchema = z.object({
  expires_at: instantSchema.nullish(),
  token: z.string().min(1).nullish(),
});

/** Only characters that a header can contain. */
export const bearerSchema = z.string().regex(/^[\x21-\x7e]+$/, "not an access token");
/** The response of the token endpoint (D3). */
export const accessTokenSchema = z.object({
  access_token: bearerSchema,
  token_type: z.string().optional(),
  /** Null: the token does not expire. */
  expires_in: z
    .null()
    .transform(() => Number.POSITIVE_INFINITY)
    .or(z.coerce.number().positive())
    .default(900),
});
/** The form of the token endpoint (D3). */
export const tokenRequestSchema = z.discriminatedUnion("grant_type", [
  z.object({ grant_type: z.literal("password"), username: z.string().min(1), password: z.string().min(1) }),
  z.object({
    grant_type: z.literal("client_credentials"),
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
  }),
]);

/** The error bodies of D30, that of a 422 included. */
export const errorBodySchema = z.union([
  z.object({
    error: z.object({ code: z.string().optional(), message: z.string(), data: z.unknown().optional() }),
  }),
  z.object({
    detail: z
      .array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() }))
      .min(1),
  }),
]);

/** An error of the model area where all fields are optional. Nothing else is one: a router's body has other fields. */
export const partialErrorSchema = z.strictObject({
  error: z.object({ message: z.string().optional(), code: z.string().optional() }).optional(),
});

/** The error body of an OAuth 2.0 token endpoint. */
export const oauthErrorSchema = z.object({ error: z.string(), error_description: z.string().optional() });
/** The body of FastAPI's own errors: a reason for messages, but not an error body of the contract (D15). */
export const plainDetailSchema = z.object({ detail: z.string() });

export type ListedServiceAccount = z.output<typeof serviceAccountSchema>;
export type CreatedServiceAccount = z.output<typeof createdServiceAccountSchema>;
export type ServiceAccountList = z.output<typeof serviceAccountListSchema>;
export type CreateUserRequest = z.input<typeof createUserRequestSchema>;
type SeatCount = "total_organization_seats" | "available_organization_seats";
type EmailList = "users_in_onboarding_process" | "users_unavailable_for_onboarding";
/** What a service does not return is missing. An unreadable email is null. */
export type OnboardingResult = { readonly [count in SeatCount]?: number | undefined } & {
  readonly [list in EmailList]?: readonly (string | null)[] | undefined;
};
export type User = z.output<typeof userSchema>;
export type IssuedToken = z.output<typeof issuedTokenSchema>;
export type RenewedToken = z.output<typeof renewedTokenSchema>;
export type TokenRequest = z.output<typeof tokenRequestSchema>;
