/**
 * Decides which steps bring a resource to its goal. It follows the Pulumi engine's generator:
 * one resource after the other, Check and Diff included, while the steps themselves run in parallel.
 */
import type { DeploymentState } from "../deployment/deployment.ts";
import type { ResourceState } from "../deployment/state.ts";
import { deepEqual, ignoreChanges } from "../diffs.ts";
import { unsupportedError } from "../refusals.ts";
import { type CheckFailure, DiffUnavailable, replaces } from "../rpc/provider.ts";
import { isProviderType, makeUrn, parseUrn, stackType } from "../urn.ts";
import { type PropertyMap, toDisplay } from "../values.ts";
import { AliasResolver } from "./aliases.ts";
import { Decisions } from "./decisions.ts";
import { applyReplaceOnChanges, type DecidedDiff, diffResource, noDiff, replaceFor } from "./diff.ts";
import type { Goal, ReadGoal } from "./goal.ts";
import { createStep, replaceStep, sameStep, skippedCreateStep, updateStep } from "./make.ts";
import { newReadState, newState } from "./new-state.ts";
import { readStep } from "./read.ts";
import { deleteBeforeReplaceSteps } from "./replacement.ts";
import { type Answer, Bail, type EngineStep } from "./step.ts";
import { Targets } from "./targets.ts";

export class Generator extends Decisions {
  readonly aliases: AliasResolver;
  readonly targets: Targets;

  constructor(deployment: DeploymentState) {
    super(deployment);
    this.aliases = new AliasResolver(deployment);
    this.targets = new Targets(deployment.options);
  }

  /** The steps for a registration. @param refresh reads the old state first */
  async generate(
    goal: Goal,
    answer: Answer,
    refresh?: (old: ResourceState) => Promise<ResourceState | undefined>,
  ) {
    const urn = this.#claim(goal.parent, goal.type, goal.name);
    const found = this.aliases.find({ ...goal, urn }, this.urns);
    for (const problem of found.errors) this.error(urn, problem);
    const old =
      found.old && refresh && this.targets.includes(found.old) ? await refresh(found.old) : found.old;
    const state = newState(goal, urn, found.old, found.alias);
    if (isProviderType(goal.type) && found.alias !== "") this.deployment.providers.alias(urn, found.alias);
    const early = this.#earlySteps(goal, old, state, answer);
    if (early) return this.#validate(early);
    return this.#validate(await this.#decide(goal, old, state, answer, found.errors.length > 0));
  }

  /** The steps for `X.get`. */
  async generateRead(goal: ReadGoal, answer: Answer): Promise<EngineStep[]> {
    const urn = this.#claim(goal.parent, goal.type, goal.name);
    const { old } = this.aliases.find({ ...goal, urn, aliases: [] }, this.urns);
    const state = newReadState(goal, urn);
    if (old && !old.external && old.id !== goal.id) {
      this.replaces.add(urn);
      return [readStep(this.deployment, old, state, answer, true), replaceStep(old, state)];
    }
    if (this.deployment.options.mode === "destroy") this.toDelete.push(state);
    this.reads.add(urn);
    return [readStep(this.deployment, old, state, answer, false)];
  }

