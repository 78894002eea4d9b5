/** One operation on all stacks of an organization, several side by side; one that fails does not stop the others. */
import pLimit from "p-limit";
import type { Failure, Program, Progress, StackOutcome, StackRun } from "./engine/engine.ts";
import { type Organization, programOf } from "./organization.ts";
import { readLeavers } from "./roster/leavers.ts";
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
  const { engine, stacks } = organization;
  const wanted = stacks.flatMap((stack) => {
    const own = each(stack);
    return own === undefined ? [] : [{ stack, own }];
  });
  return limit.map(wanted, async ({ stack, own }) => {
    try {
      const program = await programOfStack(organization, stack);
      if (signal?.aborted) {
        return notBegun(stack, { code: "cancelled", text: "stopped on request before it began" });
      }
      return await engine.run({ operation, stack, program, environment, refresh, ...own }, listener, signal);
    } catch (error) {
      return notBegun(stack, {
        code: "failed",
        text: error instanceof Error ? error.message : String(error),
      });
    }
  });
}

/** Without whoever was offboarded since the organization was opened: this run must not bring them back. */
async function programOfStack(organization: Organization, stack: string): Promise<Program> {
  const { roster, stacks, leavers, leaversFile } = organization;
  const program = programOf(organization);
  if (program.kind !== "roster") return program;
  return {
    ...program,
    roster: rosterOfStack(roster, stacks, stack),
    leavers: [...leavers, ...(await readLeavers(leaversFile))],
  };
}

function notBegun(stack: string, failure: Failure): StackOutcome {
  return { stack, steps: [], states: new Map(), messages: [], failure };
}
