/**
 * Executes the plan of one member: sends its steps in order, and notes after each what is held. What is done stays, whatever
 * fails after it. Cancellation and turns act between units only.
 */
import { isDeepStrictEqual } from "node:util";
import type { CallContext, OrganizationAccess } from "../../resources/contexts.ts";
import type { Answered } from "../../resources/members/user-facts.ts";
import { PartiallyCreated } from "../../resources/resource.ts";
import { isPast } from "../../resources/user-token/dates.ts";
import { type Kept, prepareKeeping } from "../../resources/user-token/sealing.ts";
import { CodedError } from "../../util/error-codes.ts";
import { instantMs, RUN_CANCELLED } from "../../util/instants.ts";
import { RUN_AGAIN, THEN_RUN_AGAIN } from "../../util/text.ts";
import { currentUser, type Held, tokenOfValue } from "../held.ts";
import { observe } from "../observe.ts";
import {
  type Cause,
  conditionsOf,
  isIndependent,
  isStateAlone,
  type Obstacle,
  type Plan,
  type Unit,
} from "../step.ts";
import { stepsOf } from "../steps/steps-of.ts";
import type { Seen, Wanted } from "../wanted.ts";
import { refusedBy } from "./failures.ts";
import { seenFor } from "./reading.ts";
import { type Keep, labelOf, nameOf } from "./sender.ts";
import { type Answer, type Progress, runUnit } from "./unit-run.ts";

export interface Execution {
  /** As the state has it. */
  readonly stored: Held;
  readonly wanted: Wanted;
  readonly access: OrganizationAccess;
  /** Default: that of a whole member. */
  readonly plan?: typeof stepsOf | undefined;
  /** As the approved plan has read it. Default: nothing was read. */
  readonly seen?: Seen | undefined;
  /** Whether the approved plan has the unit. Default: each is approved. */
  readonly isApproved?: ((unit: Unit) => boolean) | undefined;
  /** Called after each step. */
  readonly onProgress?: ((held: Held) => void) | undefined;
}

export interface Executed {
  readonly held: Held;
  /** The value of the last token that was issued. */
  readonly kept?: Kept | undefined;
  /** The user that was added last, in readable form. */
  readonly added?: Answered | undefined;
  /** The first one. */
  readonly failure?: Error | undefined;
  readonly answers: readonly Answer[];
}

/** @param context whose operation timeout is that of each step */
export async function execute(job: Execution, context: CallContext): Promise<Executed> {
  const { stored, wanted, onProgress } = job;
  const [user] = stored.users;
  const label = labelOf(wanted);
  if (user !== undefined && label !== undefined && context.people.find(user.id) === undefined)
    context.people.learn(user.id, label);
  const progress: Progress = { held: stored, kept: undefined, answers: [], onProgress };
  const failure = await run(job, progress, context);
  const { held, kept, added, answers } = progress;
  return { held, kept, added, failure, answers };
}

/**
 * What create returns.
 * @param isHeld whether something exists that the state must keep
 * @throws Error if it failed
 */
export function created<Outs extends object>(
  id: string,
  outs: Outs,
  { failure }: Pick<Executed, "failure">,
  isHeld: boolean,
): { readonly id: string; readonly outs: Outs } {
  if (failure === undefined) return { id, outs };
  throw isHeld ? new PartiallyCreated(id, outs, failure) : failure;
}

/** What update returns. @throws Error if it failed */
export function updated<Outs extends object>(id: string, outs: Outs, executed: Executed): Outs {
  return created(id, outs, executed, executed.answers.length > 0).outs;
}

/** Removes what is held. @returns what delete found; undefined if there was nothing to send @throws Error if it failed */
export async function leave(
  job: Pick<Execution, "stored" | "access" | "plan">,
  context: CallContext,
): Promise<"deleted" | "gone" | undefined> {
  const { failure, answers } = await execute({ ...job, wanted: { leaving: true } }, context);
  if (failure !== undefined) throw failure;
  const calls = answers.filter(({ step }) => step.call !== undefined);
  if (calls.length === 0) return undefined;
  return calls.some(({ outcome }) => outcome.is === "ok") ? "deleted" : "gone";
}

async function run(job: Execution, progress: Progress, context: CallContext): Promise<Error | undefined> {
  const first = planOf(job, job.seen ?? {}, context);
  const stopped = async (units: readonly Unit[], failure: Error) => {
    await runAll(units.filter(isIndependent), job, { progress, context, failure, keep: undefined });
    return failure;
  };
  let plan = first;
  let keep: Keep | undefined;
  try {
    keep = await prepared(first.units, job, context);
    plan = await decided(first, job, context);
    if (plan !== first) keep = await prepared(plan.units, job, context);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return stopped(plan.units, error);
  }
  const failure = await runAll(plan.units, job, { progress, context, failure: undefined, keep });
  // The command reports the obstacles that its plan shows, or leaves them out on purpose.
  const shown = job.isApproved === undefined ? [] : [...first.refused, ...first.waits];
  const isShown = (one: Obstacle) => shown.some((other) => isDeepStrictEqual(one, other));
  const [obstacle] = [...plan.refused, ...plan.waits].filter((one) => isFailure(one) && !isShown(one));
  return failure ?? (obstacle && refusedBy(obstacle, { stored: job.stored, wanted: job.wanted, context }));
}

