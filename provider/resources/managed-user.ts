/**
 * The creation of a managed user, which no call can look for and which must not be made twice: what an earlier run has
 * recorded is asked first, and each creation is recorded before it is sent.
 */
import { ApiError } from "../api/errors.ts";
import type { User } from "../api/schemas.ts";
import type { EarlierCreation, ManagedUser } from "./creations.ts";
import { mayHaveHappened, withNextStep } from "./failures.ts";
import type { CallContext } from "./resource.ts";

/**
 * Creates a managed user, or finds the one that an earlier run created for this state and could not write into it.
 * @throws Error where an earlier creation has no recorded answer: nothing is sent
 */
export async function createOnce(
  user: ManagedUser,
  who: string,
  context: CallContext,
  send: () => Promise<User>,
): Promise<Pick<User, "id" | "email">> {
  const begun = context.creations.begin(user);
  if (begun.kind === "open") throw undecided(begun, user, who);
  if (begun.kind === "known") {
    context.warn(
      `OrgUser ${who}: nothing was sent. User ${begun.userId}, which a run created at ${begun.time}, is missing in the state and is taken into it.`,
    );
    return { id: begun.userId };
  }
  let answered: User;
  try {
    answered = await send();
  } catch (error) {
    if (!mayHaveHappened(error)) begun.refused();
    throw error;
  }
  try {
    begun.succeeded(answered.id);
  } catch (error) {
    // The state is about to have it; with the state lost too, somebody is asked.
    context.warn(`OrgUser ${who}: ${error instanceof Error ? error.message : String(error)}.`);
  }
  return answered;
}

function undecided(
  { time, userId, file }: EarlierCreation & { kind: "open" },
  user: ManagedUser,
  who: string,
): Error {
  const found =
    userId === undefined
      ? "and recorded no answer, so that user may exist"
      : `which made user ${userId}, and this run cannot tell whether a state has that user`;
  const error = new ApiError({
    code: "held-back",
    call: "call 5 (create user)",
    method: "POST",
    path: `/organizations/${user.organizationId}/users`,
    reason: `not sent: a run of ${time} asked for a managed user named ${who}, ${found} (record: ${file})`,
  });
  return withNextStep(
    error,
    `Look in the service's administration whether it exists. If it does, give this OrgUser \`adopt: "${userId ?? "<user id>"}"\` and \`onDelete: "remove"\`; if it does not, delete ${file}. Then run \`pulumi up\` again.`,
    "managed-user-undecided",
  );
}
