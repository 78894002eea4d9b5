/** Runs one unit: its steps in order, which nothing interrupts once the first one is sent. */

import type {
  AccessRemoval,
  CallContext,
  ExchangeTurn,
  OperationTime,
  OrganizationAccess,
} from "../../resources/contexts.ts";
import type { Answered } from "../../resources/members/user-facts.ts";
import type { Kept } from "../../resources/user-token/sealing.ts";
import { CodedError } from "../../util/error-codes.ts";
import { instantMs } from "../../util/instants.ts";
import { RUN_AGAIN } from "../../util/text.ts";
import { advance, isReady, type Outcome } from "../advance.ts";
import { type StepLine, unitKey } from "../approved.ts";
import type { Held, HeldUser } from "../held.ts";
import { type Call, type Cause, calls, type Step, takesSomething, type Unit } from "../step.ts";
import type { Can, Wanted } from "../wanted.ts";
import { addUser } from "./adding.ts";
import { requireTime } from "./clock.ts";
import { issueToken } from "./issue.ts";
import { isDone } from "./outcome.ts";
import { removeSeat, removeUser, revokeOthers, revokeToken } from "./remove.ts";
import { renewToken } from "./renew.ts";
import { assignSeat } from "./seat.ts";
import { type Keep, nameOf, type Sender, type Sent, tokenOfStep, userOfStep } from "./sender.ts";

export interface Answer {
  readonly step: Step;
  readonly outcome: Outcome;
}

/** What is held so far, and what the answers were. */
export interface Progress {
  held: Held;
  kept: Kept | undefined;
  added?: Answered | undefined;
  readonly answers: Answer[];
  readonly onProgress: ((held: Held) => void) | undefined;
}

export interface Running {
  /** The units after it. */
  readonly following: readonly Unit[];
  readonly access: OrganizationAccess;
  readonly wanted: Wanted;
  readonly can: Can;
  readonly keep: Keep | undefined;
  readonly context: CallContext;
  /** The time of a step. */
  readonly allowanceMs: number;
}

