/** One operation on all stacks of an organization, several at once. A failure does not stop the others. */
import { mapConcurrently } from "../../../provider/util/lists.ts";
import {
  type Diagnostic,
  outcomeWithout,
  type Program,
  type Progress,
  type StackOutcome,
  type StackRun,
} from "../engine/engine.ts";
import { nameOf } from "../plan/steps/steps.ts";
import { factsOf, readFacts } from "../roster/facts.ts";
import { readLeavers } from "../roster/leavers.ts";
import { MARKER_TYPE, type RosterFacts } from "../roster/roster.ts";
import { handedTo } from "./configuration.ts";
import { type Organization, programOf } from "./organization.ts";
import { ignoredMarks, rotationMarksOf, withMarksInForce } from "./rotation.ts";
import { rosterAt } from "./shards.ts";
import { entriesOf, type State, statesOf } from "./stack-state.ts";

/** `environment` overrides the variables of all stacks. */
export type PerStack = Pick<StackRun, "targets" | "continueOnError" | "environment">;

export interface AllStacks extends Pick<StackRun, "operation" | "environment" | "refresh"> {
  /** What differs from stack to stack; undefined leaves the stack out. Default: nothing differs. */
  readonly each?: (stack: string) => PerStack | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  /** Gets each stack after its run. */
  readonly onEnd?: ((stack: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** In the order of the stacks. */
export async function runAll(
  organization: Organization,
  { operation, environment: more, refresh, each = () => ({}), listener, onEnd, signal }: AllStacks,
): Promise<StackOutcome[]> {
  const { planTime } = organization;
  const environment = {
    ORGSEAT_CREATIONS: organization.creationsFolder,
    ...(planTime !== undefined && { ORGSEAT_PLAN_TIME: planTime }),
    ...more,
  };
  const { engine, stacks } = organization;
  const wanted = stacks.flatMap((stack) => {
    const own = each(stack);
    return own === undefined ? [] : [{ stack, own }];
  });
  return mapConcurrently(wanted, organization.concurrency, async ({ stack, own }) => {
    try {
      const { program, warnings } = await programOfStack(organization, stack);
      const handed = handedTo(stack, organization.configuration, organization.environment);
      if (signal?.aborted) {
        return outcomeWithout(stack, { code: "cancelled", text: "cancelled before it started" });
      }
      const variables = { ...handed, ...environment, ...own.environment };
      const isNew = organization.newStacks.includes(stack);
      const run = { operation, stack, isNew, program, refresh, ...own, environment: variables };
      const outcome = await engine.run(run, listener, signal);
      // The preview of an `up` shows them.
      const messages = operation === "preview" ? warnings.map((text) => warning(stack, text)) : [];
      return { ...outcome, diagnostics: [...messages, ...outcome.diagnostics] };
    } catch (error) {
      return outcomeWithout(stack, {
        code: "failed",
        text: error instanceof Error ? error.message : String(error),
      });
    } finally {
      onEnd?.(stack);
    }
  });
}

/**
 * Without people who were offboarded since the organization was opened, whom the run must not bring back, and with the
 * rotations in the state, which it must not repeat.
 */
async function programOfStack(
  organization: Organization,
  stack: string,
): Promise<{ program: Program; warnings: string[] }> {
  const { leavers, leaversFile, newStacks } = organization;
  const program = programOf(organization);
  if (program.kind !== "roster") return { program, warnings: [] };
  const roster = rosterAt(organization, stack);
  const [since, states] = await Promise.all([
    readLeavers(leaversFile),
    statesOf(organization, newStacks.includes(stack) ? [] : [stack]),
  ]);
  const marks = rotationMarksOf(states.values());
  const facts = factsIn(states.values(), organization.rosterId);
  const ignored = ignoredMarks(roster, marks);
  return {
    program: {
      ...program,
      roster: { ...withMarksInForce(roster, marks), id: organization.rosterId },
      leavers: [...leavers, ...since],
      facts: organization.keepsFacts ? facts : factsOf(roster, facts, organization.moduleHash),
    },
    warnings: ignored === undefined ? [] : [ignored],
  };
}

/** The facts that the marker of the roster has in a state. */
function factsIn(states: Iterable<State>, rosterId: string | undefined): RosterFacts {
  const marker = [...states]
    .flatMap(entriesOf)
    .find(({ type, urn }) => type === MARKER_TYPE && nameOf(urn) === rosterId);
  return readFacts(marker?.inputs);
}

function warning(stack: string, text: string): Diagnostic {
  return { stack, severity: "warning", urn: undefined, text };
}
