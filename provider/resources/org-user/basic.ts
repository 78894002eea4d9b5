/** An OrgUser if users cannot be listed. A lost response is not sent again. */

import type { User } from "../../api/schemas/schemas.ts";
import { mayHaveSucceeded } from "../failures.ts";
import { spelling } from "../members/user-facts.ts";
import type { Creation, Facts, OrgUserOutputs } from "./schema.ts";
import { lostCreation } from "./undecided.ts";

export async function createUnlisted({ news, context, send }: Creation): Promise<Facts & Pick<User, "id">> {
  try {
    const { id, email } = await send();
    return { id, serviceEmail: spelling(email, news) };
  } catch (error) {
    if (news.email !== undefined || !mayHaveSucceeded(error)) throw error;
    throw lostCreation(news, error, context);
  }
}

/** No call returns who the user is. */
export async function adoptUnlisted(): Promise<Facts> {
  return { serviceEmail: null };
}

/** No call reads a user. */
export async function readUnlisted(_id: string, outs: OrgUserOutputs): Promise<OrgUserOutputs> {
  return outs;
}
