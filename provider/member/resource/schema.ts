/** The inputs and outputs of an OrgMember: what is wanted, and what is held. */
import { z } from "zod";
import { idSchema, instantSchema, organizationIdSchema } from "../../api/schemas/schemas.ts";
import { onDeleteSchema, inputs as userInputs } from "../../resources/org-user/schema.ts";
import { clientCredentialsSchema, commonOutputs } from "../../resources/resource.ts";
import { type Knowable, known, unknown } from "../../resources/unknown.ts";
import { inputs as tokenInputs } from "../../resources/user-token/schema.ts";
import { heldSchema } from "../held.ts";
import type { Wanted, WantedToken } from "../wanted.ts";

const seatSchema = z.union([
  z.boolean(),
  z.strictObject({ onDelete: onDeleteSchema.optional(), sendEmail: z.boolean().optional() }),
]);
const {
  userId: _user,
  organizationId: _organization,
  credentials: _credentials,
  allowAdminRemoval: _admin,
  subscriptionExpiresAt: _end,
  ...ofToken
} = tokenInputs;
const tokenSchema = z.strictObject(ofToken);
type TokenInputs = z.output<typeof tokenSchema>;

export const inputs = {
  /** Chosen by the plan of a roster. A program leaves it to the provider. */
  ref: idSchema.optional(),
  key: z.string().min(1).optional(),
  email: userInputs.email,
  purpose: userInputs.purpose,
  firstName: userInputs.firstName,
  lastName: userInputs.lastName,
  team: z.string().optional(),
  adopt: userInputs.adopt,
  onDelete: onDeleteSchema.optional(),
  allowAdminRemoval: z.boolean().optional(),
  protected: z.boolean().optional(),
  accessUntil: instantSchema.optional(),
  seat: seatSchema.optional(),
  token: tokenSchema.optional(),
  /** Of a roster whose users an identity provider adds and removes. */
  directory: z.literal(true).optional(),
  /** A row that the roster no longer has: nothing is wanted. */
  leaving: z.literal(true).optional(),
  subscriptionExpiresAt: instantSchema.optional(),
  organizationId: organizationIdSchema,
  credentials: clientCredentialsSchema.optional(),
};

/** Outputs share no name with an input of another shape: a preview would show the input. */
export const outputs = z.object({
  ...commonOutputs,
  /** Of the current user. */
  email: inputs.email,
  purpose: inputs.purpose,
  lastName: inputs.lastName,
  organizationId: inputs.organizationId,
  credentials: inputs.credentials,
  userId: z.string().optional(),
  hasSeat: z.boolean(),
  tokenValue: z.string().optional(),
  sealedValue: z.string().optional(),
  tokenState: z
    .object({
      id: z.string().optional(),
      issuedAt: z.string(),
      expiresAt: z.string(),
      value: z.enum(["kept", "sealed", "lost", "none"]),
    })
    .optional(),
  held: heldSchema,
});

const inputsSchema = z.object(inputs);
export type OrgMemberInputs = z.output<typeof inputsSchema>;
export type OrgMemberOutputs = z.output<typeof outputs>;

/** What the inputs want, as the pure functions read it. @param isChanged whether the organization is another one */
export function wantedOf(news: Knowable<OrgMemberInputs>, isChanged = false): Wanted {
  if (news.leaving === true) return { leaving: true, directory: known(news.directory) };
  const { seat } = news;
  const options = typeof seat === "object" ? seat : {};
  return {
    organization: isChanged ? "changed" : "same",
    ...{ key: news.key, email: news.email, purpose: news.purpose },
    ...{ firstName: news.firstName, lastName: news.lastName, team: news.team },
    userId: news.adopt,
    seat: seat === unknown ? unknown : seat !== undefined && seat !== false,
    sendSeatEmail: options.sendEmail,
    accessUntil: news.accessUntil,
    onDeleteUser: news.onDelete,
    onDeleteSeat: options.onDelete,
    allowAdminRemoval: news.allowAdminRemoval,
    protected: news.protected,
    subscriptionExpiresAt: news.subscriptionExpiresAt,
    directory: known(news.directory),
    token: news.token === unknown ? unknown : wantedToken(known(news.token)),
  };
}

function wantedToken(token: TokenInputs | undefined): WantedToken | undefined {
  if (token === undefined) return undefined;
  const { rotation, expirationToleranceMonths, ...same } = token;
  return { ...same, mark: rotation, tolerance: expirationToleranceMonths };
}
