/**
 * Applies a plan, and nothing else: the provider gets the approved steps of each member. At most three runs of Pulumi: whoever
 * lacks something and frees something, all, and once more what can pass.
 */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { capabilitiesOf } from "../../provider/config/settings.ts";
import { wrongClock } from "../../provider/direct/service-clock.ts";
import type { Held } from "../../provider/member/held.ts";
import { isByTime } from "../../provider/member/step.ts";
import type { Can } from "../../provider/member/wanted.ts";
import { readMemberReport } from "../../provider/runtime/run-report.ts";
import { writeApprovedPlan } from "../../provider/safety/approved-plan.ts";
import type { ErrorCode } from "../../provider/util/error-codes.ts";
import type { Progress, StackRunFailure } from "../engine/engine.ts";
import { urnOf } from "../engine/stack-names.ts";
import type { MemberPlan } from "../members/plan.ts";
import { markersIn, nameOf, pendingOf, type State } from "../members/state.ts";
import { emptiedIn, MEMBER_TYPE, membersIn, type StateMember } from "../members/state-members.ts";
import { needsSwap } from "../plan/seats.ts";
import type { Warning } from "../plan/texts/warnings.ts";
import type { Preview } from "../preview/preview.ts";
import { MARKER_TYPE } from "../roster/roster.ts";
import type { Organization } from "../stacks/organization.ts";
import { auditVariables, withRunFolder } from "../stacks/run.ts";
import { stateOf } from "../stacks/stack-state.ts";
import { type MemberResult, memberResults, type PlanAnswers, resultOfStopped } from "./member-results.ts";
import { approvedPlanOf, firstPass, isWrittenOnce, mayPass, partsOf, withoutExchanges } from "./passes.ts";
import { hasUnsent, neededCalls, openCreation, remainingOf, withCreation } from "./remaining.ts";
import { RunLog } from "./run-log.ts";

interface ApplyOptions {
  readonly listener?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface StackFailure {
  readonly stack: string;
  readonly code: ErrorCode;
  readonly text: string;
  /** The people who have no result because of it, by email or purpose. */
  readonly people: readonly string[];
}

export interface Applied {
  readonly results: readonly MemberResult[];
  /** Why the run of the stack failed, if the results do not say; undefined if it did not. */
  readonly failure: StackFailure | undefined;
  /** Without those that the result of a person says. */
  readonly warnings: readonly Warning[];
  /** Whether the signal stopped the run. */
  readonly cancelled: boolean;
  /** Whether another run held the lock of the stack. */
  readonly locked: boolean;
  /** Whether removals came first. */
  readonly swapped: boolean;
  /** Whether the state has the marker of the roster now. */
  readonly isMarked: boolean;
}

/** For Pulumi's own variable: the state is written at every step, or once, at the end. */
const AT_EACH_STEP = { PULUMI_SKIP_CHECKPOINTS: "false" };
const ONCE = { PULUMI_SKIP_CHECKPOINTS: "true" };

export function apply(organization: Organization, preview: Preview, options: ApplyOptions): Promise<Applied> {
  return withRunFolder(dirname(organization.file), (folder) =>
    new PlanRun(organization, preview, folder, options).run(),
  );
}

class PlanRun {
  readonly #organization: Organization;
  readonly #preview: Preview;
  readonly #options: ApplyOptions;
  /** For the files of the provider. */
  readonly #folder: string;
  readonly #log = new RunLog();
  readonly #can: Can;
  /** Until the next run of Pulumi. */
  #read: Promise<State | undefined> | undefined;
  #isMarked = false;
  #failure: StackRunFailure | undefined;

  constructor(organization: Organization, preview: Preview, folder: string, options: ApplyOptions) {
    this.#organization = organization;
    this.#preview = preview;
    this.#folder = folder;
    this.#options = options;
    this.#can = capabilitiesOf(organization.settings);
  }

