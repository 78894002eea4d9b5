/**
 * What each stack does in its next pass, as long as passes get further: first, and alone, the members whose token a run of
 * ours revoked, then those without a failure, then the others once more.
 */

import type { Refusals } from "../../provider/roster-parts/refusals.ts";
import type { ReportEntry } from "../../provider/runtime/run-report.ts";
import type { StackOutcome } from "../engine/engine.ts";
import type { AddressMove } from "../plan/addresses.ts";
import { isChange, type Step } from "../plan/steps/steps.ts";
import type { PerStack } from "../stacks/all-stacks.ts";
import type { StepResults } from "./step-results.ts";

interface RoundsOptions {
  /** Whether the plan is a part of what the programs declare, so that the passes need targets. */
  readonly partly: boolean;
  /** The URNs that the preview was about. Default: the whole stack. */
  readonly whole?: readonly string[] | undefined;
  /** URNs of tokens that an interrupted run may have revoked, which the state does not show. */
  readonly perhapsRevoked: ReadonlySet<string>;
  /** Of all stacks. A member waits for the address until its holder has left it. */
  readonly addressMoves: readonly AddressMove[];
  /** Of all stacks. */
  readonly refusals: Refusals;
}

/** The passes of one stack. */
export class Rounds {
  readonly #stack: string;
  readonly #steps: readonly Step[];
  readonly #results: StepResults;
  readonly #options: RoundsOptions;
  /** The Pulumi CLI 3.274 hangs if a deletion before a replacement fails and it is to continue on errors. */
  readonly #isCautious: boolean;
  /** By member of this stack, the step that frees the address. */
  readonly #waitsFor: ReadonlyMap<string, Step>;
  /** The passes since the last progress. */
  readonly #triedInVain = new Set<string>();
  /** Members for whom the module of the roster failed: without it, the program lacks what was delivered to them. */
  readonly #undelivered = new Set<string>();
  /** Whether the last pass added to them, so that the next one has other targets. */
  #hasNewUndelivered = false;
  #isWholeBegun = false;
  #last: StackOutcome | undefined;

  /** @param steps of the plan, of all stacks */
  constructor(stack: string, steps: readonly Step[], results: StepResults, options: RoundsOptions) {
    this.#stack = stack;
    this.#steps = steps.filter((step) => step.stack === stack);
    this.#results = results;
    this.#options = options;
    this.#isCautious = this.#steps.some(({ deleteFirst }) => deleteFirst);
    const mine = options.addressMoves.filter(({ taker }) => taker.stack === stack);
    this.#waitsFor = new Map(mine.map(({ taker, holder }) => [taker.member, holder]));
  }

