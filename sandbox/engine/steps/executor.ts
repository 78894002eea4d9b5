/**
 * Runs steps: several chains in parallel, the steps of a chain sequentially. After a failure no new step starts; running
 * steps end, and the state keeps their results.
 */

import type { OperationType } from "../deployment/checkpoint.ts";
import type { DeploymentState } from "../deployment/deployment.ts";
import type { ResourceState } from "../deployment/state.ts";
import { deepEqual } from "../diffs.ts";
import { messageOf } from "../errors.ts";
import type { FailureStatus, ResourceChanges } from "../events.ts";
import { ProviderError } from "../plugins/provider.ts";
import { isDefaultProvider } from "../urn.ts";
import { annotateSecrets, Secret } from "../values.ts";
import { type EngineStep, PartialFailure, ProtectedError, type StepOp } from "./step.ts";

export class Executor {
  readonly #deployment: DeploymentState;
  readonly #cancelled = new AbortController();
  readonly #queue: (() => void)[] = [];
  readonly #running = new Set<Promise<void>>();
  /** Steps by resource whose outputs the program may still register. */
  readonly #pendingNews = new Map<string, EngineStep>();
  readonly failed: EngineStep[] = [];
  readonly changes: ResourceChanges;
  errored = false;
  /** A refresh continues after a failure and fails at its end. */
  readonly #ignoreErrors: boolean;

  constructor(deployment: DeploymentState, changes: ResourceChanges = {}, ignoreErrors = false) {
    this.#deployment = deployment;
    this.changes = changes;
    this.#ignoreErrors = ignoreErrors;
  }

  /** Aborts when nothing new may start any more. */
  get signal(): AbortSignal {
    return this.#cancelled.signal;
  }

  cancel(): void {
    this.#cancelled.abort();
    for (const release of this.#queue.splice(0)) release();
  }

  /** Waits for a free worker and starts the chain. Resolves when it has started; `ended` when it is over. */
  async submit(chain: EngineStep[]): Promise<{ ended: Promise<void> }> {
    if (this.#running.size >= this.#deployment.options.parallel && !this.signal.aborted) {
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    if (this.signal.aborted) return { ended: Promise.resolve() };
    const running = this.#runChain(chain).finally(() => {
      this.#running.delete(running);
      this.#queue.shift()?.();
    });
    this.#running.add(running);
    return { ended: running };
  }

  /** Runs steps in parallel and waits for all of them. */
  async runParallel(steps: EngineStep[]): Promise<void> {
    const ends: Promise<void>[] = [];
    for (const step of steps) ends.push((await this.submit([step])).ended);
    await Promise.all(ends);
  }