/** @returns why the unit ended early */
export async function runUnit(unit: Unit, progress: Progress, running: Running): Promise<Error | undefined> {
  let turn: ExchangeTurn | undefined;
  let failure: Error | undefined;
  const unitRun = new UnitRun(unit, progress, running);
  try {
    await requireTime(unit, running);
    for (const [index, step] of unit.steps.entries()) {
      const rest = unit.steps.slice(index + 1);
      if (unitRun.isSkipped(step)) continue;
      if (takesSomething(step) && rest.some(gives))
        turn ??= await running.context.guards.beginExchange(running.access.organizationId);
      failure = await unitRun.step(step, rest);
      if (failure !== undefined) break;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    failure = error;
  }
  turn?.end(failure, unitRun.hasTaken);
  if (turn === undefined && failure !== undefined && unitRun.isFailedRepair)
    await noteRepair(failure, running);
  return failure;
}

/** What an earlier run of a roster has taken is refused again, so no one else's is taken. */
async function noteRepair(failure: Error, { context, access }: Running): Promise<void> {
  if (context.approvedOf === undefined) return;
  const turn = await context.guards.beginExchange(access.organizationId).catch(() => undefined);
  turn?.end(failure, false);
}

function gives({ call }: Step): boolean {
  return call !== undefined && !calls[call].takes;
}

/** Changes that no one asked for as a removal: an earlier schedule brings them, or nothing is lost by them. */
const uncounted: readonly Cause[] = ["schedule", "keptTimeOver", "lost"];
const types: Readonly<Partial<Record<Call, AccessRemoval["type"]>>> = {
  "revoke token": "UserToken",
  "remove seat": "SeatAssignment",
  "remove user": "OrgUser",
};

class UnitRun {
  readonly #unit: Unit;
  readonly #progress: Progress;
  readonly #running: Running;
  #hasSent = false;
  #hasRevoked = false;
  #isConflict = false;
  #failed: Step | undefined;

  constructor(unit: Unit, progress: Progress, running: Running) {
    this.#unit = unit;
    this.#progress = progress;
    this.#running = running;
  }

  /** Whether the call that failed was to give what the unit has taken. */
  get hasTaken(): boolean {
    return this.#hasRevoked && this.#failed !== undefined && gives(this.#failed);
  }

  /** Whether the call that failed was to give a token that the user has lost. */
  get isFailedRepair(): boolean {
    return this.#failed?.call === "issue token" && this.#failed.cause === "missing";
  }

  isSkipped({ onlyIf = [], isPossible }: Step): boolean {
    return isPossible === true || (onlyIf.includes("conflict") && !this.#isConflict);
  }

  /** @returns why the unit ends with it */
  async step(step: Step, rest: readonly Step[]): Promise<Error | undefined> {
    const { held } = this.#progress;
    const { context, wanted } = this.#running;
    if (!isReady(held, step)) return notReady(step, nameOf({ wanted, context }, step.user));
    if (step.call === undefined) {
      this.#note(step, { outcome: { is: "ok", at: context.time.sendTime() } });
      return undefined;
    }
    const user = userOfStep(held, step);
    if (takesSomething(step) && user !== undefined) await this.#count(step, user);
    this.#report(step, { phase: "sent" });
    const sent = await this.#send(step, user, rest);
    const after = this.#note(step, sent);
    const { outcome, error } = sent;
    this.#hasRevoked ||= step.call === "revoke token" && outcome.is === "ok";
    if (outcome.is === "conflict") {
      this.#isConflict = rest.some(({ onlyIf = [] }) => onlyIf.includes("conflict"));
      // The seat of an earlier request without an answer.
      const isSettled = step.call === "assign seat" && after !== held;
      if (this.#isConflict || isSettled) return undefined;
    }
    if (isDone(outcome)) return undefined;
    this.#failed = step;
    return error ?? notReady(step, nameOf({ wanted, context }, step.user));
  }

  /** A step without a request is one line, after it. */
  #report(step: Step, line: Pick<StepLine, "phase" | "outcome" | "isForGood" | "userId">): void {
    const { context } = this.#running;
    const { ref } = this.#progress.held;
    const [unit, index] = [unitKey(this.#unit), this.#unit.steps.indexOf(step)];
    const report: StepLine = { ref, unit, index, at: instantMs(context.time.sendTime()), ...line };
    context.run.reportStep(report);
  }

  #note(step: Step, { outcome, kept, added }: Sent): Held {
    const progress = this.#progress;
    this.#report(step, { phase: "answered", ...answerIn(outcome) });
    progress.held = advance(progress.held, step, outcome);
    progress.answers.push({ step, outcome });
    if (kept !== undefined) progress.kept = kept;
    if (added !== undefined) progress.added = added;
    progress.onProgress?.(progress.held);
    return progress.held;
  }

  async #count(step: Step, user: HeldUser): Promise<void> {
    const { access, context, wanted } = this.#running;
    const type = step.call && types[step.call];
    if (type === undefined || uncounted.includes(step.cause)) return;
    const isReplaced = wanted.leaving !== true;
    await context.guards.checkRemovalLimit({ ...access, type, userId: user.id, isReplaced });
  }

  #send(step: Step, user: HeldUser | undefined, rest: readonly Step[]): Promise<Sent> {
    const sender = this.#sender();
    this.#hasSent = true;
    if (step.call === "add user") return addUser(sender);
    if (user === undefined) throw notReady(step, nameOf(sender, step.user));
    const token = tokenOfStep(user, step);
    if (step.onlyIf?.includes("eachOther"))
      return revokeOthers(user, this.#isFollowedBy(["remove user"], step, rest), sender);
    if (step.call === "assign seat") return assignSeat(step, user, sender);
    if (step.call === "issue token") return issueToken(step, user, sender);
    if (step.call === "remove user") return removeUser(user, sender);
    const isFollowed = this.#isFollowed(step, rest);
    if (step.call === "remove seat") return removeSeat(user, isFollowed, sender);
    if (step.call === "revoke token") return revokeToken(user, token, isFollowed, sender);
    if (token === undefined) throw notReady(step, nameOf(sender, user.id));
    return renewToken(step, user, token, sender);
  }

  /** Whether a later removal of the same user follows, whose success proves this one. */
  #isFollowed(step: Step, rest: readonly Step[]): boolean {
    return this.#isFollowedBy(
      step.call === "remove seat" ? ["remove user"] : ["remove seat", "remove user"],
      step,
      rest,
    );
  }

  #isFollowedBy(proofs: readonly Call[], { user }: Step, rest: readonly Step[]): boolean {
    const later = [...rest, ...this.#running.following.flatMap(({ steps }) => steps)];
    return later.some((one) => one.user === user && one.call !== undefined && proofs.includes(one.call));
  }

  /** With the time of a step. Nothing interrupts a unit of several calls that has begun. */
  #sender(): Sender {
    const { context, allowanceMs, access, wanted, can, keep } = this.#running;
    const isBound = this.#hasSent && this.#unit.steps.filter(({ call }) => call !== undefined).length > 1;
    const operation = {
      deadline: context.time.elapsed() + allowanceMs,
      get cancellation() {
        return isBound ? undefined : context.time.operation.cancellation;
      },
    };
    const bound = async (ms: number) => {
      await context.time.sleep(ms);
      return true;
    };
    const effect = this.#hasRevoked ? "The previous token has been revoked." : "";
    const uninterrupted = isBound ? { pause: bound, isCancelled: () => false } : undefined;
    const time: OperationTime = { ...context.time, operation, ...uninterrupted };
    const { ref, key } = this.#progress.held;
    // Rosters alone give a member a key.
    return {
      ref,
      isRow: key !== undefined,
      access,
      wanted,
      can,
      keep,
      context: { ...context, time },
      effect,
    };
  }
}

/** Of an outcome, what a report says. */
function answerIn(outcome: Outcome): Pick<StepLine, "outcome" | "isForGood" | "userId"> {
  return {
    outcome: outcome.is,
    ...(outcome.is === "refused" && { isForGood: outcome.isForGood }),
    ...(outcome.is === "ok" && outcome.userId !== undefined && { userId: outcome.userId }),
  };
}

function notReady({ call }: Step, who: string): Error {
  return new CodedError(
    "blocked",
    `cannot ${call ?? "change the state"} of ${who}: not sent, because an earlier step is not done. ${RUN_AGAIN}`,
  );
}
