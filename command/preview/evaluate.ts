/** What the previews of all stacks mean for one command: its part of the changes, the plan, and what the guards say. Pure. */
import type { StackOutcome } from "../engine/engine.ts";
import { allowFigures, type GuardContext, protectedPeople, violationsOf } from "../plan/guards/guards.ts";
import type { Violation } from "../plan/guards/violation.ts";
import { groupByMember } from "../plan/members.ts";
import { type Plan, type PlanOptions, planOf } from "../plan/plan.ts";
import { isChange, type Step } from "../plan/steps/steps.ts";
import type { GuardChoice } from "./guard-context.ts";
import { type UndeliveredMember, undeliveredIn } from "./notices.ts";

/** The steps that a command makes, of those that its programs declare. */
export interface CommandPart {
  /** Whether it makes all of them. */
  readonly isWhole: boolean;
  readonly isMeant: (step: Step) => boolean;
  /** What it makes of a step. */
  readonly stepsFor: (step: Step) => readonly Step[];
}

/** @param now milliseconds since 1970 */
export function partOf(
  { part, narrow = (step) => step }: GuardChoice,
  outcomes: readonly StackOutcome[],
  now: number,
): CommandPart {
  const undelivered = outcomes.flatMap(undeliveredIn);
  const isWhole = part === undefined && undelivered.length === 0;
  const isMeant = (step: Step): boolean =>
    isChange(step) && (part === undefined || part(step, now)) && !isUndelivered(step, undelivered);
  const stepsFor = (step: Step) => (isWhole || isMeant(step) ? [narrow(step)] : unchangedStep(step));
  return { isWhole, isMeant, stepsFor };
}

/** Whether the program did not register the resource because the module failed. */
function isUndelivered({ type, stack, member }: Step, undelivered: readonly UndeliveredMember[]): boolean {
  return type === "Delivered" && undelivered.some((one) => one.stack === stack && one.member === member);
}

/** A step that the command does not make: what exists stays as it is. */
function unchangedStep(step: Step): Step[] {
  if (step.action === "create") return [];
  const { before } = step.isProtected;
  return [{ ...step, action: "same", isProtected: { before, after: before } }];
}

export interface Evaluation {
  readonly plan: Plan;
  readonly violations: readonly Violation[];
  /** The stacks without a preview, whose steps do not count. */
  readonly faulty: readonly StackOutcome[];
}

/** @param whole the part with what `--no-removals` withholds: Pulumi has previewed that too */
export function evaluate(
  outcomes: readonly StackOutcome[],
  { stepsFor, isMeant }: CommandPart,
  whole: CommandPart,
  context: GuardContext,
  options: PlanOptions,
): Evaluation {
  const planWith = (some: readonly StackOutcome[], of = stepsFor): Plan =>
    planOf(
      some.flatMap(({ steps }) => steps.flatMap(of)),
      options,
    );
  const failed = outcomes.filter(
    (outcome) => outcome.failure !== undefined && !failsAtOthers(outcome, isMeant),
  );
  // Pulumi's preview ends at a removal of something protected. Then the guard says why, and the steps so far count.
  const stopped = failed.map((outcome) => ({
    outcome,
    reasons: protectedPeople(planWith([outcome], whole.stepsFor), context),
  }));
  const faulty = stopped.flatMap(({ outcome, reasons }) => (reasons.length === 0 ? outcome : []));
  const plan = planWith(outcomes.filter((outcome) => !faulty.includes(outcome)));
  const found = violationsOf(plan, context);
  const isSaid = found.some(({ guard }) => guard === "protected-person");
  const violations = [...found, ...(isSaid ? [] : stopped.flatMap(({ reasons }) => reasons))];
  const isCancelled = failed.some(({ failure }) => failure?.code === "cancelled");
  const isCut = isCancelled || faulty.length === outcomes.length || faulty.length < failed.length;
  const seats = faulty.length === 0 ? plan.seats : { ...plan.seats, ...uncounted };
  return { plan: { ...plan, seats, isComplete: !isCut && allowFigures(violations) }, violations, faulty };
}

/** Whether Pulumi's preview failed only at removals of something protected, which the command does not make. */
function failsAtOthers({ steps, diagnostics }: StackOutcome, isMeant: CommandPart["isMeant"]): boolean {
  const others = new Set(
    steps.flatMap((step) =>
      step.action === "delete" && step.isProtected.before && !isMeant(step) ? step.urn : [],
    ),
  );
  const errors = diagnostics.filter(
    ({ severity, text }) => severity === "error" && text !== "preview failed",
  );
  return errors.length > 0 && errors.every(({ urn }) => urn !== undefined && others.has(urn));
}

/** The seats of a stack without a preview are not counted. */
const uncounted = { purchased: undefined, source: "unknown" } as const;

/** The URNs of a command's part; undefined: all. And the number of people with other changes. @param now milliseconds since 1970 */
export function boundsOf(
  { isWhole, isMeant }: CommandPart,
  steps: readonly Step[],
  now: number,
): { readonly targets: ReadonlySet<string> | undefined; readonly otherChanges: number } {
  const others = steps.filter((step) => !isMeant(step) && step.type !== "Delivered");
  return {
    targets: isWhole ? undefined : new Set(steps.filter(isMeant).map(({ urn }) => urn)),
    otherChanges: changedMembers(others, now),
  };
}

function changedMembers(steps: readonly Step[], now: number): number {
  const { members } = groupByMember(steps, now);
  return members.filter(({ actions }) => actions.some((action) => action !== "note")).length;
}
