/** Whether the stack of an organization exists, and when its state was written. */
import type { Engine, ListedStack } from "../engine/engine.ts";

/** Undefined if it does not exist. @param acceptsUnreadable whether a stack that Pulumi cannot read counts as existing */
export async function findStack(
  engine: Engine,
  stack: string,
  acceptsUnreadable: boolean,
): Promise<ListedStack | undefined> {
  try {
    return (await engine.listStacks(stack)).find(({ name }) => name === stack);
  } catch (reason) {
    // If any state of the project is unreadable, Pulumi lists none.
    return (await isThere(engine, stack, acceptsUnreadable ? undefined : reason))
      ? { name: stack }
      : undefined;
  }
}

/** @throws `reason`, if there is one, if Pulumi cannot read the state */
async function isThere(engine: Engine, stack: string, reason: unknown): Promise<boolean> {
  try {
    return (await engine.exportStack(stack)) !== undefined;
  } catch {
    if (reason === undefined) return true;
    throw reason;
  }
}
