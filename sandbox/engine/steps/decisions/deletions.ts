/** Deletions at the end of a run: all resources that the program did not register, dependents first. */
import { DependencyGraph } from "../../deployment/graph.ts";
import type { ResourceState } from "../../deployment/state.ts";
import { deleteStep, removePendingReplaceStep, sameStep } from "../make.ts";
import type { Bail, EngineStep } from "../step.ts";
import type { Decisions } from "./decisions.ts";
import { dependentReplacements } from "./replacement.ts";

/** Deletions, and steps that keep the resources outside the targets. */
export async function generateDeletes(
  decisions: Decisions,
): Promise<{ sames: EngineStep[]; deletes: EngineStep[] }> {
  const { deployment } = decisions;
  const previous = deployment.previous.resources;
  const deletable = decisions.targets.deletable(previous);
  if (deployment.options.targets) await askDependents(decisions, previous.filter(deletable));
  const sames: EngineStep[] = [];
  const deletes: EngineStep[] = [];
  for (const state of previous) {
    if (!deletable(state)) {
      if (!decisions.isOperatedOn(state.urn))
        sames.push(sameStep(deployment, state, state.copy(), undefined, false));
      continue;
    }
    const step = deletionOf(decisions, state);
    if (!step) continue;
    deletes.push(step);
    await deployment.ensureProvider(state);
  }
  for (const state of decisions.toDelete.filter(deletable)) {
    decisions.deletes.add(state.urn);
    deletes.push(deleteStep(deployment, state, { deletions: decisions.deletes }));
  }
  refuseUntargeted(decisions, deletes);
  return { sames, deletes };
}

/** Calls the providers as Pulumi's engine does, although all dependents of a target may be deleted. */
async function askDependents(decisions: Decisions, candidates: readonly ResourceState[]): Promise<void> {
  for (const state of candidates) await dependentReplacements(decisions, state);
}

function deletionOf(decisions: Decisions, state: ResourceState): EngineStep | undefined {
  const { deployment, deletes } = decisions;
  if (state.delete) {
    if (decisions.pendingDeletes.has(state)) return undefined;
    deletes.add(state.urn);
    return deleteStep(deployment, state, { replacing: true, deletions: deletes });
  }
  if (decisions.isOperatedOn(state.urn)) return undefined;
  deletes.add(state.urn);
  return state.pendingReplacement
    ? removePendingReplaceStep(state)
    : deleteStep(deployment, state, { deletions: deletes });
}

/** With --target, refuses deletions outside the targets, unless --target-dependents is set. */
function refuseUntargeted(decisions: Decisions, deletes: EngineStep[]): void {
  const { targets, targetDependents, dryRun } = decisions.deployment.options;
  if (!targets || targetDependents) return;
  const unnamed = deletes.filter((step) => !targets(step.urn));
  let error: Bail | undefined;
  for (const { urn } of unnamed) {
    error = decisions.bail(
      urn,
      `Resource '${urn}' will be destroyed but was not specified in --target list.\n` +
        "Either include resource in --target list or pass --target-dependents to proceed.",
    );
  }
  if (error && !dryRun) throw error;
}

/** The deletions in rounds: all of a round at the same time, dependents in earlier rounds. */
export function scheduleDeletes(decisions: Decisions, deletes: EngineStep[]): EngineStep[][] {
  const graph = new DependencyGraph([...decisions.toDelete, ...decisions.deployment.previous.resources]);
  const steps = new Map(deletes.map((step) => [step.res, step]));
  const needs = new Map(deletes.map(({ res }) => [res, [...graph.dependenciesOf(res)]]));
  const rounds: EngineStep[][] = [];
  while (steps.size > 0) {
    // From the last round to the first: a resource that needs no other resource of the list is deleted last.
    const round = [...steps].filter(([state]) => !needs.get(state)?.some((needed) => steps.has(needed)));
    if (round.length === 0) throw new Error("the resources to delete depend on each other in a circle");
    for (const [state] of round) steps.delete(state);
    rounds.unshift(round.map(([, step]) => step));
  }
  return rounds;
}
