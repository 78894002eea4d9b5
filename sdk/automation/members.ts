/** Who is managed, as the states of all stacks have it. No lock is needed for that, and no program is run. */
import pLimit from "p-limit";
import { type ManagedMember, membersOf, readState, type State } from "./engine/state.ts";
import type { Organization } from "./organization.ts";

/** The states of all stacks that exist, those of another number of stacks too. */
export async function statesOf({
  engine,
  stacks,
  staleStacks,
  concurrency,
}: Organization): Promise<{ stack: string; state: State }[]> {
  const found = await pLimit(concurrency).map([...stacks, ...staleStacks], async (stack) => {
    const exported = await engine.exportStack(stack);
    return exported === undefined ? [] : [{ stack, state: readState(stack, exported) }];
  });
  return found.flat();
}

/** Everybody once: whose move to another stack was interrupted is in two states. */
export async function managedMembers(organization: Organization): Promise<ManagedMember[]> {
  const states = await statesOf(organization);
  const byUser = new Map<string, ManagedMember>();
  for (const member of states.flatMap(({ stack, state }) => membersOf(stack, state))) {
    if (!byUser.has(member.userId)) byUser.set(member.userId, member);
  }
  return [...byUser.values()];
}