  #claim(parent: string, type: string, name: string): string {
    if (parent !== "" && !this.urns.has(parent)) throw new Error(`could not find parent resource ${parent}`);
    const urn = makeUrn(this.deployment.stack, this.deployment.project, parent, type, name);
    if (this.urns.has(urn)) {
      const message = `Duplicate resource URN '${urn}'; try giving it a unique name`;
      throw this.bail(urn, message);
    }
    this.urns.add(urn);
    return urn;
  }

  /** What a destroy or refresh that runs its program does with a resource instead of updating it. */
  #earlySteps(
    goal: Goal,
    old: ResourceState | undefined,
    state: ResourceState,
    answer: Answer,
  ): EngineStep[] | undefined {
    const { mode } = this.deployment.options;
    if (mode === "update") return undefined;
    const owned = goal.custom && !isProviderType(goal.type);
    const needsSkipped = [...state.dependencyUrns(), state.parent, state.providerUrn].some((urn) =>
      this.skippedCreates.has(urn),
    );
    if (mode === "refresh") {
      if (!owned && !needsSkipped) return undefined;
      if (!old) return this.#skip(state, answer);
      answer({ state: old, result: "success" });
      return [];
    }
    if (needsSkipped || (owned && !old)) {
      if (old) state.outputs = old.outputs;
      return this.#skip(state, answer);
    }
    this.toDelete.push(state);
    if (!owned || !old) return undefined;
    this.sames.add(state.urn);
    state.inputs = old.inputs;
    return [sameStep(this.deployment, old, state, answer)];
  }

  #skip(state: ResourceState, answer: Answer): EngineStep[] {
    this.sames.add(state.urn);
    this.skippedCreates.add(state.urn);
    return [skippedCreateStep(state, answer)];
  }

  async #decide(
    goal: Goal,
    old: ResourceState | undefined,
    state: ResourceState,
    answer: Answer,
    invalid: boolean,
  ): Promise<EngineStep[]> {
    const { urn } = state;
    const recreating = this.deletes.has(urn);
    const wasExternal = old?.external === true;
    const implicit = isProviderType(goal.type) || goal.type === stackType;
    const targeted = implicit || this.targets.includes(state);
    if (goal.importId !== "" && goal.custom && (!old || old.external || old.id !== goal.importId)) {
      const instead = "import it with the real Pulumi CLI (dynamic resources cannot be imported at all)";
      throw unsupportedError(`the option import of ${goal.name}`, instead);
    }
    const fresh = recreating || wasExternal || !old || this.#mustReplace(urn, old);
    if (targeted) state.inputs = await this.#check(goal, state, fresh ? undefined : old, invalid);
    else if (old) state.inputs = old.inputs;
    if (recreating && old) return this.#recreate(old, state, answer);
    if (wasExternal && old) {
      this.creates.add(urn);
      const replaces = { old, why: {}, deleteLater: true };
      return [createStep(this.deployment, state, answer, { replaces }), replaceStep(old, state)];
    }
    if (this.targets.includes(state)) this.targets.remember(state);
    if (!old) {
      if (!targeted) return this.#skip(state, answer);
      this.creates.add(urn);
      return [createStep(this.deployment, state, answer)];
    }
    if (!targeted) return this.#untargeted(old, answer);
    return this.#compare(goal, old, state, answer);
  }

  /** Creates again a resource that was deleted with one of its dependencies. */
  #recreate(old: ResourceState, state: ResourceState, answer: Answer): EngineStep[] {
    this.deletes.delete(state.urn);
    this.replaces.add(state.urn);
    const replaceKeys = this.dependentReplaceKeys.get(state.urn) ?? [];
    const replaces = { old, why: { replaceKeys }, deleteLater: false };
    return [replaceStep(old, state), createStep(this.deployment, state, answer, { replaces })];
  }

  /** Keeps a resource outside the targets, and all that it needs. */
  #untargeted(old: ResourceState, answer: Answer): EngineStep[] {
    const steps: EngineStep[] = [];
    for (const urn of [...old.dependencyUrns(), old.parent]) {
      const needed = this.deployment.olds.get(urn);
      if (!needed || this.urns.has(urn)) continue;
      this.urns.add(urn);
      this.sames.add(urn);
      steps.push(sameStep(this.deployment, needed, needed.copy(), undefined, false));
    }
    this.sames.add(old.urn);
    return [...steps, sameStep(this.deployment, old, old.copy(), answer, false)];
  }

  #mustReplace(urn: string, old: ResourceState | undefined): boolean {
    return this.deployment.options.replaceTargets?.(urn) === true || old?.taint === true;
  }

  /** Asks the provider to check the inputs: against the old ones, or as for a new resource. */
  async #check(
    goal: Goal,
    state: ResourceState,
    old: ResourceState | undefined,
    invalid: boolean,
  ): Promise<PropertyMap> {
    const news = old ? ignoreChanges(old.inputs, goal.properties, goal.ignoreChanges) : goal.properties;
    let failed = invalid;
    let inputs = news;
    const provider = this.deployment.providerOf(state);
    if (provider) {
      const { urn } = state;
      const checked = await provider.check({
        urn,
        olds: old?.inputs ?? {},
        news,
        preview: this.deployment.dryRun,
      });
      inputs = checked.inputs;
      for (const failure of checked.failures) this.#reportCheck(state, failure);
      failed ||= checked.failures.length > 0;
    }
    if (failed) throw new Bail(`resource ${state.urn} is invalid`);
    return inputs;
  }

  #reportCheck(state: ResourceState, { property, reason }: CheckFailure): void {
    const { type, name } = parseUrn(state.urn);
    const value = toDisplay(state.inputs)[property];
    const about = property === "" ? "" : `property ${property} value ${asShown(value)} has a problem: `;
    this.error(
      state.urn,
      property === ""
        ? `${type} resource '${name}' has a problem: ${reason}`
        : `${type} resource '${name}': ${about}${reason}`,
    );
  }

  async #compare(
    goal: Goal,
    old: ResourceState,
    state: ResourceState,
    answer: Answer,
  ): Promise<EngineStep[]> {
    const { urn } = state;
    const hasInitErrors = old.initErrors.length > 0;
    const found = await this.#diff(goal, old, state);
    const diff = applyReplaceOnChanges(found, goal.replaceOnChanges, hasInitErrors);
    if ((diff.changes && replaces(diff)) || old.pendingReplacement) {
      return this.#replace(goal, old, state, answer, diff);
    }
    if (diff.changes || hasInitErrors) {
      this.updates.add(urn);
      return [updateStep(this.deployment, old, state, answer, diff, goal.ignoreChanges)];
    }
    this.sames.add(urn);
    return [sameStep(this.deployment, old, state, answer)];
  }

  async #diff(goal: Goal, old: ResourceState, state: ResourceState): Promise<DecidedDiff> {
    const { urn } = state;
    if (this.#mustReplace(urn, old)) return replaceFor("id");
    if (goal.replaceWith.some((other) => this.replaces.has(other))) return replaceFor("replaceWith");
    if (goal.deletedWith !== "" && this.replaces.has(goal.deletedWith)) return replaceFor("deletedWith");
    if (await this.#providerReplaced(old, state)) return replaceFor("provider");
    const provider = this.deployment.providerOf(state);
    if (!provider) return { ...noDiff, changes: !deepEqual(old.inputs, state.inputs) };
    const asked = {
      urn,
      id: old.id,
      oldInputs: old.inputs,
      oldOutputs: old.outputs,
      newInputs: state.inputs,
      ignoreChanges: goal.ignoreChanges,
    };
    return diffResource(provider, asked).catch((error) => {
      if (!(error instanceof DiffUnavailable)) throw error;
      this.deployment.events.warn(urn, error.message);
      return { ...noDiff, changes: true };
    });
  }

  /** Whether another provider requires a replacement: one that is added or removed does, else the new provider decides. */
  async #providerReplaced(old: ResourceState, state: ResourceState): Promise<boolean> {
    if (old.provider === state.provider) return false;
    if (old.provider === "" || state.provider === "") return true;
    const { deployment, aliases } = this;
    if (aliases.continuesAs(old.providerUrn, state.providerUrn)) return false;
    const before = deployment.olds.get(old.providerUrn);
    const now = deployment.news.get(state.providerUrn);
    if (!before || !now) return false;
    return deployment.providers.replacesResources(state.provider, {
      urn: now.urn,
      oldInputs: before.inputs,
      oldOutputs: before.outputs,
      newInputs: now.inputs,
      ignoreChanges: [],
    });
  }

  async #replace(
    goal: Goal,
    old: ResourceState,
    state: ResourceState,
    answer: Answer,
    diff: DecidedDiff,
  ): Promise<EngineStep[]> {
    const { urn } = state;
    if (state.protect && old.protect) {
      const error = this.bail(urn, protectedReplace(urn));
      if (!this.deployment.dryRun) throw error;
    }
    this.replaces.add(urn);
    if (!this.#mustReplace(urn, old)) state.inputs = await this.#check(goal, state, undefined, false);
    const first = goal.deleteBeforeReplace ?? diff.deleteBeforeReplace;
    const create = createStep(this.deployment, state, answer, {
      replaces: { old, why: diff, deleteLater: !first },
    });
    const replace = replaceStep(old, state, diff);
    if (!first) return [create, replace];
    return [...(await deleteBeforeReplaceSteps(this, old)), replace, create];
  }

  /** Refuses a resource that depends on one that the targets leave out. */
  #validate(steps: EngineStep[]): EngineStep[] {
    const { targets, replaceTargets } = this.deployment.options;
    if (!targets && !replaceTargets) return steps;
    for (const step of steps) {
      if (!step.new || step.skippedCreate) continue;
      for (const urn of [...step.new.dependencyUrns(), step.new.parent, step.new.providerUrn]) {
        if (!this.skippedCreates.has(urn)) continue;
        const error = this.bail(
          step.urn,
          `Resource '${step.urn}' depends on '${urn}' which was was not specified in --target list.`,
        );
        if (!this.deployment.dryRun) throw error;
        this.skippedCreates.delete(urn);
      }
    }
    return steps;
  }

  /** Whether the run has decided on the resource. */
  isOperatedOn(urn: string): boolean {
    const decided = [this.sames, this.updates, this.replaces, this.creates, this.reads];
    return decided.some((set) => set.has(urn)) || this.aliases.isTaken(urn);
  }
}

function protectedReplace(urn: string): string {
  return (
    `unable to replace resource "${urn}"\nas it is currently marked for protection. To unprotect the resource, ` +
    "remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`"
  );
}

/** An input's value in the form of Pulumi's messages. */
function asShown(value: unknown): string {
  if (value === undefined || value === null) return "{<nil>}";
  if (Array.isArray(value)) return `{[${value.map(asShown).join(" ")}]}`;
  if (typeof value !== "object") return `{${value}}`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{map[${entries.map(([key, inner]) => `${key}:${asShown(inner)}`).join(" ")}]}`;
}
