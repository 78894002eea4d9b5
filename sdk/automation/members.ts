/** Who is managed, as the states of all stacks have it. No lock is needed for that, and no program is run. */
import pLimit from "p-limit";
import type { Deployment } from "./engine/engine.ts";
import { type ManagedMember, membersOf, readState } from "./engine/state.ts";
import type { Organization } from "./organization.ts";

export interface ExportedStack {
  readonly stack: string;
  readonly deployment: Deployment;
}

/** What lies in those stacks that exist. @param stacks default: all, those of another number of stacks too */
export async function exportsOf(
  { engine, stacks: own, staleStacks, concurrency }: Organization,
  stacks: readonly string[] = [...own, ...staleStacks],
): Promise<ExportedStack[]> {
  const found = await pLimit(concurrency).map(stacks, async (stack) => {
    const deployment = await engine.exportStack(stack);
    return deployment === undefined ? [] : [{ stack, deployment }];
  });
  return found.flat();
}

/** Everybody once: whose move to another stack was interrupted is in two states. */
export async function managedMembers(organization: Organization): Promise<ManagedMember[]> {
  const exports = await exportsOf(organization);
  const byUser = new Map<string, ManagedMember>();
  for (const member of exports.flatMap(({ stack, deployment }) =>
    membersOf(stack, readState(stack, deployment)),
  )) {
    if (!byUser.has(member.userId)) byUser.set(member.userId, member);
  }
  return [...byUser.values()];
}
