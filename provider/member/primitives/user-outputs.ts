/** The outputs of an OrgUser: its inputs that name it, what is held, and what the service shows of it. */
import { z } from "zod";
import type { ListedUser } from "../../api/schemas/anaconda-schemas.ts";
import type { CallContext } from "../../resources/contexts.ts";
import { sharedMembers } from "../../resources/members/reads.ts";
import { factsOf, listedOutputs, spelling, type UserFacts } from "../../resources/members/user-facts.ts";
import { type OrgUserInputs as Inputs, inputs } from "../../resources/org-user/schema.ts";
import { commonOutputs } from "../../resources/resource.ts";
import { STATE_VERSION } from "../../resources/resource-types.ts";
import type { Executed } from "../execute/execute.ts";
import { type Held, heldSchema } from "../held.ts";
import { accessOf } from "./common.ts";

export const outputs = z.object({
  ...commonOutputs,
  // A state can have what the service listed.
  email: z.string().optional(),
  purpose: inputs.purpose,
  firstName: inputs.firstName,
  lastName: inputs.lastName,
  organizationId: inputs.organizationId,
  credentials: inputs.credentials,
  userId: z.string(),
  serviceEmail: z.string().nullable(),
  ...listedOutputs,
  isMachineUser: z.boolean(),
  adopted: z.boolean(),
  held: heldSchema,
});
export type Outputs = z.output<typeof outputs>;
/** What a response reports: without lists the email only. */
type Facts = Pick<Outputs, "serviceEmail"> & Partial<UserFacts>;

/** After a creation. */
export async function factsAfter({ added }: Executed, news: Inputs, context: CallContext): Promise<Facts> {
  const { adopt } = news;
  const shown = adopt === undefined ? added : (await sharedMembers(news, context))?.byId.get(adopt);
  if (shown === undefined) return { serviceEmail: null };
  // The service adds users as members.
  return context.can.canListUsers
    ? factsOf({ role: "member", ...shown }, news)
    : { serviceEmail: spelling(shown.email, news) };
}

/** What the list does not show stays as the state has it. */
export function withKnown(member: ListedUser, { email, serviceEmail, role }: Outputs): ListedUser {
  const before = serviceEmail ?? email;
  return { ...member, email: member.email || before, role: member.role ?? role ?? undefined };
}

export function outsOf(news: Omit<Inputs, "adopt">, held: Held, facts: Facts): Outputs {
  const { email, purpose, firstName, lastName } = news;
  const [user] = held.users;
  return {
    stateVersion: STATE_VERSION,
    ...{ email, purpose, firstName, lastName },
    ...accessOf(news),
    userId: user?.id ?? `undecided-${held.ref}`,
    ...facts,
    isMachineUser: email === undefined,
    adopted: user?.adopted === true,
    held,
  };
}
