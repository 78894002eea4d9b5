/**
 * Applies a plan: leavers of all stacks before joiners of any where seats run short, again where something failed and
 * something else went on, and nothing that the preview did not show: the provider gets the list of approved changes.
 */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { writeApprovedChanges } from "../../provider/approved-changes.ts";
import { readReport } from "../../provider/run-report.ts";
import { tryCredentials } from "../../provider/try-credentials.ts";
import { type PerStack, runAll } from "./all-stacks.ts";
import type { Progress, StackOutcome } from "./engine/engine.ts";
import { type MemberResult, memberResults } from "./member-results.ts";
import type { Organization } from "./organization.ts";
import { actions } from "./plan/actions.ts";
import { withNames } from "./plan/members.ts";
import type { StackOwner } from "./plan/ownership.ts";
import { type Plan, withUnplanned } from "./plan/plan.ts";
import { needsSwap } from "./plan/seats.ts";
import { isChange, type Step, trackOf } from "./plan/steps.ts";
import type { StackFailure } from "./preview.ts";
import { leaversOf, Rounds } from "./rounds.ts";
import { auditVariables, withRunFolder } from "./run.ts";
import { managedMembers, pendingOf, statesOf } from "./stack-state.ts";
import { StepResults } from "./step-results.ts";

export interface ApplyOptions {
  /** Whether the plan is a part of what the programs say, so that the rest is to be left alone. */
  readonly partly: boolean;
  /** What the previews told of the roster's markers. */
  readonly markers: readonly StackOwner[];
  /** Stacks to leave alone: their preview failed. */
  readonly without: readonly string[];
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Ids of users whose token this command has revoked before. */
  readonly revokedTokens?: ReadonlySet<string> | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Applied {
  readonly results: readonly MemberResult[];
  /** Stacks that did not end well, those too that could not be previewed. */
  readonly failures: readonly StackFailure[];
  readonly warnings: readonly string[];
  /** Whether the run was stopped on request. */
  readonly cancelled: boolean;
  /** Whether another run held a stack. */
  readonly locked: boolean;
  /** Whether leavers had to go before joiners came. */
  readonly swapped: boolean;
  /** The ids of rosters that the states are marked with since. */
  readonly markedWith: ReadonlySet<string>;
}

/** How often one command begins anew, at most, where something failed and something else went on. */
const ROUNDS = 20;

export async function apply(organization: Organization, plan: Plan, options: ApplyOptions): Promise<Applied> {
  return withRunFolder(dirname(organization.file), async (folder) => {
    const approved = join(folder, "approved-changes.json");
    const { organizationId, approvedChanges } = plan;
    writeApprovedChanges(approved, { organizationId, changes: [...approvedChanges] });
    const environment = {
      ...auditVariables(organization.run, organization.auditFile),
      ...options.environment,
      ORGSEAT_APPROVED_CHANGES: approved,
    };
    return new PlanRun(organization, plan, folder, { ...options, environment }).run();
  });
}

class PlanRun {
  readonly #organization: Organization;
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  /** Of this run alone: what the provider reports lies in it. */
  readonly #folder: string;
  readonly #results: StepResults;
  readonly #warnings = new Set<string>();
  readonly #rounds = new Map<string, Rounds>();
  readonly #lastOutcomes = new Map<string, StackOutcome>();
  readonly #markedWith = new Set<string>();
  /** What failed and is no change of the plan, by the tracks: mostly what the provider refused because it is none. */
  readonly #unplanned = new Map<string, Step>();

  constructor(organization: Organization, plan: Plan, folder: string, options: ApplyOptions) {
    this.#organization = organization;
    this.#plan = plan;
    this.#folder = folder;
    this.#options = options;
    this.#results = new StepResults(options.revokedTokens);
  }

