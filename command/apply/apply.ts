/**
 * Applies a plan, and nothing else: the provider gets the list of approved changes. If seats run short, all stacks first
 * make their removals. A stack runs again as long as something failed and something else succeeded.
 */
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { wrongClock } from "../../provider/direct/service-clock.ts";
import { tryCredentials } from "../../provider/direct/try-credentials.ts";
import { serviceOperation } from "../../provider/resources/actions.ts";
import { Refusals } from "../../provider/roster-parts/refusals.ts";
import { readReport } from "../../provider/runtime/run-report.ts";
import { type ApprovedChange, writeApprovedChanges } from "../../provider/safety/approved-changes.ts";
import { writeOtherUsers } from "../../provider/safety/other-users.ts";
import { messageOf, withoutStop } from "../../provider/util/text.ts";
import type { Diagnostic, Progress, StackOutcome } from "../engine/engine.ts";
import { endedAccessIn, isEnding } from "../plan/access-ends.ts";
import { addressMovesIn } from "../plan/addresses.ts";
import { type PlannedMember, withNames } from "../plan/members.ts";
import { type Plan, withUnplanned } from "../plan/plan.ts";
import { needsSwap } from "../plan/seats.ts";
import { sentBy } from "../plan/steps/actions.ts";
import { decidedSteps } from "../plan/steps/machine-users.ts";
import { isDecidedByTime } from "../plan/steps/scheduled.ts";
import { isChange, methodKey, methodKeys, type Step, textIn } from "../plan/steps/steps.ts";
import { type Warning, warningsIn } from "../plan/texts/warnings.ts";
import { type StackFailure, type UndeliveredMember, undeliveredIn } from "../preview/notices.ts";
import type { Preview } from "../preview/preview.ts";
import { withoutOffboarded } from "../roster/roster.ts";
import { type PerStack, runAll } from "../stacks/all-stacks.ts";
import type { Connection, Declaration, Organization } from "../stacks/organization.ts";
import { auditVariables, withRunFolder } from "../stacks/run.ts";
import { managedMembers, pendingOf, statesOf } from "../stacks/stack-state.ts";
import { type MemberResult, memberResults, resultOfStopped } from "./member-results.ts";
import { leaversOf, noteRefusals, Rounds, typesInTurns } from "./rounds.ts";
import { StepResults } from "./step-results.ts";