  /** Waits until nothing runs. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #runChain(chain: EngineStep[]): Promise<void> {
    for (const [index, step] of chain.entries()) {
      if (this.signal.aborted) return;
      const error = await this.#run(step);
      if (error === undefined) continue;
      this.errored = true;
      if (this.#ignoreErrors) return;
      if (this.#deployment.options.continueOnError || error instanceof ProtectedError) {
        // The rest of the chain is skipped too, such as the creation after a failed deletion.
        const rest = chain.slice(index);
        this.failed.push(...rest);
        for (const left of rest) left.fail?.();
      } else {
        this.cancel();
      }
      return;
    }
  }

  /** Runs one step. @returns the failure, which is already reported and stored */
  async #run(step: EngineStep): Promise<unknown> {
    const { events, dryRun } = this.#deployment;
    const internal = isInternal(step);
    events.emit({ kind: "pre", step, planning: dryRun, internal });
    let failure: unknown;
    try {
      await this.#begin(step);
      await step.apply();
      if (step.new && step.op !== "replace") this.#pendingNews.set(step.urn, step);
    } catch (error) {
      failure = error;
    }
    if (step.new && step.op !== "replace") this.#remember(step, step.new);
    try {
      this.#report(step, failure, internal);
      await this.#end(step, failure === undefined || failure instanceof PartialFailure);
    } catch (error) {
      events.error(step.urn, messageOf(error));
      return error;
    }
    if (failure === undefined) step.complete?.();
    return failure;
  }

  /** Marks outputs as secret that the program named, or whose inputs are. */
  #remember(step: EngineStep, state: ResourceState): void {
    for (const key of state.additionalSecretOutputs) {
      const value = state.outputs[key];
      if (key === "id") {
        const message = "The 'id' property cannot be made secret. See pulumi/pulumi#2717 for more details.";
        this.#deployment.events.warn(step.urn, message);
      } else if (value !== undefined && !(value instanceof Secret)) {
        state.outputs = { ...state.outputs, [key]: new Secret(value) };
      }
    }
    if (
      Object.entries(state.inputs).some(([key, value]) => value instanceof Secret && key in state.outputs)
    ) {
      const outputs = { ...state.outputs };
      const secrets = Object.entries(state.inputs).filter(([, value]) => value instanceof Secret);
      annotateSecrets(outputs, Object.fromEntries(secrets));
      state.outputs = outputs;
    }
    this.#deployment.news.set(state.urn, state);
  }

  #report(step: EngineStep, failure: unknown, internal: boolean): void {
    const { events, dryRun, options } = this.#deployment;
    if (failure !== undefined) {
      const message = messageOf(failure);
      events.error(internal ? "" : step.urn, dryRun ? `Preview failed: ${message}` : message);
      const stepsBefore = Object.values(this.changes).reduce((sum, count) => sum + count, 0);
      if (!dryRun) events.emit({ kind: "failed", step, status: statusOf(failure), stepsBefore });
      return;
    }
    let { op, logical } = step;
    if (options.refreshOnly && op === "refresh") {
      op = step.resultOp ?? "same";
      logical = true;
    }
    if (op === "read") logical = step.old !== undefined;
    if (logical && !internal) this.changes[op] = (this.changes[op] ?? 0) + 1;
    const shown = dryRun || step.res.custom || step.op === "refresh" || op === "delete";
    if (shown) events.emit({ kind: "outputs", step, op, planning: dryRun, internal });
  }

  async #begin(step: EngineStep): Promise<void> {
    const { snapshots } = this.#deployment;
    const type = operationOf[step.op];
    if (type) await snapshots?.begin(type === "deleting" ? step.res : (step.new ?? step.res), type);
  }

  async #end(step: EngineStep, successful: boolean): Promise<void> {
    const { snapshots } = this.#deployment;
    if (!snapshots) return;
    const { old, new: state, op } = step;
    // A partly failed update keeps the old inputs: only its outputs are new.
    if (successful && step.op === "update" && old && state && state.initErrors.length > 0)
      state.inputs = { ...old.inputs };
    const news = successful && state && !step.skippedCreate ? [state] : [];
    const done = successful && old ? [old] : [];
    if (op === "same") {
      snapshots.end({ done: step.skippedCreate ? [] : done, news });
      if (!old || !state || !mustWrite(old, state)) return;
    } else if (op === "create" || op === "create-replacement") {
      if (!state) return;
      snapshots.end({ operation: state, news, done: old?.pendingReplacement ? done : [] });
    } else if (op === "update" || op === "read" || op === "read-replacement") {
      if (!state) return;
      snapshots.end({ operation: state, news, done });
    } else if (operationOf[op] === "deleting") {
      snapshots.end({ operation: step.res, done: step.res.pendingReplacement ? [] : done });
    } else if (op === "refresh") {
      snapshots.markRefreshed();
      snapshots.end({ done, news, inPlace: true });
    } else if (op === "remove-pending-replace") {
      snapshots.end({ done });
    } else return;
    await snapshots.flush();
  }

  /** The outputs a component or the stack registers, after its step. */
  async registerOutputs(urn: string, outputs: ResourceState["outputs"]): Promise<void> {
    const step = this.#pendingNews.get(urn);
    if (!step?.new) throw new Error(`cannot complete a resource '${urn}' whose registration isn't pending`);
    this.#pendingNews.delete(urn);
    if (step.skippedCreate) return;
    step.new.outputs = outputs;
    const { events, dryRun, snapshots } = this.#deployment;
    events.emit({ kind: "outputs", step, op: step.op, planning: dryRun, internal: isInternal(step) });
    if (!snapshots) return;
    snapshots.changed(step.new);
    await snapshots.flush();
  }
}

const operationOf: Partial<Record<StepOp, OperationType>> = {
  create: "creating",
  "create-replacement": "creating",
  update: "updating",
  delete: "deleting",
  "delete-replaced": "deleting",
  discard: "deleting",
  "discard-replaced": "deleting",
  read: "reading",
  "read-replacement": "reading",
};

function statusOf(failure: unknown): FailureStatus {
  if (failure instanceof PartialFailure) return "partial";
  return failure instanceof ProviderError && failure.unsure ? "unknown" : "untouched";
}

/** Steps that no display shows. */
function isInternal(step: EngineStep): boolean {
  return step.op === "remove-pending-replace" || isDefaultProvider(step.urn);
}

/** An unchanged resource is worth its own write only if something else about it changed. */
function mustWrite(old: ResourceState, state: ResourceState): boolean {
  const essence = (s: ResourceState) =>
    JSON.stringify([
      ...[s.urn, s.provider, s.parent, s.protect, s.retainOnDelete, s.deletedWith, s.replaceWith],
      [...s.dependencies].sort(),
    ]);
  return essence(old) !== essence(state) || !sameSecretsAndValues(old, state);
}

function sameSecretsAndValues(old: ResourceState, state: ResourceState): boolean {
  return deepEqual(old.inputs, state.inputs) && deepEqual(old.outputs, state.outputs);
}
