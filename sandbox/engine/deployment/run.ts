/** Runs a deployment from its first refresh to its last deletion. */
import { messageOf } from "../errors.ts";
import type { ResourceChanges } from "../events.ts";
import { generateDeletes, scheduleDeletes } from "../steps/decisions/deletions.ts";
import { Executor } from "../steps/executor.ts";
import { Generator } from "../steps/generator.ts";
import type { Goal, ReadGoal } from "../steps/goal.ts";
import { refreshStep } from "../steps/read.ts";
import { Bail, type EngineStep, type RegisterResult } from "../steps/step.ts";
import { isProviderType, makeUrn, parseUrn, stackType } from "../urn.ts";
import type { PropertyMap } from "../values.ts";
import type { DeploymentState } from "./deployment.ts";
import { DependencyGraph } from "./graph.ts";
import { dropDangling } from "./references.ts";
import type { ResourceState } from "./state.ts";

/** The run takes no more requests: it has ended or was stopped. */
export class Unavailable extends Error {
  override name = "Unavailable";
}

export interface RunResult {
  failed: boolean;
  changes: ResourceChanges;
}

export class DeploymentRun {
  readonly #deployment: DeploymentState;
  readonly #executor: Executor;
  readonly #generator: Generator;
  readonly changes: ResourceChanges = {};
  /** Resolves after all requests so far: the run handles them one after the other. */
  #tail: Promise<void> = Promise.resolve();
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #skipped = new Set<string>();
  #stackOutputs: { urn: string; outputs: PropertyMap } | undefined;
  #interrupted = false;
  #stopped = false;

  constructor(deployment: DeploymentState) {
    this.#deployment = deployment;
    this.#executor = new Executor(deployment, this.changes);
    this.#generator = new Generator(deployment);
    this.#executor.signal.addEventListener("abort", () => this.#answerWaiting());
  }

  /** Aborts when the run takes no more requests. */
  get signal(): AbortSignal {
    return this.#executor.signal;
  }

