/** What both ways to create a user share: the record of a machine user's creation, and what follows if it stays undecided. */

import { ApiError } from "../../api/calls/errors.ts";
import type { User } from "../../api/schemas/schemas.ts";
import { messageOf } from "../../util/text.ts";
import type { EarlierCreation, MachineUser } from "../creations.ts";
import { withNextStep } from "../failures.ts";
import type { CallContext } from "../resource.ts";
import type { OrgUserInputs } from "./schema.ts";

/** One creation: who, and what sends it. */
export interface Creation {
  readonly news: OrgUserInputs;
  readonly who: string;
  readonly context: CallContext;
  readonly send: () => Promise<User>;
}

/** The answer or the refusal matters more than its record: without it, the next run may ask for a decision. */
export async function warnIfFailed(
  record: () => Promise<void>,
  who: string,
  context: CallContext,
): Promise<void> {
  try {
    await record();
  } catch (error) {
    context.warn(`OrgUser ${who}: ${messageOf(error)}.`);
  }
}

export function undecidedError(
  { time, loggedId, userId = loggedId, isUnchecked, discard }: EarlierCreation,
  user: MachineUser,
  who: string,
): Error {
  const found =
    userId === undefined
      ? "and recorded no response, so the user may exist"
      : `and created user ${userId}, which is ${isUnchecked ? "" : "in the audit log but "}not in the state`;
  const error = new ApiError({
    code: "blocked",
    call: "add user",
    method: "POST",
    path: `/organizations/${user.organizationId}/users`,
    reason: `not sent: a run at ${time} requested a machine user named ${who} ${found}`,
  });
  return withNextStep(
    error,
    `Check in the service whether the user exists. If so, set \`adopt: "${userId ?? "<user id>"}"\` and \`onDelete: "delete"\` on this OrgUser; if not, run \`${discard}\`. Then run \`pulumi up\` again.`,
    "machine-user-undecided",
  );
}
