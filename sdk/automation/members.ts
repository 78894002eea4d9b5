/** Who is managed, as the states of all stacks have it. No lock is needed for that, and no program is run. */
import pLimit from "p-limit";
import { type ManagedMember, membersOf, readState, type State } from "./engine/state.ts";
import type { Organization } from "./organization.ts";

/** The states of all stacks that exist. */
export async function statesOf({
  engine,
  stacks,
  concurrency,
}: Organization): Promise<{ stack: string; state: State }[]> {
  const found = await pLimit(concurrency).map(stacks, async (stack) => {
    const exported = await engine.exportStack(stack);
    return exported === undefined ? [] : [{ stack, state: readState(stack, exported) }];
  });
  return found.flat();
}

export async function managedMembers(organization: Organization): Promise<ManagedMember[]> {
  const states = await statesOf(organization);
  return states.flatMap(({ stack, state }) => membersOf(stack, state));
}