/** Whoever is still to join a directory waits for that, in each run. */
function isFailure({ reason }: Obstacle): boolean {
  return reason !== "notInDirectory";
}

/** What was read for a condition is held, whatever is approved. */
function planOf(
  { stored, wanted, plan: decide = stepsOf, isApproved = () => true }: Execution,
  seen: Seen,
  context: CallContext,
  isRead = false,
): Plan {
  const plan = decide(observe(stored, seen), wanted, context.now, context.can);
  const isObservation = ({ steps }: Unit) => steps.every(({ effect }) => effect?.do === "observe");
  return { ...plan, units: plan.units.filter((unit) => (isRead && isObservation(unit)) || isApproved(unit)) };
}

/** The plan with what its conditions depend on. A service without lists has none. @throws Error if nothing shows it */
async function decided(plan: Plan, job: Execution, context: CallContext): Promise<Plan> {
  const conditions = plan.units.flatMap(conditionsOf);
  if (conditions.length === 0) return plan;
  const { stored: held, wanted, access, seen } = job;
  const read = await seenFor(conditions, { held, wanted, access, context });
  const next = planOf(job, { ...seen, ...read }, context, true);
  // A user whom the list lacks is not an administrator.
  const left = next.units.flatMap(conditionsOf).filter((one) => one !== "isMember");
  if (left.length === 0) return next;
  const who = nameOf({ wanted, context }, currentUser(held)?.id);
  throw new CodedError(
    "incomplete-list",
    `cannot change ${who}: the list of users does not contain the user, or not all of the user's tokens. Run \`${held.key === undefined ? "pulumi refresh" : "orgseat up --refresh"}\`, ${THEN_RUN_AGAIN}`,
  );
}

/** What a new token needs, before anything is taken or added for it. */
async function prepared(
  units: readonly Unit[],
  { stored, wanted }: Execution,
  context: CallContext,
): Promise<Keep | undefined> {
  const steps = units.flatMap((unit) => unit.steps);
  const issue = steps.find(({ call }) => call === "issue token");
  if (issue === undefined) return undefined;
  const { expiresAt, recipients, keepValue } = issue.target ?? {};
  const who = nameOf({ wanted, context }, issue.user);
  if (expiresAt === undefined || isPast(expiresAt, instantMs(context.time.sendTime()))) {
    const reason = expiresAt === undefined ? "noDate" : "valuePast";
    const obstacle: Obstacle = { code: "token-date", reason, names: ["", expiresAt ?? ""] };
    throw refusedBy(obstacle, { stored, wanted, context });
  }
  const people = { nameOf: () => who };
  return prepareKeeping({ recipients, keepValue, userId: who }, { defaults: context.defaults, people });
}

interface Running {
  readonly progress: Progress;
  readonly context: CallContext;
  readonly failure: Error | undefined;
  readonly keep: Keep | undefined;
}

async function runAll(
  units: readonly Unit[],
  { access, wanted }: Execution,
  { progress, context, failure: before, keep }: Running,
): Promise<Error | undefined> {
  let failure = before;
  const allowanceMs = context.time.operation.deadline - context.time.elapsed();
  const can = context.can;
  for (const [index, unit] of units.entries()) {
    if (failure !== undefined && !isIndependent(unit) && !isAsked(unit)) continue;
    if (!isStateAlone(unit) && context.time.isCancelled()) {
      failure ??= new CodedError("blocked", `not sent: ${RUN_CANCELLED}. ${RUN_AGAIN}`);
      continue;
    }
    const following = units.slice(index + 1);
    const error = await runUnit(unit, progress, {
      following,
      access,
      wanted,
      can,
      keep,
      context,
      allowanceMs,
    });
    failure ??= error;
  }
  return failure;
}

const askedCauses: readonly Cause[] = ["leaving", "accessEnded", "notWanted", "keptTimeOver"];

/** A revocation that nothing else depends on: one that fails keeps none of the others. */
function isAsked({ steps }: Unit): boolean {
  return steps.every(({ call, cause }) => call === "revoke token" && askedCauses.includes(cause));
}

/** The value that the outputs have after a run. @param old what they had before */
export function valueAfter({ held, kept }: Pick<Executed, "held" | "kept">, old: Kept): Kept {
  if (kept !== undefined) return kept;
  return tokenOfValue(held) === undefined ? {} : old;
}
