/** `orgseat up` of a whole organization: people who are in the wrong stack are moved first, once the plan is confirmed. */

import { people } from "../../provider/util/plural.ts";
import { isSettled } from "./member-results.ts";
import type { Organization } from "./organization.ts";
import type { Plan } from "./plan/plan.ts";
import { isChange, type Step } from "./plan/steps.ts";
import type { Preview } from "./preview.ts";
import { keysOf, previewPlaced } from "./preview-all.ts";
import { moveMembers, refuseMoves, ShardMismatch } from "./reshard.ts";
import { dropLeavers, withoutSettled } from "./roster/leavers.ts";
import { placePeople } from "./shard-placement.ts";
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
  const left = new Set(applied?.results.filter(isSettled).map(({ key }) => key));
  const gone = leavers.filter(
    (leaver) => !needed.has(leaver) && !still.some(({ key }) => key === leaver.key && !left.has(key)),
  );
  await dropLeavers(leaversFile, gone);
}

async function upInPlace(organization: Organization, options: UpOptions): Promise<UpResult> {
  try {
    return await upTo(organization, options);
  } catch (error) {
    if (!(error instanceof ShardMismatch)) throw error;
    return upWithMoves(organization, options);
  }
}

/** Previews people where they are, and moves their states only after the guards and the user have seen the plan. */
async function upWithMoves(organization: Organization, options: UpOptions): Promise<UpResult> {
  const before = await placePeople(organization);
  const { moves, states } = before;
  refuseMoves(organization, moves, states);
  const preview = await previewPlaced(before, options);
  const nothing = { preview, applied: undefined } as const;
  if (preview.violations.length > 0) return { ...nothing, status: "stopped" };
  const isStopped = (): boolean => options.signal?.aborted === true;
  if (isStopped()) return { ...nothing, status: "failed", cancelled: true };
  // Whoever could not be looked at would be a surprise of the second preview.
  if (preview.failures.length > 0) return { ...nothing, status: "failed" };
  if (options.confirm && !(await options.confirm(preview))) return { ...nothing, status: "declined" };
  if (isStopped()) return { ...nothing, status: "failed", cancelled: true };
  const isConfigCopied = await moveMembers(organization, moves);
  const moved = keysOf(moves);
  const confirm = async (second: Preview): Promise<boolean> => {
    if (isSamePlan(preview.plan, second.plan)) return true;
    throw new Error(
      `the plan has changed since it was confirmed: ${people(moved.length)} moved to other stacks in the states, and nothing else was changed. Run \`orgseat up\` again`,
    );
  };
  const result = await upTo({ ...organization, newStacks: [], staleStacks: [] }, { ...options, confirm });
  return { ...result, moved, configuredStack: isConfigCopied ? organization.stacks[0] : undefined };
}

/** Whether two plans change the same of the same people, in whatever stacks. */
function isSamePlan(one: Plan, other: Plan): boolean {
  const [first, second] = [one, other].map(({ steps }) => steps.filter(isChange).map(changeOf).toSorted());
  return JSON.stringify(first) === JSON.stringify(second);
}

function changeOf({ type, name, member, action, id, news, isProtected, isReplaced }: Step): string {
  return JSON.stringify([type, name, member, action, id, news, isProtected, isReplaced]);
}