  onOutcome(outcome: StackOutcome): void {
    this.#last = outcome;
    const before = this.#undelivered.size;
    for (const { member } of outcome.undelivered) this.#undelivered.add(member);
    this.#hasNewUndelivered = this.#undelivered.size > before;
    const isGettingFurther = [...outcome.states.values()].includes("succeeded");
    if (isGettingFurther || this.#hasNewUndelivered) this.#triedInVain.clear();
  }

  /** The first person of whom an object of the type is removed before its successor exists. */
  first(type: TypeInTurns): PerStack | undefined {
    const left = this.#left();
    const first = left.find((step) => step.type === type && this.#removesFirst(step));
    const theirs = left.filter(({ member }) => member === first?.member);
    return first && { targets: urnsOf(theirs, this.#stack), continueOnError: false };
  }

  /** Undefined if a further pass can do nothing. */
  next(): PerStack | undefined {
    const code = this.#last?.failure?.code;
    if (code === "stack-locked" || code === "cancelled") return undefined;
    const left = this.#left();
    if (this.#waitsFor.size > 0) return this.#takeAny(left);
    const isFirst = !this.#isWholeBegun;
    if (isFirst) {
      const waiting = this.#isCautious ? this.#take(this.#fresh(this.#withoutToken(left))) : undefined;
      if (waiting !== undefined) return waiting;
      this.#isWholeBegun = true;
      if (this.#fresh(left).length === left.length && !this.#isPart()) return this.#whole(left);
    } else if (code === undefined) return undefined;
    if (!this.#isCautious) {
      const isGettingFurther = [...(this.#last?.states.values() ?? [])].includes("succeeded");
      // Removals that failed before stop no one else.
      if (!isGettingFurther && !this.#hasNewUndelivered)
        return isFirst ? this.#take(this.#fresh(left)) : undefined;
      const isPartOnly = this.#isPart() || this.#undelivered.size > 0;
      return isPartOnly ? this.#take(left) : this.#whole(left);
    }
    return this.#takeAny(left);
  }

  /** People without a token come first, those who failed before come last. */
  #takeAny(left: readonly Step[]): PerStack | undefined {
    const waiting = this.#withoutToken(left);
    const candidates = [this.#fresh(waiting), this.#fresh(left), waiting, left];
    for (const candidate of candidates) {
      const taken = this.#take(candidate);
      if (taken !== undefined) return taken;
    }
    return undefined;
  }

  /** The whole stack, or the whole part of it that the preview was about. */
  #whole(left: readonly Step[]): PerStack | undefined {
    const { partly, whole } = this.#options;
    if (this.#isTried(left)) return undefined;
    const targets = partly ? urnsOf(this.#steps, this.#stack) : whole;
    return { ...(targets && { targets }), continueOnError: !this.#isCautious };
  }

  /** By targets; undefined if there are none, or if the same pass was tried and nothing has changed since. */
  #take(steps: readonly Step[]): PerStack | undefined {
    if (steps.length === 0 || this.#isTried(steps)) return undefined;
    return {
      targets: urnsOf([...this.#addedUsers(), ...steps], this.#stack),
      continueOnError: !steps.some((step) => this.#removesFirst(step)),
    };
  }

  /**
   * Users whom earlier passes added. The plan names their seats and tokens by the person, and the provider learns whose a
   * user id is when it compares the user, which it does for targets alone.
   */
  #addedUsers(): Step[] {
    return this.#steps.filter(
      (step) =>
        step.type === "OrgUser" &&
        (step.action === "create" || step.action === "replace") &&
        this.#results.hasCreated(step),
    );
  }

  #isTried(steps: readonly Step[]): boolean {
    const name = steps.map(({ urn, id }) => `${urn} ${id}`).join("\n");
    if (this.#triedInVain.has(name)) return true;
    this.#triedInVain.add(name);
    return false;
  }

  /**
   * Without members for whom a request was lost, which must not be repeated, or refused, which would be refused again, and
   * without those whose address is not free yet.
   */
  #left(): Step[] {
    const lost = new Set(
      this.#steps
        .filter((step) => isLost(step, this.#results) || this.#results.isRefused(step))
        .map(({ member }) => member),
    );
    return this.#steps.filter(
      (step) =>
        isChange(step) &&
        !lost.has(step.member) &&
        !this.#isWaiting(step) &&
        !(step.type === "Delivered" && this.#undelivered.has(step.member)) &&
        !this.#isStopped(step) &&
        this.#results.stateOf(step) !== "succeeded",
    );
  }

  #isWaiting({ member }: Step): boolean {
    const holder = this.#waitsFor.get(member);
    return holder !== undefined && this.#results.stateOf(holder) !== "succeeded";
  }

  #isStopped(step: Step): boolean {
    const { type } = step;
    return this.#isInTurn(step) && isReplacedInTurns(type) && this.#options.refusals.isStopped(type);
  }

  #isInTurn(step: Step): boolean {
    return isReplacedInTurns(step.type) && this.#removesFirst(step);
  }

  #isAnyLost(): boolean {
    return this.#steps.some((step) => isLost(step, this.#results));
  }

  /** Whether something of the stack must be left alone. */
  #isPart(): boolean {
    if (this.#isAnyLost() || this.#results.hasRefused(this.#stack)) return true;
    return this.#steps.some((step) => this.#isStopped(step));
  }

  /** Of members without a failure. */
  #fresh(steps: readonly Step[]): Step[] {
    const failed = new Set(
      this.#steps.filter((step) => this.#results.hasFailed(step)).map(({ member }) => member),
    );
    return steps.filter(({ member }) => !failed.has(member));
  }

  /** Tokens of present members that a run of ours, this or an earlier one, revoked or may have revoked. */
  #withoutToken(left: readonly Step[]): Step[] {
    const joining = new Set(
      this.#steps
        .filter(({ type, action }) => type === "OrgUser" && action === "create")
        .map(({ member }) => member),
    );
    return left.filter((step) => {
      const { type, action, member, urn } = step;
      if (type !== "UserToken") return false;
      if (action === "create") return !joining.has(member);
      if (action !== "replace" || !step.deleteFirst) return false;
      return !this.#removesFirst(step) || this.#options.perhapsRevoked.has(urn);
    });
  }

  /** Whether the step still has to delete the old object before it creates the new one. */
  #removesFirst(step: Step): boolean {
    return step.action === "replace" && step.deleteFirst && !this.#results.hasDeleted(step);
  }
}

/**
 * What the services said in the reports of a pass: each pass has new providers, which know nothing of earlier ones. Stacks
 * run side by side, so a success of one does not end the refusal of another.
 */
export function noteRefusals(refusals: Refusals, reports: readonly (readonly ReportEntry[])[]): void {
  const isRefused = (report: readonly ReportEntry[]) =>
    report.some(({ failure }) => failure?.concernsOthers !== undefined);
  const ordered = reports.toSorted((a, b) => Number(isRefused(a)) - Number(isRefused(b)));
  for (const { operation, type, result, failure } of ordered.flat()) {
    if (operation !== "create" || !isReplacedInTurns(type)) continue;
    const { concernsOthers, status } = failure ?? {};
    if (result === "done") refusals.note(type, undefined);
    else if (concernsOthers !== undefined) refusals.note(type, { concernsOthers, status });
  }
}

/** What the provider replaces one person at a time, tokens first. */
export const typesInTurns = ["UserToken", "SeatAssignment"] as const;
type TypeInTurns = (typeof typesInTurns)[number];

function isReplacedInTurns(type: string): type is TypeInTurns {
  return typesInTurns.some((one) => one === type);
}

/** A machine user has no email by which the service would refuse a second one. */
function isLost(step: Step, results: StepResults): boolean {
  if (step.action !== "create" && step.action !== "replace") return false;
  const isMachineUser = step.type === "OrgUser" && typeof step.news?.email !== "string";
  return isMachineUser ? results.isDoubtful(step) : results.isLost(step);
}

/** The removals of a stack, which come before all creations. */
export function leaversOf(steps: readonly Step[], stack: string): PerStack | undefined {
  const targets = urnsOf(
    steps.filter(({ action }) => action === "delete"),
    stack,
  );
  return targets.length === 0 ? undefined : { targets, continueOnError: true };
}

/** With the components of created and deleted resources. */
function urnsOf(steps: readonly Step[], stack: string): string[] {
  const mine = steps.filter((step) => step.stack === stack && step.action !== "same");
  const parents = mine.flatMap(({ action, parent }) =>
    action === "create" || action === "delete" ? (parent ?? []) : [],
  );
  return [...new Set([...parents, ...mine.map(({ urn }) => urn)])];
}
