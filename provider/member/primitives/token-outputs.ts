/** The outputs of a UserToken: its inputs that name it and its dates, its value, what is held, and what the service shows of it. */
import { z } from "zod";
import { commonOutputs } from "../../resources/resource.ts";
import { STATE_VERSION } from "../../resources/resource-types.ts";
import { inputs, previousSchema } from "../../resources/user-token/schema.ts";
import type { Kept } from "../../resources/user-token/sealing.ts";
import { type Executed, valueAfter } from "../execute/execute.ts";
import { endOf, type HeldUser, heldSchema } from "../held.ts";

export const outputs = z.object({
  ...commonOutputs,
  userId: inputs.userId,
  organizationId: inputs.organizationId,
  credentials: inputs.credentials,
  expiresAt: inputs.expiresAt,
  subscriptionExpiresAt: inputs.subscriptionExpiresAt,
  value: z.string().optional(),
  sealedValue: z.string().optional(),
  tokenId: z.string().nullish(),
  previous: previousSchema.optional(),
  issuedAt: z.string().optional(),
  reportedExpiresAt: z.string().nullable(),
  validUntil: z.string().optional(),
  expirySource: z.enum(["service", "declared"]),
  held: heldSchema,
});
const inputsSchema = z.object(inputs);
export type Inputs = z.output<typeof inputsSchema>;
export type Outputs = z.output<typeof outputs>;
type Dates = Pick<
  Inputs,
  "userId" | "organizationId" | "credentials" | "expiresAt" | "subscriptionExpiresAt"
>;

export function outsOf(
  news: Dates,
  executed: Pick<Executed, "held" | "kept">,
  { value, sealedValue }: Kept,
): Outputs {
  const { held } = executed;
  const user = held.users.find(({ tokens }) => tokens.length > 0) ?? held.users[0];
  const { userId, organizationId, credentials, expiresAt, subscriptionExpiresAt } = news;
  return {
    ...{ stateVersion: STATE_VERSION, userId: held.users[0]?.id ?? userId, organizationId, credentials },
    ...{ expiresAt, subscriptionExpiresAt },
    ...valueAfter(executed, { value, sealedValue }),
    ...shownOf(user),
    held,
  };
}

function shownOf(user: HeldUser | undefined) {
  const [token, ...earlier] = user?.tokens ?? [];
  const previous = earlier.flatMap(({ id, endsAfter }) =>
    id === undefined || endsAfter === undefined ? [] : [{ tokenId: id, removeAfter: endsAfter }],
  );
  return {
    tokenId: token?.id ?? (token?.others === undefined ? undefined : null),
    ...(previous.length > 0 && { previous }),
    issuedAt: token?.issuedAt,
    reportedExpiresAt: token?.reportedEnd ?? null,
    validUntil: token && endOf(token),
    expirySource: token?.reportedEnd === undefined ? ("declared" as const) : ("service" as const),
  };
}
