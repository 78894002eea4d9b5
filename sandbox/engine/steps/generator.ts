/**
 * Decides which steps bring a resource to its goal. It follows the Pulumi engine's generator: one resource after the
 * other, checks and diffs included, while the steps themselves run in parallel.
 */
import type { ResourceState } from "../deployment/state.ts";
import { unsupportedError } from "../refusals.ts";
import { isProviderType, makeUrn, stackType } from "../urn.ts";
import { checkInputs } from "./check.ts";
import { comparedSteps, mustReplace } from "./compare.ts";
import { Decisions } from "./decisions/decisions.ts";
import type { Goal, ReadGoal } from "./goal.ts";
import { createStep, replaceStep, sameStep, skippedCreateStep } from "./make.ts";
import { newReadState, newState } from "./new-state.ts";
import { readStep } from "./read.ts";
import type { Answer, EngineStep } from "./step.ts";

export class Generator extends Decisions {
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

  /** The steps of a destroy or refresh that runs its program; undefined if the resource is handled as in an update. */
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
    const fresh = recreating || wasExternal || !old || mustReplace(this, urn, old);
    if (targeted) state.inputs = await checkInputs(this, goal, state, fresh ? undefined : old, invalid);
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
    return comparedSteps(this, goal, old, state, answer);
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
}
