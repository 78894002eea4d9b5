/** One operation on all stacks of an organization, several side by side; one that fails does not stop the others. */
import pLimit from "p-limit";
import type { Progress, StackOutcome, StackRun } from "./engine/engine.ts";
import { type Organization, programOf } from "./organization.ts";
import { rosterOfStack } from "./shards.ts";

export type PerStack = Pick<StackRun, "targets" | "continueOnError">;

export interface AllStacks extends Pick<StackRun, "operation" | "environment" | "refresh"> {
  /** What differs from stack to stack; a stack for which it is undefined is left out. Default: nothing differs. */
  readonly each?: (stack: string) => PerStack | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** In the order of the stacks. */
export async function runAll(
  organization: Organization,
  { operation, environment, refresh, each = () => ({}), listener, signal }: AllStacks,
): Promise<StackOutcome[]> {
  const limit = pLimit(organization.concurrency);
  const { engine, roster, stacks } = organization;
  const whole = programOf(organization);
  const wanted = stacks.flatMap((stack) => {
    const own = each(stack);
    return own === undefined ? [] : [{ stack, own }];
  });
  return limit.map(wanted, ({ stack, own }) => {
    const program =
      whole.kind === "roster" ? { ...whole, roster: rosterOfStack(roster, stacks, stack) } : whole;
    if (signal?.aborted) return notBegun(stack);
    return engine.run({ operation, stack, program, environment, refresh, ...own }, listener, signal);
  });
}

function notBegun(stack: string): StackOutcome {
  const failure = { code: "cancelled", text: "stopped on request before it began" } as const;
  return { stack, steps: [], states: new Map(), messages: [], failure };
}