  /** Ctrl-C: nothing new starts. */
  interrupt(): void {
    if (this.#interrupted) return;
    this.#interrupted = true;
    this.#executor.cancel();
  }

  /** Reports what the program asks for and cannot have, and stops. @returns the error that ends the program silently */
  refuse(error: Error): Unavailable {
    if (!this.signal.aborted) this.#fail(error);
    return new Unavailable("resource monitor shut down: what the program asks for was refused");
  }

  /** A failure outside any step, such as the program's end with an error: nothing new starts. */
  stop(): void {
    this.#stopped = true;
    this.#executor.cancel();
  }

  #answerWaiting(): void {
    for (const reject of this.#waiting)
      reject(new Unavailable("resource monitor shut down while waiting on step's done channel"));
    this.#waiting.clear();
  }

  register(goal: Goal): Promise<RegisterResult> {
    const { refreshByProgram } = this.#deployment.options;
    const refresh = refreshByProgram ? (old: ResourceState) => this.#refreshOne(old) : undefined;
    return this.#request(goal, (answer) => this.#generator.generate(goal, answer, refresh));
  }

  read(goal: ReadGoal): Promise<RegisterResult> {
    return this.#request(goal, (answer) => this.#generator.generateRead(goal, answer));
  }

  #request(
    { parent, type, name }: Pick<Goal, "parent" | "type" | "name">,
    generate: (answer: (result: RegisterResult) => void) => Promise<EngineStep[]>,
  ): Promise<RegisterResult> {
    const { stack, project } = this.#deployment;
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) {
        reject(new Unavailable("resource monitor shut down while sending resource registration"));
        return;
      }
      this.#waiting.add(reject);
      const answer = (result: RegisterResult) => {
        this.#waiting.delete(reject);
        resolve(result);
      };
      this.#enqueue(
        async () => {
          const steps = await generate(answer);
          const wanted = this.#withoutSkipped(steps);
          if (wanted.length > 0) await this.#executor.submit(wanted);
        },
        makeUrn(stack, project, parent, type, name),
      );
    });
  }

  #enqueue(work: () => Promise<void>, urn = ""): Promise<void> {
    this.#tail = this.#tail.then(async () => {
      if (this.signal.aborted) return;
      try {
        await work();
      } catch (error) {
        this.#fail(error, urn);
      }
    });
    return this.#tail;
  }

  #fail(error: unknown, urn = ""): void {
    if (!(error instanceof Bail)) this.#deployment.events.error(urn, messageOf(error));
    this.stop();
  }

  /** With --continue-on-error: the steps without those that depend on a failed resource. */
  #withoutSkipped(steps: EngineStep[]): EngineStep[] {
    for (const failed of this.#executor.failed) this.#skipped.add(failed.urn);
    return steps.filter((step) => {
      const needed = [...step.res.dependencyUrns(), step.res.parent];
      if (![step.urn, ...needed].some((urn) => this.#skipped.has(urn))) return true;
      this.#skipped.add(step.urn);
      step.skip?.();
      return false;
    });
  }

  async registerOutputs(urn: string, outputs: PropertyMap): Promise<void> {
    if (this.signal.aborted)
      throw new Unavailable("resource monitor shut down while sending resource outputs");
    if (parseUrn(urn).qualifiedType === stackType) {
      this.#stackOutputs = { urn, outputs };
      return;
    }
    await this.#enqueue(() => this.#executor.registerOutputs(urn, outputs));
  }

  /** Reads every resource or the targets, and rebases on the result. @returns whether to continue */
  async refreshAll(): Promise<boolean> {
    const { previous, options, events } = this.#deployment;
    if (previous.resources.length === 0) return true;
    if (!this.checkTargets(options.targetPatterns)) return false;
    const steps = new Map<ResourceState, EngineStep>();
    for (const state of previous.resources) {
      if (!this.#generator.targets.includes(state)) continue;
      this.#generator.targets.remember(state);
      await this.#deployment.ensureProvider(state);
      steps.set(state, refreshStep(this.#deployment, state));
    }
    const executor = new Executor(this.#deployment, this.changes, true);
    const stop = () => executor.cancel();
    this.signal.addEventListener("abort", stop);
    await executor.runParallel([...steps.values()]);
    await executor.settle();
    this.signal.removeEventListener("abort", stop);
    const found = previous.resources.flatMap((state) => {
      const step = steps.get(state);
      return step ? (step.new ? [step.new] : []) : [state];
    });
    dropDangling(found);
    for (const state of found) this.#deployment.snapshots?.changed(state);
    this.#deployment.rebase(found);
    if (!executor.errored && !this.#interrupted) return true;
    this.#stopped = executor.errored;
    if (executor.errored) events.error("", `${this.#verb} failed`);
    return false;
  }

  async #refreshOne(old: ResourceState): Promise<ResourceState | undefined> {
    if (!old.custom || isProviderType(old.type)) return old;
    const step = refreshStep(this.#deployment, old);
    await this.#deployment.ensureProvider(old);
    await (await this.#executor.submit([step])).ended;
    if (this.signal.aborted) throw new Bail("the refresh failed");
    return step.new;
  }

  get #verb(): string {
    return this.#deployment.dryRun ? "preview" : "update";
  }

  /** Reports targets that no resource of the stack has. */
  checkTargets(patterns: readonly string[]): boolean {
    const { olds, news, events, previous } = this.#deployment;
    const all = [...previous.resources.map((state) => state.urn), ...olds.keys(), ...news.keys()];
    const missing = patterns.filter((pattern) => !pattern.includes("*") && !all.includes(pattern));
    for (const pattern of missing) {
      events.error("", `Target '${pattern}' could not be found in the stack.`);
    }
    return missing.length === 0;
  }

  /** After the program: deletes resources that it did not register, then stores the stack's outputs. */
  async finish(): Promise<RunResult> {
    // More requests may arrive while the run waits for earlier ones.
    for (let seen: Promise<void> | undefined; seen !== this.#tail; ) {
      seen = this.#tail;
      await seen;
    }
    await this.#executor.settle();
    const targetsFound = this.signal.aborted || this.checkTargets(this.#deployment.options.targetPatterns);
    if (!targetsFound) this.#stopped = true;
    if (!this.signal.aborted) await this.#deleteRest();
    await this.#executor.settle();
    const failed = this.#stopped || this.#executor.errored || this.#generator.sawError;
    await this.#finishStackOutputs(failed);
    // A cause that stopped the run is reported already; failed steps report only their own failure.
    if (failed && !this.#stopped) this.#deployment.events.error("", `${this.#verb} failed`);
    else if (!failed && this.#interrupted) this.#deployment.events.error("", `${this.#verb} canceled`);
    this.#executor.cancel();
    return { failed: failed || this.#interrupted, changes: this.changes };
  }

  async #deleteRest(): Promise<void> {
    if (this.#deployment.options.mode === "refresh") return;
    try {
      const { sames, deletes } = await generateDeletes(this.#generator);
      if (sames.length > 0) await (await this.#executor.submit(sames)).ended;
      const graph = new DependencyGraph([
        ...this.#generator.toDelete,
        ...this.#deployment.previous.resources,
      ]);
      for (const round of scheduleDeletes(this.#generator, deletes)) {
        // The dependencies of a resource that could not be deleted stay too.
        const kept = new Set(
          this.#executor.failed.flatMap(({ res, old }) => [
            ...graph.transitiveDependenciesOf(res),
            ...(old ? graph.transitiveDependenciesOf(old) : []),
          ]),
        );
        await this.#executor.runParallel(round.filter((step) => !kept.has(step.res)));
      }
    } catch (error) {
      if (error instanceof Bail) this.#executor.cancel();
      else this.#fail(error);
    }
  }

  /** A failed run keeps the old outputs that it did not set. */
  async #finishStackOutputs(failed: boolean): Promise<void> {
    if (!this.#stackOutputs) return;
    const { urn, outputs } = this.#stackOutputs;
    const before = this.#deployment.olds.get(urn)?.outputs ?? {};
    try {
      await this.#executor.registerOutputs(urn, failed ? { ...before, ...outputs } : outputs);
    } catch (error) {
      this.#deployment.events.error(urn, messageOf(error));
    }
  }
}