interface ApplyOptions {
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Ids of users whose token this command revoked before the run. */
  readonly revokedTokens?: ReadonlySet<string> | undefined;
  readonly listener?: ((progress: Progress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Applied {
  readonly results: readonly MemberResult[];
  /** Failed stacks, including those whose preview failed. */
  readonly failures: readonly StackFailure[];
  /** Without those that the result of a person says. */
  readonly warnings: readonly Warning[];
  /** Whether the signal stopped the run. */
  readonly cancelled: boolean;
  /** Whether another run held the lock of a stack. */
  readonly locked: boolean;
  /** Whether the removals of all stacks came first. */
  readonly swapped: boolean;
  /** The ids of rosters whose marker the run created. */
  readonly markedWith: ReadonlySet<string>;
}

/** The maximum number of passes. */
const ROUNDS = 20;

/**
 * Pulumi's file backends write the whole state before and after each step. With this variable they write it once, at
 * the end: a killed run has then changed the service, but not the state.
 */
const WITHOUT_CHECKPOINTS = { PULUMI_SKIP_CHECKPOINTS: "true" };
/** Overrides a variable of the user's environment: the ids and tokens of a killed run are only in the state. */
const WITH_CHECKPOINTS = { PULUMI_SKIP_CHECKPOINTS: "false" };

export async function apply(
  organization: Organization,
  preview: Preview,
  options: ApplyOptions,
): Promise<Applied> {
  return withRunFolder(dirname(organization.file), async (folder) => {
    const approved = join(folder, "approved-changes.json");
    const { organizationId, approvedChanges } = preview.plan;
    const changes = approvedChanges.map((change) => withoutRevoked(change, options.revokedTokens));
    writeApprovedChanges(approved, { organizationId, changes });
    const environment = {
      ...WITH_CHECKPOINTS,
      ...auditVariables(organization.run, organization.auditFile),
      ...options.environment,
      ORGSEAT_APPROVED_CHANGES: approved,
      ORGSEAT_PLAN: preview.document.digest,
    };
    return new PlanRun(organization, preview, folder, { ...options, environment }).run();
  });
}

/** The provider then knows that there is no token to revoke: an error of the service need not say so. */
function withoutRevoked(change: ApprovedChange, revokedTokens?: ReadonlySet<string>): ApprovedChange {
  const isRevoked =
    change.action === "delete" && change.type === "UserToken" && revokedTokens?.has(change.id);
  return isRevoked ? { ...change, operations: [] } : change;
}

class PlanRun {
  readonly #organization: Organization;
  readonly #preview: Preview;
  readonly #plan: Plan;
  readonly #options: ApplyOptions;
  /** For the reports of the provider. */
  readonly #folder: string;
  readonly #results: StepResults;
  /** Of the providers of all passes. */
  readonly #refusals = new Refusals();
  /** Of all passes. */
  readonly #diagnostics: Diagnostic[] = [];
  readonly #rounds = new Map<string, Rounds>();
  readonly #lastOutcomes = new Map<string, StackOutcome>();
  readonly #markedWith = new Set<string>();
  readonly #undelivered: UndeliveredMember[];
  /** By key, failed steps that are not in the plan: usually, the provider refused them for that reason. */
  readonly #unplanned = new Map<string, Step>();

  constructor(organization: Organization, preview: Preview, folder: string, options: ApplyOptions) {
    this.#organization = organization;
    this.#preview = preview;
    this.#plan = preview.plan;
    this.#folder = folder;
    this.#options = options;
    this.#results = new StepResults(options.revokedTokens);
    this.#undelivered = [...preview.undelivered];
  }

  async run(): Promise<Applied> {
    const { steps: all, seats } = this.#plan;
    const steps = decidedSteps(all);
    const waiting = new Set(all.flatMap(({ stack, undecided }) => (undecided ? stack : [])));
    // The programs declare more than a part of a plan: the passes then need targets.
    const partly = this.#preview.targets !== undefined;
    const perhapsRevoked = await this.#perhapsRevoked();
    const addressMoves = addressMovesIn(steps);
    for (const stack of new Set(steps.filter(isChange).map(({ stack: one }) => one))) {
      const whole = this.#preview.parts.get(stack)?.targets;
      this.#rounds.set(
        stack,
        new Rounds(stack, steps, this.#results, {
          ...{ partly: partly || waiting.has(stack), whole, perhapsRevoked, addressMoves },
          refusals: this.#refusals,
        }),
      );
    }
    await this.#refuseByTime(steps);
    const swapped = !partly && needsSwap(seats);
    const allowed = steps.filter((step) => !this.#results.isRefused(step));
    if (swapped) await this.#pass((stack) => leaversOf(allowed, stack));
    await this.#firstOfAll();
    for (let round = 1; round <= ROUNDS; round++) {
      const next = new Map<string, PerStack>();
      for (const [stack, rounds] of this.#rounds) {
        const one = rounds.next();
        if (one) next.set(stack, one);
      }
      if (next.size === 0) break;
      await this.#pass((stack) => next.get(stack));
    }
    return this.#applied(swapped);
  }

  /** A machine whose clock is wrong makes no change that time decides. */
  async #refuseByTime(steps: readonly Step[]): Promise<void> {
    const { roster, offboarded, configuration, environment, openedAt, now } = this.#organization;
    const ended = endedAccessIn(withoutOffboarded(roster.people, offboarded), openedAt);
    const timed = steps.filter((step) => isEnding(step, ended) || isDecidedByTime(step, openedAt));
    if (timed.length === 0) return;
    const config = (key: string) => configuration.config.get(key);
    const text = await wrongClock({ config, environment }, now);
    if (text !== undefined)
      for (const step of timed) this.#results.refuse(step, { text, code: "clock-skew" });
  }

  /**
   * The providers of several stacks do not know of each other: one person first, until the service has answered, so that a
   * service that issues no token costs one person the old one, and not one of each stack.
   */
  async #firstOfAll(): Promise<void> {
    for (const type of typesInTurns) {
      const waiting = [...this.#rounds].filter(([, rounds]) => rounds.first(type) !== undefined);
      if (waiting.length < 2) continue;
      for (const [first, rounds] of waiting) {
        const one = rounds.first(type);
        await this.#pass((stack) => (stack === first ? one : undefined));
        if (this.#refusals.isAnswered(type)) break;
      }
    }
  }

  async #applied(swapped: boolean): Promise<Applied> {
    const failures = [...this.#lastOutcomes.values()].flatMap(({ stack, failure }) =>
      failure === undefined ? [] : [{ stack, ...failure }],
    );
    const { roster, now } = this.#organization;
    const unplanned = [...this.#unplanned.values()].filter(
      (step) => this.#results.stateOf(step) === "failed",
    );
    // They are for names only, so an unreadable state loses no result.
    const managed = unplanned.length === 0 ? [] : await managedMembers(this.#organization).catch(() => []);
    const { members, otherResources } = withUnplanned(this.#plan, { unplanned, managed, now: now() });
    const results = memberResults({ members, otherResources }, this.#results, {
      people: roster.people,
      undelivered: this.#undelivered,
    });
    return {
      results: [...this.#preview.stopped.map(resultOfStopped), ...results],
      failures: failures.map(({ stack, code, text }) => ({
        ...{ stack, code, people: [] },
        text: this.#resultTextOf(stack, text, results) ?? withNames(text, members),
      })),
      warnings: this.#warnings(members, results),
      cancelled: failures.some(({ code }) => code === "cancelled"),
      locked: failures.some(({ code }) => code === "stack-locked"),
      swapped,
      markedWith: this.#markedWith,
    };
  }

  /** The URNs of markers that a pass with targets creates too, and of a whole plan those that it can update. */
  #changedMarkers(stack: string): string[] {
    const markers = this.#preview.owners.find((owner) => owner.stack === stack)?.markers ?? [];
    const { rosterId } = this.#organization;
    const isWhole = this.#preview.targets === undefined;
    // Beside a new marker: a roster without an id takes the id of its stack, which its preview does not know yet.
    const isTaken = markers.some(({ action }) => action === "create");
    return markers.flatMap(({ action, urn, rosterId: id }) => {
      const isUpdated = isWhole && (action === "update" || (action === "delete" && isTaken));
      return (action === "create" || isUpdated) && id === rosterId ? [urn] : [];
    });
  }

  /** The users whom a run of the affected people does not compare. */
  #usersFile(stack: string, affected: ReadonlySet<string>): string {
    const file = join(this.#folder, `${randomUUID()}.json`);
    const users = this.#plan.steps.flatMap(({ type, stack: place, member, id, olds }) => {
      const organizationId = textIn(olds, "organizationId");
      const isOther = type === "OrgUser" && place === stack && !affected.has(member);
      return isOther && id !== undefined && organizationId !== undefined
        ? [{ organizationId, userId: id }]
        : [];
    });
    writeOtherUsers(file, users);
    return file;
  }

