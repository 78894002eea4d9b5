/** `orgseat up` of a whole organization: people who lie in the wrong stack are moved first. */
import type { Organization } from "./organization.ts";
import { MisplacedPeople, moveMembers } from "./reshard.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";

export async function upAll(organization: Organization, options: UpOptions): Promise<UpResult> {
  try {
    return await upTo(organization, options);
  } catch (error) {
    if (!(error instanceof MisplacedPeople)) throw error;
    await moveMembers(organization, error.moves);
    const result = await upTo({ ...organization, staleStacks: [] }, options);
    return { ...result, moved: error.moves.map(({ key }) => key) };
  }
}
