/** What `--no-removals` withholds: all changes of the people from whom the command would take something. Pure. */
import { addressMovesIn } from "../plan/addresses.ts";
import type { PlannedMember } from "../plan/members.ts";
import { type PlanOptions, planOf } from "../plan/plan.ts";
import { takesAnything } from "../plan/steps/actions.ts";
import { actionsOf } from "../plan/steps/actions-of-step.ts";
import { memberPath, type Step } from "../plan/steps/steps.ts";
import { type CommandPart, partOf } from "./evaluate.ts";
import type { GuardChoice } from "./guard-context.ts";
import type { StoppedMember } from "./notices.ts";

interface Keeping {
  readonly choice: GuardChoice;
  readonly isWithheld: (step: Step) => boolean;
  /** With the changes that the command would make. */
  readonly withheld: readonly PlannedMember[];
}

/** Everything as the command makes it. */
export function withRemovals(choice: GuardChoice): Keeping {
  return { choice, isWithheld: () => false, withheld: [] };
}

/** Everything but the changes of people whose rows cannot be applied. */
export function withoutStopped(
  choice: GuardChoice,
  stopped: readonly StoppedMember[],
): { readonly choice: GuardChoice; readonly isStopped: (step: Step) => boolean } {
  const places = new Set(stopped.map(({ stack, key }) => `${stack} ${key}`));
  const isStopped = ({ stack, member }: Step): boolean => places.has(`${stack} ${member}`);
  if (stopped.length === 0) return { choice, isStopped };
  const { part = () => true } = choice;
  return { choice: { ...choice, part: (step, now) => !isStopped(step) && part(step, now) }, isStopped };
}

/** A person as a whole: seat and token depend on the user, and on each other. */
export function withoutRemovals(choice: GuardChoice, steps: readonly Step[], options: PlanOptions): Keeping {
  const command = partOf(choice, [], options.now);
  const paths = withheldPaths(command, steps, options.now);
  if (paths.size === 0) return withRemovals(choice);
  const isWithheld = (step: Step): boolean => paths.has(memberPath(step));
  const { part = () => true } = choice;
  return {
    choice: { ...choice, part: (step, now) => !isWithheld(step) && part(step, now) },
    isWithheld,
    withheld: planOf(steps.filter(isWithheld).flatMap(command.stepsFor), options).members,
  };
}

/** Of those who lose something, and of those who wait for an address of theirs. */
function withheldPaths(
  { isMeant, stepsFor }: CommandPart,
  steps: readonly Step[],
  now: number,
): ReadonlySet<string> {
  const meant = steps.filter(isMeant).flatMap(stepsFor);
  const paths = new Set(meant.filter((step) => actionsOf(step, now).some(takesAnything)).map(memberPath));
  const moves = addressMovesIn(steps);
  for (let before = -1; before < paths.size; ) {
    before = paths.size;
    for (const { taker, holder } of moves) if (paths.has(memberPath(holder))) paths.add(memberPath(taker));
  }
  return paths;
}
