/**
 * What each stack takes in its next pass, as long as that gets further: first, and alone, whoever is without a token through
 * us, then whoever has not failed yet, then the others once more.
 */
import type { PerStack } from "./all-stacks.ts";
import type { StackOutcome } from "./engine/engine.ts";
import { isChange, type Step, trackOfReplaced } from "./plan/steps.ts";
import type { StepResults } from "./step-results.ts";

export interface RoundsOptions {
  /** Whether the plan is a part of what the programs say, so that the rest is to be left alone. */
  readonly partly: boolean;
  /** URNs of tokens that an interrupted run may have revoked, without a word of it in the state. */
  readonly perhapsRevoked: ReadonlySet<string>;
}

/** The passes of one stack. */
export class Rounds {
  readonly #stack: string;
  readonly #steps: readonly Step[];
  readonly #results: StepResults;
  readonly #options: RoundsOptions;
  /** The Pulumi CLI 3.260 does not end where a deletion before a replacement fails and it is to go on. */
  readonly #isCautious: boolean;
  /** What was tried since something was done last. */
  readonly #triedInVain = new Set<string>();
  #isWholeBegun = false;
  #last: StackOutcome | undefined;

  /** @param steps of the plan, of all stacks */
  constructor(stack: string, steps: readonly Step[], results: StepResults, options: RoundsOptions) {
    this.#stack = stack;
    this.#steps = steps.filter((step) => step.stack === stack);
    this.#results = results;
    this.#options = options;
    this.#isCautious = this.#steps.some(({ deleteFirst }) => deleteFirst);
  }

  /** What a pass came to. */
  onOutcome(outcome: StackOutcome): void {
    this.#last = outcome;
    if ([...outcome.states.values()].includes("succeeded")) this.#triedInVain.clear();
  }

  /** Undefined where nothing is left that a further pass could do. */
  next(): PerStack | undefined {
    const code = this.#last?.failure?.code;
    if (code === "locked" || code === "cancelled") return undefined;
    const left = this.#left();
    if (!this.#isWholeBegun) {
      const waiting = this.#isCautious ? this.#take(this.#fresh(this.#withoutToken(left))) : undefined;
      if (waiting !== undefined) return waiting;
      this.#isWholeBegun = true;
      if (this.#fresh(left).length === left.length && !this.#isAnyLost()) return this.#whole(left);
    } else if (code !== "failed") return undefined;
    if (!this.#isCautious) {
      const isGettingFurther = [...(this.#last?.states.values() ?? [])].includes("succeeded");
      if (!isGettingFurther) return undefined;
      const isPartOnly = this.#isAnyLost() || this.#results.hasRefused(this.#stack);
      return isPartOnly ? this.#take(left) : this.#whole(left);
    }
    const waiting = this.#withoutToken(left);
    const candidates = [this.#fresh(waiting), this.#fresh(left), waiting, left];
    for (const candidate of candidates) {
      const taken = this.#take(candidate);
      if (taken !== undefined) return taken;
    }
    return undefined;
  }

  /** Everything, for what is left. */
  #whole(left: readonly Step[]): PerStack | undefined {
    const { partly } = this.#options;
    if (this.#isTried(left)) return undefined;
    return {
      ...(partly && { targets: urnsOf(this.#steps, this.#stack) }),
      continueOnError: !this.#isCautious,
    };
  }

  /** By targets; undefined where there is nothing to take, or where it was tried and nothing has happened since. */
  #take(steps: readonly Step[]): PerStack | undefined {
    if (steps.length === 0 || this.#isTried(steps)) return undefined;
    return {
      targets: urnsOf([...this.#addedUsers(), ...steps], this.#stack),
      continueOnError: !steps.some((step) => this.#removesFirst(step)),
    };
  }

  /**
   * Users whom earlier rounds added. A preview names a seat or token of theirs by the person, and the provider learns
   * whose a user id is when it compares the user, which it does with targets alone.
   */
  #addedUsers(): Step[] {
    return this.#steps.filter(
      (step) =>
        step.type === "OrgUser" &&
        (step.action === "create" || step.action === "replace") &&
        this.#results.stateOf(step) === "succeeded",
    );
  }

  #isTried(steps: readonly Step[]): boolean {
    const name = steps.map(({ urn, id }) => `${urn} ${id}`).join("\n");
    if (this.#triedInVain.has(name)) return true;
    this.#triedInVain.add(name);
    return false;
  }

  /**
   * Whatever is to be done still, but for people of whom something was lost, which sent again might be done twice, or
   * refused, which would be refused again.
   */
  #left(): Step[] {
    const lost = new Set(
      this.#steps
        .filter((step) => isLost(step, this.#results) || this.#results.isRefused(step))
        .map(({ member }) => member),
    );
    return this.#steps.filter(
      (step) => isChange(step) && !lost.has(step.member) && this.#results.stateOf(step) !== "succeeded",
    );
  }

  #isAnyLost(): boolean {
    return this.#steps.some((step) => isLost(step, this.#results));
  }

  /** Of people of whom nothing has failed yet. */
  #fresh(steps: readonly Step[]): Step[] {
    const failed = new Set(
      this.#steps.filter((step) => this.#results.stateOf(step) === "failed").map(({ member }) => member),
    );
    return steps.filter(({ member }) => !failed.has(member));
  }

  /** Tokens of people who are there, and whose token a run of ours has revoked, or may have: this one, or one before. */
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
      return action === "replace" && (!this.#removesFirst(step) || this.#options.perhapsRevoked.has(urn));
    });
  }

  /** Whether the old one is still to be deleted before the new one is made. */
  #removesFirst({ action, deleteFirst, urn, id }: Step): boolean {
    return (
      action === "replace" &&
      deleteFirst &&
      this.#results.stateOfTrack(trackOfReplaced(urn, id)) !== "succeeded"
    );
  }
}

/** Managed users have no email by which the service would refuse a second one. */
function isLost(step: Step, results: StepResults): boolean {
  if (step.action !== "create" && step.action !== "replace") return false;
  const isManagedUser = step.type === "OrgUser" && typeof step.news?.email !== "string";
  return isManagedUser ? results.isDoubtful(step) : results.isLost(step);
}

/** Whatever a stack only gives up, which goes before anybody comes. */
export function leaversOf(steps: readonly Step[], stack: string): PerStack | undefined {
  const targets = urnsOf(
    steps.filter(({ action }) => action === "delete"),
    stack,
  );
  return targets.length === 0 ? undefined : { targets, continueOnError: true };
}

/** With the components of those that are made, which come before them. */
function urnsOf(steps: readonly Step[], stack: string): string[] {
  const mine = steps.filter((step) => step.stack === stack && step.action !== "same");
  const parents = mine.flatMap(({ action, parent }) => (action === "create" ? (parent ?? []) : []));
  return [...new Set([...parents, ...mine.map(({ urn }) => urn)])];
}
