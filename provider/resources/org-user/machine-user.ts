/**
 * Creates a managed user at most once, where users cannot be listed: each creation is recorded before it is sent, and what
 * earlier runs recorded is checked first. Without a list, a lost response is not sent again.
 */

import { ApiError } from "../../api/calls/errors.ts";
import type { User } from "../../api/schemas/schemas.ts";
import type { EarlierCreation, ManagedUser } from "../creations.ts";
import { mayHaveSucceeded, withNextStep } from "../failures.ts";
import { isOwned } from "../ownership.ts";
import type { CallContext } from "../resource.ts";

/**
 * Creates a managed user, or finds the one that an earlier run created for this state and could not write into it.
 * @throws Error where an earlier creation has no recorded response: nothing is sent
 */
export async function createRecorded(
  user: ManagedUser,
  who: string,
  context: CallContext,
  send: () => Promise<User>,
): Promise<Pick<User, "id" | "email">> {
  const begun = await context
    .creations()
    .begin(user, (id) => isOwned(context, "OrgUser", id, user.organizationId));
  if (begun.kind === "earlier") {
    const { userId, isAudited, time } = begun;
    if (userId === undefined || isAudited) throw undecidedError(begun, user, who);
    await begun.take(userId);
    context.warn(
      `OrgUser ${who}: adopted user ${userId}. An earlier run created this user at ${time}, and the state does not contain it. Nothing was sent.`,
    );
    return { id: userId };
  }
  let answered: User;
  try {
    answered = await send();
  } catch (error) {
    if (!mayHaveSucceeded(error)) await warnIfFailed(begun.refused, who, context);
    throw error;
  }
  await warnIfFailed(() => begun.succeeded(answered.id), who, context);
  return answered;
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
    context.warn(`OrgUser ${who}: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

export function undecidedError(
  { time, userId, discard }: EarlierCreation,
  user: ManagedUser,
  who: string,
): Error {
  const found =
    userId === undefined
      ? "and recorded no response, so the user may exist"
      : `and created user ${userId}, whom the audit log shows and the state does not contain`;
  const error = new ApiError({
    code: "blocked",
    call: "add user",
    method: "POST",
    path: `/organizations/${user.organizationId}/users`,
    reason: `not sent: a run at ${time} requested a managed user named ${who} ${found}`,
  });
  return withNextStep(
    error,
    `Check in the service whether the user exists. If so, set \`adopt: "${userId ?? "<user id>"}"\` and \`onDelete: "remove"\` on this OrgUser; if not, run \`${discard}\`. Then run \`pulumi up\` again.`,
    "managed-user-undecided",
  );
}