  async run(): Promise<Applied> {
    const { plan } = this.#preview;
    const all = plan.members.map(({ steps }) => steps).filter((steps) => steps.plan.units.length > 0);
    const timely = await this.#withoutWrongTime(all);
    const first = firstPass(timely, needsSwap(plan.seats));
    if (first !== undefined) await this.#pass(first);
    if (!this.#isOver()) await this.#pass(await this.#next(timely));
    if (!this.#isOver() && mayPass(timely, this.#log.lines, [...this.#log.methods.values()]))
      await this.#pass(await this.#next(timely));
    await this.#keepOpenCreations(timely);
    return this.#applied(first !== undefined, await this.#needed(all));
  }

  /** Puts into the state, without a call, what a provider that is gone may have created: the next run asks about it. */
  async #keepOpenCreations(members: readonly MemberPlan[]): Promise<void> {
    if (this.#options.signal?.aborted === true || this.#failure?.code === "stack-locked") return;
    const creations = members.flatMap((member) => {
      const pending = openCreation(member, this.#log.lines, this.#can);
      return pending === undefined ? [] : [{ member, pending }];
    });
    if (creations.length === 0) return;
    const state = await this.#state();
    // Pulumi itself keeps a creation that it did not see end.
    const cut = new Set(
      state === undefined ? [] : pendingOf(state).map(({ resource }) => nameOf(resource.urn)),
    );
    const held = await this.#held();
    const open = creations.flatMap(({ member, pending }) =>
      cut.has(member.name) ? [] : (withCreation(member, pending, held.get(member.ref)) ?? []),
    );
    if (open.length === 0) return;
    const failure = this.#failure;
    await this.#run(open);
    this.#failure = failure ?? this.#failure;
  }

  #isOver(): boolean {
    return this.#failure !== undefined || this.#options.signal?.aborted === true;
  }

  /** Of each member, the steps that are left; of one whom no run was about, all. */
  async #next(members: readonly MemberPlan[]): Promise<MemberPlan[]> {
    if (this.#log.tried.size === 0) return [...members];
    const { openedAt: now } = this.#organization;
    const can = this.#can;
    const held = await this.#held();
    return members.flatMap((member) => {
      if (!this.#log.tried.has(member.ref)) return this.#log.isStopped ? withoutExchanges(member) : [member];
      if (!held.has(member.ref) && openCreation(member, this.#log.lines, can) !== undefined) return [];
      const left = remainingOf(member, {
        held: held.get(member.ref),
        lines: this.#log.lines,
        ...{ now, can },
        isStopped: this.#log.isStopped,
      });
      if (left === undefined) return [];
      this.#log.noteOrigins(left.origins);
      return [left.plan];
    });
  }

  /** What those still need of whom not all was sent: another run may have changed them since the plan. */
  async #needed(all: readonly MemberPlan[]): Promise<Map<string, ReadonlySet<string>>> {
    const unsent = all.filter(
      (member) => this.#log.tried.has(member.ref) && hasUnsent(member, this.#log.lines),
    );
    if (unsent.length === 0 || this.#isOver()) return new Map();
    const situation = { now: this.#organization.openedAt, can: this.#can };
    const held = await this.#held();
    return new Map(unsent.map((one) => [one.ref, neededCalls(one, held.get(one.ref), situation)]));
  }

  /** A machine whose clock is wrong makes no change that time decides. */
  async #withoutWrongTime(members: readonly MemberPlan[]): Promise<MemberPlan[]> {
    const isTimed = ({ plan }: MemberPlan) => plan.units.some(({ steps }) => steps.some(isByTime));
    if (!members.some(isTimed)) return [...members];
    const { config: values, environment, now } = this.#organization;
    const config = (key: string) => values.get(key);
    const text = await wrongClock({ config, environment }, now);
    if (text === undefined) return [...members];
    return members.filter((member) => {
      if (!isTimed(member)) return true;
      this.#log.refuse(member, { text, code: "clock-skew" });
      return false;
    });
  }

  #state(): Promise<State | undefined> {
    const { engine, stack } = this.#organization;
    this.#read ??= stateOf(engine, stack);
    return this.#read;
  }

  /** What the state has of each member, by `ref`. */
  async #held(): Promise<Map<string, Held>> {
    const members = membersIn(this.#organization.stack, await this.#state());
    return new Map(members.map(({ held }) => [held.ref, held]));
  }

  async #pass(members: readonly MemberPlan[]): Promise<void> {
    const isSettings = this.#preview.plan.settings.length > 0 && !this.#isMarked;
    if (members.length === 0 && !isSettings) return this.#removeEmptied();
    for (const part of partsOf(members, this.#can)) {
      if (this.#isOver()) return;
      await this.#run(part);
    }
  }

  /** Members who have left: their resources go without a call, with the next run that there is. */
  async #removeEmptied(): Promise<void> {
    if (this.#log.tried.size === 0) return;
    const { stack } = this.#organization;
    if (emptiedIn(stack, await this.#state()).length > 0) await this.#run([]);
  }

  async #run(members: readonly MemberPlan[]): Promise<void> {
    const { engine, stack, isNew } = this.#organization;
    const { listener, signal } = this.#options;
    const state = await this.#state();
    const marker = markersIn(state)[0];
    const emptied = emptiedIn(stack, state);
    const report = join(this.#folder, `${randomUUID()}.jsonl`);
    const name = (type: string, logical: string) => urnOf(engine.target?.project ?? "", stack, type, logical);
    const { rosterId, facts } = this.#preview;
    const isKnown = marker !== undefined && marker.rosterId !== rosterId;
    const outcome = await engine.run(
      {
        ...{ stack, isNew: isNew && state === undefined },
        program: { rosterId: rosterId ?? "", facts, members },
        targets: [
          name(MARKER_TYPE, rosterId ?? ""),
          ...(isKnown ? [marker.urn] : []),
          ...members.map((member) => member.member?.urn ?? name(MEMBER_TYPE, member.name)),
          ...emptied.map(({ urn }) => urn),
        ],
        environment: {
          ...(isWrittenOnce(members, this.#can) ? ONCE : AT_EACH_STEP),
          ...this.#variables(members, membersIn(stack, state)),
          ORGSEAT_RUN_REPORT: report,
        },
      },
      listener,
      signal,
    );
    this.#failure = failureOfRun(outcome.failure, outcome.failed);
    this.#log.noteRun(members, readMemberReport(report), outcome.diagnostics, name);
    this.#read = undefined;
    // Whoever needs a state that cannot be read now tries again.
    const after = await this.#state().catch(() => {
      this.#read = undefined;
    });
    this.#isMarked ||= markersIn(after ?? undefined).some((one) => one.rosterId === rosterId);
  }

  #variables(members: readonly MemberPlan[], state: readonly StateMember[]): Record<string, string> {
    const { roster, openedAt, run, auditFile } = this.#organization;
    const file = join(this.#folder, `${randomUUID()}.json`);
    const { organizationId } = roster;
    writeApprovedPlan(file, approvedPlanOf(members, { organizationId, now: openedAt, state }));
    return {
      ...auditVariables(run, auditFile),
      ORGSEAT_APPROVED_PLAN: file,
      ORGSEAT_PLAN: this.#preview.document.digest,
    };
  }

  #applied(swapped: boolean, needed: PlanAnswers["needed"]): Applied {
    const { stack } = this.#organization;
    const { plan, stopped } = this.#preview;
    const answers = { ...this.#log.answers(), needed, isComplete: !this.#isOver() };
    const results = [
      ...stopped.map((one) => resultOfStopped(one, stack)),
      ...memberResults(plan, answers, this.#isMarked),
    ];
    const { code, text } = this.#failure ?? {};
    return {
      results,
      failure: code === undefined || text === undefined ? undefined : { stack, code, text, people: [] },
      warnings: this.#log.warnings(plan, results),
      cancelled: code === "cancelled" || this.#options.signal?.aborted === true,
      locked: code === "stack-locked",
      swapped,
      isMarked: this.#isMarked,
    };
  }
}

/** A run in which nothing but members failed has results that say so. */
function failureOfRun(
  failure: StackRunFailure | undefined,
  failed: readonly string[],
): StackRunFailure | undefined {
  const isOfMembers = failed.length > 0 && failure?.code !== "cancelled" && failure?.code !== "stack-locked";
  return isOfMembers ? undefined : failure;
}
