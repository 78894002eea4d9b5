/** `orgseat up` of a whole organization: people who lie in the wrong stack are moved first. */
import type { Organization } from "./organization.ts";
import { MisplacedPeople, moveMembers } from "./reshard.ts";
import { dropLeavers, withoutSettled } from "./roster/leavers.ts";
import { type UpOptions, type UpResult, upTo } from "./up.ts";

export async function upAll(organization: Organization, options: UpOptions): Promise<UpResult> {
  const result = await upInPlace(organization, options);
  await settleLeavers(organization, result);
  return result;
}

/** Whoever is out of the roster and of every state needs no entry any more, and may be hired again. */
async function settleLeavers(
  { leavers, leaversFile, roster, program }: Organization,
  { status, preview, applied }: UpResult,
): Promise<void> {
  if (leavers.length === 0 || program !== undefined || status !== "done") return;
  const needed = new Set(withoutSettled(leavers, roster.people));
  const still = preview.plan.members.filter(({ isManaged }) => isManaged);
  const left = new Set(applied?.verdicts.filter(({ verdict }) => verdict === "done").map(({ key }) => key));
  const gone = leavers.filter(
    (leaver) => !needed.has(leaver) && !still.some(({ key }) => key === leaver.key && !left.has(key)),
  );
  await dropLeavers(leaversFile, gone);
}

/** People of stacks that are not asked for any more are seen before, and people in a wrong one of the others by, a preview. */
const MOVES = 2;

async function upInPlace(organization: Organization, options: UpOptions): Promise<UpResult> {
  const moved = new Set<string>();
  let current = organization;
  for (let moves = 0; ; moves++) {
    try {
      const result = await upTo(current, options);
      return moved.size === 0 ? result : { ...result, moved: [...moved] };
    } catch (error) {
      if (!(error instanceof MisplacedPeople) || moves === MOVES) throw error;
      if (options.signal?.aborted) throw new Error("it was stopped, and nobody was moved to another stack");
      await moveMembers(organization, error.moves);
      for (const { key } of error.moves) moved.add(key);
      current = { ...organization, staleStacks: [] };
    }
  }
}