  async #pass(each: (stack: string) => PerStack | undefined): Promise<void> {
    const { environment, listener, signal } = this.#options;
    const without = this.#preview.failures.map(({ stack }) => stack);
    const reports = new Map<string, string>();
    const outcomes = await runAll(this.#organization, {
      ...{ operation: "up", environment, listener, signal },
      each: (stack) => {
        const one = without.includes(stack) ? undefined : each(stack);
        if (one === undefined) return undefined;
        const report = join(this.#folder, `${randomUUID()}.jsonl`);
        reports.set(stack, report);
        const targets = one.targets && [...this.#changedMarkers(stack), ...one.targets];
        const people = this.#preview.parts.get(stack)?.affected;
        const others = people && this.#usersFile(stack, people);
        const environmentOfStack = {
          ORGSEAT_RUN_REPORT: report,
          ...(others !== undefined && { ORGSEAT_OTHER_USERS: others }),
          ...(this.#isRepeatable(stack) && WITHOUT_CHECKPOINTS),
        };
        return { ...one, people, targets, environment: environmentOfStack };
      },
    });
    const read = new Map([...reports].map(([stack, file]) => [stack, readReport(file)]));
    noteRefusals(this.#refusals, [...read.values()]);
    for (const outcome of outcomes) {
      const { stack, diagnostics, markers } = outcome;
      const report = read.get(stack) ?? [];
      this.#results.add(this.#withSteps(outcome), each(stack)?.targets, report);
      this.#lastOutcomes.set(stack, outcome);
      this.#noteUnplanned(outcome);
      this.#rounds.get(stack)?.onOutcome(outcome);
      this.#undelivered.push(...undeliveredIn(outcome));
      for (const { action, isDone, rosterId } of markers)
        if (action === "create" && isDone) this.#markedWith.add(rosterId);
      this.#diagnostics.push(...diagnostics);
    }
  }

  #warnings(members: readonly PlannedMember[], results: readonly MemberResult[]): Warning[] {
    const isSaid = ({ text }: Warning): boolean => results.some((one) => one.text?.includes(text));
    return warningsIn(this.#diagnostics, members).filter((warning) => !isSaid(warning));
  }

  /** A killed run has reported no steps; the steps of the plan then show whom the provider's report is about. */
  #withSteps(outcome: StackOutcome): StackOutcome {
    const { stack, steps: found, states, failure } = outcome;
    if (found.length > 0 || failure === undefined) return outcome;
    const steps = this.#plan.steps.filter((step) => step.stack === stack);
    const keys = failure.isSilent ? steps.filter(isChange).flatMap(methodKeys) : [];
    const begun = keys.map((key) => [key, "started"] as const);
    return { ...outcome, steps, states: new Map([...begun, ...states]) };
  }

  #isRepeatable(stack: string): boolean {
    const entries = this.#plan.entries.filter((entry) => entry.stack === stack);
    return entries.every(({ operation }) => serviceOperation(operation)?.isRepeatable ?? false);
  }

