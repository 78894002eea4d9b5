/**
 * Creates a managed user at most once. No call can find a managed user, so each creation is recorded before it is sent,
 * and the records of earlier runs are checked first.
 */
import { ApiError } from "../api/errors.ts";
import type { User } from "../api/schemas.ts";
import type { ManagedUser, RecordedCreation } from "./creations.ts";
import { mayHaveSucceeded, withNextStep } from "./failures.ts";
import type { CallContext } from "./resource.ts";

/**
 * Creates a managed user, or finds the one that an earlier run created for this state and could not write into it.
 * @throws Error where an earlier creation has no recorded response: nothing is sent
 */
export async function createOnce(
  user: ManagedUser,
  who: string,
  context: CallContext,
  send: () => Promise<User>,
): Promise<Pick<User, "id" | "email">> {
  const begun = context.creations.begin(user);
  if (begun.kind === "open") throw undecidedError(begun, user, who);
  if (begun.kind === "known") {
    context.warn(
      `OrgUser ${who}: adopted user ${begun.userId}. An earlier run created this user at ${begun.time}, and no run has found it in the state since. Nothing was sent.`,
    );
    return { id: begun.userId };
  }
  let answered: User;
  try {
    answered = await send();
  } catch (error) {
    if (!mayHaveSucceeded(error)) begun.refused();
    throw error;
  }
  try {
    begun.succeeded(answered.id);
  } catch (error) {
    // The state will have the user; if the state is lost too, a person decides.
    context.warn(`OrgUser ${who}: ${error instanceof Error ? error.message : String(error)}.`);
  }
  return answered;
}

function undecidedError(
  { time, userId, file }: RecordedCreation & { kind: "open" },
  user: ManagedUser,
  who: string,
): Error {
  const found =
    userId === undefined
      ? "and recorded no response, so the user may exist"
      : `and created user ${userId}, and this run cannot tell whether a state has that user`;
  const error = new ApiError({
    code: "blocked",
    call: "add user",
    method: "POST",
    path: `/organizations/${user.organizationId}/users`,
    reason: `not sent: a run at ${time} requested a managed user named ${who} ${found} (record: ${file})`,
  });
  return withNextStep(
    error,
    `Check in the service whether the user exists. If so, set \`adopt: "${userId ?? "<user id>"}"\` and \`onDelete: "remove"\` on this OrgUser; if not, delete ${file}. Then run \`pulumi up\` again.`,
    "managed-user-undecided",
  );
}
