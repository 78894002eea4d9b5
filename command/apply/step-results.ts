/** The results of the steps of a run over all its passes, from the engine's events and the provider's report. */

import type { Action } from "../../provider/resources/actions.ts";
import type { ReportEntry } from "../../provider/runtime/run-report.ts";
import { UP_RESUMES } from "../../provider/util/text.ts";
import type { StackOutcome, StepState } from "../engine/engine.ts";
import { isInState, type PlanEntry } from "../plan/entries.ts";
import { removesAccess } from "../plan/steps/actions.ts";
import { actionsOf } from "../plan/steps/actions-of-step.ts";
import {
  isChange,
  methodKey,
  methodKeys,
  methodsOf,
  type Step,
  type StepMethod,
} from "../plan/steps/steps.ts";
import { reportEntryOf, type StepFailure, sentenceOf, statesByOperation } from "./step-reports.ts";

/** The result of steps that belong together. */
export interface CombinedResult {
  readonly status: "succeeded" | "already-gone" | "failed" | "skipped";
  readonly failure: StepFailure | undefined;
  /** The removals that found nothing. */
  readonly alreadyGone: readonly Action[];
}

/**
 * The result of an entry of the plan. `unknown`: no response says whether the service did it. `failed`: the service
 * refused it; of a change of the state alone, it did not happen.
 */
export type EntryResult = "done" | "failed" | "unknown" | "not sent";

/** What the passes showed of one method. */
interface MethodResult {
  /** The writes that the provider sent for it, in all passes. */
  writes?: ReportEntry["writes"];
  state?: StepState;
  /** Whether a pass made it. Otherwise it succeeded because another run had made it. */
  isMade?: boolean;
  /** Whether the last pass began it and was stopped before its end. */
  isCut?: boolean;
  failure?: StepFailure | undefined;
  /** The object that a removal did not find, as type and id. */
  gone?: string;
  /** Whether the provider died with it: nothing says what it sent. */
  isUnreported?: boolean;
  /** A failed method may have had an effect: it created something, removed something, or no response says anything. */
  doubt?: "created" | "lost" | "removed";
  /** Whether the provider refused it because the preview did not show it. */
  isRefused?: boolean;
}

/** Codes of a creation with an unknown effect. A 5xx is not among them: the service said that it failed. */
const LOST: ReadonlySet<string | undefined> = new Set(["no-answer", "bad-answer"]);

/** What the command has sent before the run. */
const REVOKED = { name: "revoke token", outcome: "done" } as const;

export class StepResults {
  /** By key. */
  readonly #methods = new Map<string, MethodResult>();
  /** Removed objects, as type and id. A member who is in two states loses each of them once. */
  readonly #removed = new Set<string>();
  /** Passes that ended well: a removal that they were to make and did not meet was made by another run. */
  readonly #completed: { readonly stack: string; readonly meant: ReadonlySet<string> | undefined }[] = [];
  /** Objects that a pass met and was to remove. */
  readonly #met = new Set<string>();
  readonly #stacksRefused = new Set<string>();
  readonly #revoked: ReadonlySet<string>;

  /** @param revoked ids of users whose token this command revoked before the run, so that its missing token is expected */
  constructor(revoked: ReadonlySet<string> = new Set()) {
    this.#revoked = revoked;
  }

  /** @param targets of the pass: it left the others alone @param report of the provider */
  add(
    { stack, steps, states: byStep, diagnostics, failure }: StackOutcome,
    targets: readonly string[] | undefined,
    report: readonly ReportEntry[],
  ): void {
    const states = statesByOperation(steps, byStep);
    const meant = targets === undefined ? undefined : new Set(targets);
    if (failure === undefined) this.#completed.push({ stack, meant });
    for (const { urn, action, type, id } of steps) {
      if (action === "delete" || action === "replace") this.#met.add(objectOf({ type, id }));
      // A change that an earlier pass made needs nothing more.
      if (action === "same" && (meant === undefined || meant.has(urn))) this.#set(urn, "succeeded");
    }
    for (const [key, state] of states) {
      this.#set(key, state);
      if (state === "succeeded") this.#of(key).isMade = true;
      this.#of(key).isCut = state === "started" && failure?.code === "cancelled";
    }
    if (report.some(({ failure }) => failure?.code === "not-approved")) this.#stacksRefused.add(stack);
    const isExplained = (step: Step): boolean =>
      this.#addReport(step, byStep.get(methodKey(step)) === "failed", report);
    const explained = new Set(steps.filter(isExplained).map(({ urn }) => urn));
    const failed = steps.filter((step) => methodKeys(step).some((key) => states.get(key) === "failed"));
    const byUrn = Map.groupBy(failed, ({ urn }) => urn);
    for (const { urn, severity, text, code } of diagnostics) {
      if (severity !== "error" || urn === undefined || explained.has(urn)) continue;
      for (const key of byUrn.get(urn)?.flatMap(methodKeys) ?? [urn]) {
        this.#fail(key, { text: sentenceOf(urn, text), code });
      }
    }
  }

