/**
 * Applies a plan: leavers of all stacks before joiners of any where seats run short, again where something failed and
 * something else went on, and nothing that the preview did not show: the provider gets the list of approved changes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeApprovedChanges } from "../../provider/approved-changes.ts";
import { type PerStack, runAll } from "./all-stacks.ts";
import type { Progress, StackOutcome } from "./engine/engine.ts";
import type { Organization } from "./organization.ts";
import { withNames } from "./plan/people.ts";
import type { Plan } from "./plan/plan.ts";
import { needsSwap } from "./plan/seats.ts";
import { isChange, type Step } from "./plan/steps.ts";
import type { StackFault } from "./preview.ts";
import { auditVariables } from "./run.ts";
import { Ledger, type Verdict, verdictsOf } from "./verdicts.ts";

export interface ApplyOptions {
  /** Whether the plan is a part of what the programs say, so that the rest is to be left alone. */
  readonly partly: boolean;
  /** Stacks to leave alone: their preview failed. */
  readonly without: readonly string[];
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Applied {
  readonly verdicts: readonly Verdict[];
  /** Stacks that did not end well, those too that could not be previewed. */
  readonly faults: readonly StackFault[];
  readonly warnings: readonly string[];
  /** Whether the run was stopped on request. */
  readonly cancelled: boolean;
  /** Whether another run held a stack. */
  readonly locked: boolean;
  /** Whether leavers had to go before joiners came. */
  readonly swapped: boolean;
}

/** How often one command begins anew, at most, where something failed and something else went on. */
const ROUNDS = 20;

export async function apply(organization: Organization, plan: Plan, options: ApplyOptions): Promise<Applied> {
  const folder = await mkdtemp(join(tmpdir(), "orgseat-run-"));
  try {
    const approved = join(folder, "approved-changes.json");
    const { organizationId, approvedChanges } = plan;
    writeApprovedChanges(approved, { organizationId, changes: [...approvedChanges] });
    const environment = {
      ...auditVariables(organization.run, organization.auditFile),
      ...options.environment,
      ORGSEAT_APPROVED_CHANGES: approved,
    };
    return await new Application(organization, plan, { ...options, environment }).run();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Application {
  readonly #organization: Organization;
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  readonly #ledger = new Ledger();
  readonly #warnings = new Set<string>();
  #last = new Map<string, StackOutcome>();

  constructor(organization: Organization, plan: Plan, options: ApplyOptions) {
    this.#organization = organization;
    this.#plan = plan;
    this.#options = options;
  }

  async run(): Promise<Applied> {
    const { steps, seats, members } = this.#plan;
    const swapped = !this.#options.partly && needsSwap(seats);
    if (swapped) await this.#pass((stack) => leaversOf(steps, stack));
    // The Pulumi CLI 3.260 does not end where a deletion before a replacement fails and it is to go on.
    const cautious = new Set(steps.filter(({ deleteFirst }) => deleteFirst).map(({ stack }) => stack));
    const whole = (stack: string): PerStack => ({
      ...(this.#options.partly && { targets: urnsOf(steps, stack) }),
      continueOnError: !cautious.has(stack),
    });
    const busy = new Set(steps.filter(isChange).map(({ stack }) => stack));
    await this.#pass((stack) => (busy.has(stack) ? whole(stack) : undefined));
    for (let round = 2; round <= ROUNDS; round++) {
      const again = new Map<string, PerStack>();
      for (const stack of this.#worthAnotherRound()) {
        const lost = this.#lostPeople(stack);
        const goesOn = !cautious.has(stack);
        const next = goesOn && lost.size === 0 ? whole(stack) : this.#rest(stack, lost, goesOn);
        if (next) again.set(stack, next);
      }
      if (again.size === 0) break;
      await this.#pass((stack) => again.get(stack));
    }
    const failures = [...this.#last.values()].flatMap(({ stack, failure }) =>
      failure === undefined ? [] : [{ stack, ...failure }],
    );
    return {
      verdicts: verdictsOf(this.#plan, this.#ledger, this.#organization.roster.people),
      faults: failures.map(({ stack, text }) => ({ stack, text: withNames(text, members), people: [] })),
      warnings: [...this.#warnings].map((text) => withNames(text, members)),
      cancelled: failures.some(({ code }) => code === "cancelled"),
      locked: failures.some(({ code }) => code === "locked"),
      swapped,
    };
  }

  async #pass(each: (stack: string) => PerStack | undefined): Promise<void> {
    const { environment, listener, signal, without } = this.#options;
    const outcomes = await runAll(this.#organization, {
      ...{ operation: "up", environment, listener, signal },
      each: (stack) => (without.includes(stack) ? undefined : each(stack)),
    });
    for (const outcome of outcomes) {
      this.#ledger.add(outcome, each(outcome.stack)?.targets);
      this.#last.set(outcome.stack, outcome);
      for (const { severity, text } of outcome.messages) if (severity === "warning") this.#warnings.add(text);
    }
  }

  /**
   * Managed users whose creation failed: one may exist all the same, no call finds it, and a second try would make a
   * second one. By their members.
   */
  #lostPeople(stack: string): Set<string> {
    const lost = this.#plan.steps.filter(
      (step) =>
        step.stack === stack &&
        step.type === "OrgUser" &&
        (step.action === "create" || step.action === "replace") &&
        typeof step.news?.email !== "string" &&
        this.#ledger.stateOf(step) === "failed",
    );
    return new Set(lost.map(({ member }) => member));
  }

  /** What is left of a stack but for some people: where the first failure stops it, whoever has not failed yet goes first. */
  #rest(stack: string, lost: ReadonlySet<string>, continueOnError: boolean): PerStack | undefined {
    const left = this.#plan.steps.filter(
      (step) =>
        step.stack === stack &&
        isChange(step) &&
        !lost.has(step.member) &&
        this.#ledger.stateOf(step) !== "done",
    );
    const failed = new Set(
      left.filter((step) => this.#ledger.stateOf(step) === "failed").map(({ member }) => member),
    );
    const healthy = left.filter(({ member }) => !failed.has(member));
    const next = continueOnError || healthy.length === 0 ? left : healthy;
    if (next.length === 0) return undefined;
    return { targets: urnsOf([...this.#addedUsers(stack), ...next], stack), continueOnError };
  }

  /**
   * Users whom earlier rounds added. A preview names a seat or token of theirs by the person, and the provider learns
   * whose a user id is when it compares the user, which it does with targets alone.
   */
  #addedUsers(stack: string): Step[] {
    return this.#plan.steps.filter(
      (step) =>
        step.stack === stack &&
        step.type === "OrgUser" &&
        (step.action === "create" || step.action === "replace") &&
        this.#ledger.stateOf(step) === "done",
    );
  }

  /** Stacks of which something failed while something else was done: the next try may get further. */
  #worthAnotherRound(): Set<string> {
    const again = new Set<string>();
    for (const [stack, { failure, states }] of this.#last) {
      if (failure?.code === "failed" && [...states.values()].includes("done")) again.add(stack);
    }
    return again;
  }
}

/** Whatever a stack only gives up, which goes before anybody comes. */
function leaversOf(steps: readonly Step[], stack: string): PerStack | undefined {
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
