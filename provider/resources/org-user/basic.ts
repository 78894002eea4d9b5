/**
 * An OrgUser if users cannot be listed. A machine user is created at most once: each creation is recorded before it is
 * sent, and what earlier runs recorded is checked first. A lost response is not sent again.
 */

import type { User } from "../../api/schemas/schemas.ts";
import { mayHaveSucceeded } from "../failures.ts";
import { spelling } from "../members/user-facts.ts";
import { isOwned } from "../ownership.ts";
import { type Creation, undecidedError, warnIfFailed } from "./machine-user.ts";
import type { Facts, OrgUserOutputs } from "./schema.ts";

export async function createUnlisted(creation: Creation): Promise<Facts & Pick<User, "id">> {
  const { news, send } = creation;
  const { id, email } = news.email === undefined ? await createRecorded(creation) : await send();
  return { id, serviceEmail: spelling(email, news) };
}

/** No call returns who the user is. */
export async function adoptUnlisted(): Promise<Facts> {
  return { serviceEmail: null };
}

/** No call reads a user. */
export async function readUnlisted(_id: string, outs: OrgUserOutputs): Promise<OrgUserOutputs> {
  return outs;
}

/**
 * Creates a machine user, or finds the one that an earlier run created for this state and could not write into it.
 * @throws Error if an earlier creation has no recorded response: nothing is sent
 */
async function createRecorded({
  news: user,
  who,
  context,
  send,
}: Creation): Promise<Pick<User, "id" | "email">> {
  const begun = await context
    .creations()
    .begin(user, (id) => isOwned(context, "OrgUser", id, user.organizationId));
  if (begun.kind === "earlier") {
    const { userId, isAudited, isUnchecked, time } = begun;
    // No call reads a user: the record may be of one who was removed.
    if (userId === undefined || isAudited || isUnchecked) throw undecidedError(begun, user, who);
    await begun.take(userId);
    context.warn(
      `OrgUser ${who}: adopted user ${userId}. An earlier run created this user at ${time}, but the state did not contain it. Nothing was sent.`,
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