  /** @returns whether the report says why the step failed */
  #addReport(step: Step, isFailed: boolean, report: readonly ReportEntry[]): boolean {
    const found = methodsOf(step).map((method) => ({
      method,
      entry: reportEntryOf(step, method, report, isFailed),
    }));
    for (const { method, entry } of found) if (entry !== undefined) this.#note(method, entry);
    if (found.some(({ entry }) => entry?.failure !== undefined)) return true;
    const isUnreported = found.some(({ method, entry }) => method.kind === "create" && !entry);
    const isReached = !step.deleteFirst || this.hasDeleted(step);
    // The provider died with it, or was never asked.
    if (isFailed && isUnreported && isReached && step.type !== "Delivered" && step.type !== "Roster") {
      const own = this.#of(step.urn);
      own.doubt = "lost";
      own.isUnreported = true;
    }
    return false;
  }

  #note({ key, kind }: StepMethod, { type, id, userId = id, result, failure, writes }: ReportEntry): void {
    const own = this.#of(key);
    const isRevokedHere = type === "UserToken" && id !== undefined && this.#revoked.has(id);
    own.writes = [...(own.writes ?? []), ...writes, ...(isRevokedHere ? [REVOKED] : [])];
    const object = objectOf({ type, id });
    if (kind === "delete" && result === "done") this.#removed.add(object);
    if (kind === "create" && result === "done") own.isMade = true;
    if (result === "gone" && !isRevokedHere && own.doubt !== "removed") own.gone = object;
    if (failure === undefined) return;
    this.#fail(key, { text: failure.text, failure, userId });
    if (failure.code === "not-approved") own.isRefused = true;
    if (failure.code === "ambiguous") own.doubt = "lost";
    // The state keeps a placeholder.
    if (failure.advice === "machine-user-unknown") own.doubt = "lost";
    if (!failure.isEffectUnknown || failure.isKept) return;
    if (kind === "delete") own.doubt = "removed";
    if (kind === "create") own.doubt = own.doubt === "lost" || LOST.has(failure.code) ? "lost" : "created";
  }

  #of(key: string): MethodResult {
    const own = this.#methods.get(key) ?? {};
    this.#methods.set(key, own);
    return own;
  }

  /** The first reason of a creation that may have had an effect stays: the later ones are its consequences. */
  #fail(key: string, failure: StepFailure): void {
    const own = this.#of(key);
    const isConsequence = (own.doubt === "created" || own.doubt === "lost") && own.failure !== undefined;
    if (own.state !== "succeeded" && !isConsequence) own.failure = failure;
  }

  #set(key: string, state: StepState): void {
    const own = this.#of(key);
    own.state = state;
    if (state === "succeeded") own.failure = undefined;
  }

  /** If an earlier pass made the new object of a replacement, the step still waits for the end of the old one. */
  stateOf(step: Step): StepState | undefined {
    const [own, old] = methodKeys(step).map((key) => this.#methods.get(key)?.state);
    if (own === undefined && this.#isRemovedElsewhere(step)) return "succeeded";
    return own === "succeeded" ? (old ?? own) : own;
  }

  /** Whether it failed, even if the engine only said why. */
  hasFailed(step: Step): boolean {
    return methodKeys(step).some((key) => {
      const { state, failure } = this.#methods.get(key) ?? {};
      return state === "failed" || failure !== undefined;
    });
  }

  /** Whether a pass made the new object, even if it was stopped before the engine said so. */
  hasCreated({ urn }: Step): boolean {
    return this.#methods.get(urn)?.isMade === true;
  }

  /** Whether a replacement has deleted the old object. */
  hasDeleted(step: Step): boolean {
    return this.#removalOf(step)?.state === "succeeded";
  }

  /** Notes that the command does not make a step. */
  refuse(step: Step, failure: StepFailure): void {
    for (const key of methodKeys(step)) Object.assign(this.#of(key), { failure, isRefused: true });
    this.#stacksRefused.add(step.stack);
  }

  /** Whether the provider refused the step, which it will do again in this command, or the command does not make it. */
  isRefused(step: Step): boolean {
    return methodKeys(step).some((key) => this.#methods.get(key)?.isRefused === true);
  }

  /** Whether it refused anything of a stack, including changes that are not in the plan. */
  hasRefused(stack: string): boolean {
    return this.#stacksRefused.has(stack);
  }

  /** What is known of the removal by the step; undefined if it removes nothing. */
  #removalOf(step: Step): MethodResult | undefined {
    const removal = methodsOf(step).find(({ kind }) => kind === "delete");
    return removal && (this.#methods.get(removal.key) ?? {});
  }

  /** Whether another run removed the object since the preview; of a replacement, this run then made the new one. */
  #isRemovedElsewhere(step: Step): boolean {
    const removal = this.#removalOf(step);
    if (removal === undefined || removal.state !== undefined || this.#met.has(objectOf(step))) return false;
    // Whether the run ended well does not matter: it came to the resource, and did not replace the object.
    if (step.action === "replace") return this.#methods.get(step.urn)?.state === "succeeded";
    return this.#completed.some(({ stack, meant }) => stack === step.stack && (meant?.has(step.urn) ?? true));
  }

  /** Whether the step may have created something and no response says so: a repetition could create it twice. */
  isLost(step: Step): boolean {
    return this.#doubtAbout(step) === "lost";
  }

  /** The same, even if the service said that the creation failed. */
  isDoubtful(step: Step): boolean {
    return this.isLost(step) || this.#doubtAbout(step) === "created";
  }

  #doubtAbout({ urn }: Step): MethodResult["doubt"] {
    const { state, doubt } = this.#methods.get(urn) ?? {};
    return state === "succeeded" ? undefined : doubt;
  }

  /** @param step that of the entry */
  entryResult(entry: PlanEntry, step: Step): EntryResult {
    const [key, old = key] = methodKeys(step);
    const { state, isMade, isCut, isUnreported, writes } =
      this.#methods.get((entry.id === null ? key : old) ?? "") ?? {};
    if (isInState(entry)) {
      if (state === "succeeded" || this.stateOf(step) === "succeeded") return "done";
      return state === "failed" ? "failed" : "not sent";
    }
    const sent = writes?.filter(({ name, id }) => name === entry.operation && isSameObject(entry, id)) ?? [];
    if (sent.some(({ outcome }) => outcome === "done")) return "done";
    const last = sent.at(-1);
    if (last !== undefined) return last.outcome === "refused" ? "failed" : "unknown";
    // Of two resources that look the same, the report does not report which one sent a write.
    if (writes === undefined && isMade) return "done";
    return isUnreported || (writes === undefined && isCut) ? "unknown" : "not sent";
  }

  resultOf(steps: readonly Step[]): CombinedResult {
    const wanted = steps.filter(isChange);
    const states = wanted.map((step) => this.stateOf(step));
    const alreadyGone = this.#goneOf(wanted);
    if (states.every((state) => state === "succeeded")) {
      const status = isAlreadyGone(wanted, alreadyGone) ? "already-gone" : "succeeded";
      return { status, failure: undefined, alreadyGone };
    }
    const failures = wanted.flatMap(methodKeys).flatMap((key) => this.#methods.get(key)?.failure ?? []);
    const failure = failures.find(({ failure }) => failure?.isRepetition !== true);
    if (failure !== undefined) return { status: "failed", failure, alreadyGone };
    // A member with nothing but repetitions of another member's failure was not tried.
    const isDone = ({ outcome }: ReportEntry["writes"][number]): boolean => outcome === "done";
    const isBegun =
      wanted.flatMap(methodKeys).some((key) => this.#methods.get(key)?.writes?.some(isDone)) ||
      states.some((state) => state === "succeeded" || (state !== undefined && failures.length === 0));
    return isBegun
      ? { status: "failed", failure: UNFINISHED, alreadyGone }
      : { status: "skipped", failure, alreadyGone };
  }

  /** From the end of the old token to the new one, in milliseconds; undefined if the person always had a valid one. */
  withoutTokenMs(steps: readonly Step[]): number | undefined {
    const replaced = steps.find(
      ({ type, action, deleteFirst }) => type === "UserToken" && action === "replace" && deleteFirst,
    );
    if (replaced === undefined) return undefined;
    const removal = this.#removalOf(replaced);
    const timeOf = (writes: ReportEntry["writes"] = []): number | undefined =>
      writes.findLast(({ outcome }) => outcome === "done")?.at;
    const revoked = removal?.gone === undefined ? timeOf(removal?.writes) : undefined;
    const issued = timeOf(this.#methods.get(replaced.urn)?.writes);
    return revoked === undefined || issued === undefined ? undefined : Math.max(0, issued - revoked);
  }

  #goneOf(steps: readonly Step[]): Action[] {
    return steps.flatMap((step) => {
      if (this.#isRemovedElsewhere(step)) return lossesOf(step);
      const object = this.#removalOf(step)?.gone;
      return object === undefined || this.#removed.has(object) ? [] : lossesOf(step);
    });
  }
}

/** A step of a service account can delete several accounts; the others have one object each. */
function isSameObject({ type, id }: PlanEntry, written: string | undefined): boolean {
  return type !== "ServiceAccount" || id === null || written === id;
}

function objectOf({ type, id }: Pick<ReportEntry, "type" | "id">): string {
  return `${type} ${id}`;
}

/** Of a member for whom a part is done and the rest was not reached. */
const UNFINISHED: StepFailure = {
  text: `the run ended before it finished this. ${UP_RESUMES}.`,
};

/** The removals of a step, which do not depend on the time. */
function lossesOf(step: Step): Action[] {
  return actionsOf(step, 0).filter(removesAccess);
}

/** Whether the steps did nothing but remove what was not there. */
function isAlreadyGone(steps: readonly Step[], gone: readonly Action[]): boolean {
  if (gone.includes("leave")) return true;
  return (
    gone.length > 0 &&
    steps.every(({ action }) => action === "delete") &&
    steps.flatMap(lossesOf).every((action) => gone.includes(action))
  );
}