  async run(): Promise<Applied> {
    const { steps, seats } = this.#plan;
    const { partly } = this.#options;
    const swapped = !partly && needsSwap(seats);
    if (swapped) await this.#pass((stack) => leaversOf(steps, stack));
    const perhapsRevoked = await this.#perhapsRevoked();
    for (const stack of new Set(steps.filter(isChange).map(({ stack: one }) => one))) {
      this.#rounds.set(stack, new Rounds(stack, steps, this.#results, { partly, perhapsRevoked }));
    }
    for (let round = 1; round <= ROUNDS; round++) {
      const next = new Map<string, PerStack>();
      for (const [stack, rounds] of this.#rounds) {
        const one = rounds.next();
        if (one) next.set(stack, one);
      }
      if (next.size === 0) break;
      await this.#pass((stack) => next.get(stack));
    }
    const failures = [...this.#lastOutcomes.values()].flatMap(({ stack, failure }) =>
      failure === undefined ? [] : [{ stack, ...failure }],
    );
    const { roster, program, now } = this.#organization;
    const unplanned = [...this.#unplanned.values()].filter(
      (step) => this.#results.stateOf(step) === "failed",
    );
    // They name people only: no result is lost for a state that cannot be read.
    const managed = unplanned.length === 0 ? [] : await managedMembers(this.#organization).catch(() => []);
    const { members, otherResources } = withUnplanned(this.#plan, { unplanned, managed, now: now() });
    const verdicts = memberResults({ members, otherResources }, this.#results, {
      people: roster.people,
      isRoster: program === undefined,
    });
    return {
      results: verdicts,
      failures: failures.map(({ stack, text }) => ({
        ...{ stack, people: [] },
        text: this.#resultTextOf(stack, text, verdicts) ?? withNames(text, members),
      })),
      warnings: [...this.#warnings].map((text) => withNames(text, members)),
      cancelled: failures.some(({ code }) => code === "cancelled"),
      locked: failures.some(({ code }) => code === "locked"),
      swapped,
      markedWith: this.#markedWith,
    };
  }

  /** A run of a part of the plan marks its stack too. @returns the URNs of markers to be created */
  #newMarkers(stack: string): string[] {
    const markers = this.#options.markers.find((owner) => owner.stack === stack)?.markers ?? [];
    const { rosterId } = this.#organization;
    return markers.flatMap(({ action, urn, rosterId: id }) =>
      action === "create" && id === rosterId ? [urn] : [],
    );
  }

  async #pass(each: (stack: string) => PerStack | undefined): Promise<void> {
    const { environment, listener, signal, without } = this.#options;
    const reports = new Map<string, string>();
    const outcomes = await runAll(this.#organization, {
      ...{ operation: "up", environment, listener, signal },
      each: (stack) => {
        const one = without.includes(stack) ? undefined : each(stack);
        if (one === undefined) return undefined;
        const report = join(this.#folder, `${randomUUID()}.jsonl`);
        reports.set(stack, report);
        const targets = one.targets && [...this.#newMarkers(stack), ...one.targets];
        return { ...one, targets, environment: { ORGSEAT_RUN_REPORT: report } };
      },
    });
    for (const outcome of outcomes) {
      const { stack, diagnostics, markers } = outcome;
      this.#results.add(outcome, each(stack)?.targets, readReport(reports.get(stack) ?? ""));
      this.#lastOutcomes.set(stack, outcome);
      this.#noteUnplanned(outcome);
      this.#rounds.get(stack)?.onOutcome(outcome);
      for (const { action, isDone, rosterId } of markers)
        if (action === "create" && isDone) this.#markedWith.add(rosterId);
      for (const { severity, text } of diagnostics) if (severity === "warning") this.#warnings.add(text);
    }
  }

  #noteUnplanned({ steps, states }: StackOutcome): void {
    const planned = new Set(this.#plan.steps.filter(isChange).map(trackOf));
    for (const step of steps) {
      const track = trackOf(step);
      if (states.get(track) === "failed" && !planned.has(track)) this.#unplanned.set(track, step);
    }
  }

  /** URNs of tokens that a run was revoking when it died. Nothing else revokes before it issues. */
  async #perhapsRevoked(): Promise<ReadonlySet<string>> {
    const stacks = new Set(this.#plan.steps.flatMap(({ stack, deleteFirst }) => (deleteFirst ? stack : [])));
    const pending = [...(await statesOf(this.#organization, stacks)).values()].flatMap(pendingOf);
    return new Set(pending.flatMap(({ type, resource }) => (type === "deleting" ? resource.urn : [])));
  }

  /** What is told of the person or thing at which a stack stopped; undefined where it stopped at nothing of the plan. */
  #resultTextOf(stack: string, text: string, verdicts: readonly MemberResult[]): string | undefined {
    const said = this.#lastOutcomes.get(stack)?.diagnostics;
    const urn = said?.find((one) => one.severity === "error" && one.text === text)?.urn;
    const key = [...this.#plan.steps, ...this.#unplanned.values()].find((step) => step.urn === urn)?.member;
    return verdicts.find((one) => one.stack === stack && one.key === key && one.text !== undefined)?.text;
  }
}

/**
 * Asks for one access token, where the plan needs calls. A program of one's own may have other credentials than the
 * configured ones, so nothing is tried for it.
 * @throws Error that names the address
 */
export async function requireCredentials(
  { program, configuration, environment, roster }: Organization,
  { members }: Plan,
): Promise<void> {
  const needsCalls = members.some((member) => member.actions.some((deed) => actions[deed].calls.length > 0));
  if (program !== undefined || !needsCalls) return;
  try {
    // The roster names the organization.
    const known = new Map([["orgseat:organizationId", roster.organizationId], ...configuration.config]);
    await tryCredentials({ config: (key) => known.get(key), environment });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot apply this plan: ${reason.replace(/[.\s]*$/, "")}. No changes were made`);
  }
}
