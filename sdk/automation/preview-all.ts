/** `orgseat preview` of a whole organization: whoever `up` moves to another stack first is looked at where they lie. */
import type { Organization } from "./organization.ts";
import { type Preview, type PreviewOptions, previewOf } from "./preview.ts";
import { MisplacedPeople, strayMembers } from "./reshard.ts";
import { stackNamesOf } from "./shards.ts";

/** @throws MisplacedPeople where a move was interrupted, so that no number of stacks is that of the states */
export async function previewAll(organization: Organization, options: PreviewOptions): Promise<Preview> {
  try {
    return await previewOf(organization, options);
  } catch (error) {
    if (!(error instanceof MisplacedPeople)) throw error;
    const preview = await previewOf(asBefore(organization), options).catch((reason: unknown) => {
      throw reason instanceof MisplacedPeople ? error : reason;
    });
    const moves = strayMembers(organization, preview.plan.steps);
    return { ...preview, moving: [...new Set(moves.map(({ key }) => key))] };
  }
}

/** The organization with the number of stacks that its states were made by. */
export function asBefore(organization: Organization): Organization {
  const { baseName, roster, newStacks, staleStacks } = organization;
  const existing = [...organization.stacks.filter((name) => !newStacks.includes(name)), ...staleStacks];
  const stacks = stackNamesOf(existing, baseName);
  return {
    ...organization,
    roster: { ...roster, stacks: stacks.length },
    stacks,
    newStacks: stacks.filter((name) => !existing.includes(name)),
    staleStacks: existing.filter((name) => !stacks.includes(name)),
  };
}