  #noteUnplanned({ steps, states }: StackOutcome): void {
    const planned = new Set(this.#plan.steps.filter(isChange).flatMap(methodKeys));
    for (const step of steps) {
      const key = methodKey(step);
      const isPlanned = methodKeys(step).every((one) => planned.has(one));
      if (states.get(key) === "failed" && !isPlanned) this.#unplanned.set(key, step);
    }
  }

  /** URNs of tokens that a run was revoking when it died. Only tokens are deleted before their replacement exists. */
  async #perhapsRevoked(): Promise<ReadonlySet<string>> {
    const stacks = new Set(this.#plan.steps.flatMap(({ stack, deleteFirst }) => (deleteFirst ? stack : [])));
    const pending = [...(await statesOf(this.#organization, stacks)).values()].flatMap(pendingOf);
    return new Set(pending.flatMap(({ type, resource }) => (type === "deleting" ? resource.urn : [])));
  }

  /** The text of the result at which a stack stopped; undefined if it stopped at nothing of the plan. */
  #resultTextOf(stack: string, text: string, results: readonly MemberResult[]): string | undefined {
    const { diagnostics } = this.#lastOutcomes.get(stack) ?? {};
    const urn = diagnostics?.find((one) => one.severity === "error" && one.text === text)?.urn;
    const key = [...this.#plan.steps, ...this.#unplanned.values()].find((step) => step.urn === urn)?.member;
    return results.find((one) => one.stack === stack && one.key === key && one.text !== undefined)?.text;
  }
}

/** Requests one access token if the plan needs calls. @throws Error that names the address */
export async function requireCredentials(
  { configuration, environment, roster }: Declaration & Connection,
  { entries }: Plan,
): Promise<void> {
  const needsCalls = entries.some(({ action }) => sentBy(action).length > 0);
  if (!needsCalls) return;
  try {
    const known = new Map([["orgseat:organizationId", roster.organizationId], ...configuration.config]);
    await tryCredentials({ config: (key) => known.get(key), environment });
  } catch (error) {
    const reason = messageOf(error);
    const text = `cannot apply this plan: ${withoutStop(reason)}. No changes were made`;
    throw new Error(text, { cause: error });
  }
}
