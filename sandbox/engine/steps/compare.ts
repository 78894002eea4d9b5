/** Compares a registered resource with its old state. */
import type { ResourceState } from "../deployment/state.ts";
import { deepEqual } from "../diffs.ts";
import { DiffUnavailable, replaces } from "../plugins/provider.ts";
import { checkInputs } from "./check.ts";
import type { Decisions } from "./decisions/decisions.ts";
import { deleteBeforeReplaceSteps } from "./decisions/replacement.ts";
import {
  applyReplaceOnChanges,
  type DecidedDiff,
  diffRequest,
  diffResource,
  noDiff,
  replaceFor,
} from "./diff.ts";
import type { Goal } from "./goal.ts";
import { createStep, replaceStep, sameStep, updateStep } from "./make.ts";
import type { Answer, EngineStep } from "./step.ts";

/** The steps for a resource with an old state: a replacement, an update, or none. */
export async function comparedSteps(
  decisions: Decisions,
  goal: Goal,
  old: ResourceState,
  state: ResourceState,
  answer: Answer,
): Promise<EngineStep[]> {
  const { urn } = state;
  const hasInitErrors = old.initErrors.length > 0;
  const found = await diffOf(decisions, goal, old, state);
  const diff = applyReplaceOnChanges(found, goal.replaceOnChanges, hasInitErrors);
  if ((diff.changes && replaces(diff)) || old.pendingReplacement) {
    return replacementSteps(decisions, goal, old, state, answer, diff);
  }
  if (diff.changes || hasInitErrors) {
    decisions.updates.add(urn);
    return [updateStep(decisions.deployment, old, state, answer, diff, goal.ignoreChanges)];
  }
  decisions.sames.add(urn);
  return [sameStep(decisions.deployment, old, state, answer)];
}

async function diffOf(
  decisions: Decisions,
  goal: Goal,
  old: ResourceState,
  state: ResourceState,
): Promise<DecidedDiff> {
  const { urn } = state;
  if (mustReplace(decisions, urn, old)) return replaceFor("id");
  if (goal.replaceWith.some((other) => decisions.replaces.has(other))) return replaceFor("replaceWith");
  if (goal.deletedWith !== "" && decisions.replaces.has(goal.deletedWith)) return replaceFor("deletedWith");
  if (await isProviderReplaced(decisions, old, state)) return replaceFor("provider");
  const provider = decisions.deployment.providerOf(state);
  if (!provider) return { ...noDiff, changes: !deepEqual(old.inputs, state.inputs) };
  const request = diffRequest(urn, old, state.inputs, goal.ignoreChanges);
  return diffResource(provider, request).catch((error) => {
    if (!(error instanceof DiffUnavailable)) throw error;
    decisions.deployment.events.warn(urn, error.message);
    return { ...noDiff, changes: true };
  });
}

/** Whether another provider requires a replacement: one that is added or removed does, otherwise the new provider decides. */
async function isProviderReplaced(
  { deployment, aliases }: Decisions,
  old: ResourceState,
  state: ResourceState,
): Promise<boolean> {
  if (old.provider === state.provider) return false;
  if (old.provider === "" || state.provider === "") return true;
  if (aliases.continuesAs(old.providerUrn, state.providerUrn)) return false;
  const before = deployment.olds.get(old.providerUrn);
  const now = deployment.news.get(state.providerUrn);
  if (!before || !now) return false;
  return deployment.providers.replacesResources(state.provider, diffRequest(now.urn, before, now.inputs, []));
}

async function replacementSteps(
  decisions: Decisions,
  goal: Goal,
  old: ResourceState,
  state: ResourceState,
  answer: Answer,
  diff: DecidedDiff,
): Promise<EngineStep[]> {
  const { urn } = state;
  if (state.protect && old.protect) {
    const error = decisions.bail(urn, protectedReplace(urn));
    if (!decisions.deployment.dryRun) throw error;
  }
  decisions.replaces.add(urn);
  if (!mustReplace(decisions, urn, old))
    state.inputs = await checkInputs(decisions, goal, state, undefined, false);
  const first = goal.deleteBeforeReplace ?? diff.deleteBeforeReplace;
  const create = createStep(decisions.deployment, state, answer, {
    replaces: { old, why: diff, deleteLater: !first },
  });
  const replace = replaceStep(old, state, diff);
  if (!first) return [create, replace];
  return [...(await deleteBeforeReplaceSteps(decisions, old)), replace, create];
}

/** Whether the command line or the state requires a replacement. */
export function mustReplace({ deployment }: Decisions, urn: string, old: ResourceState | undefined): boolean {
  return deployment.options.replaceTargets?.(urn) === true || old?.taint === true;
}

function protectedReplace(urn: string): string {
  return (
    `unable to replace resource "${urn}"\nas it is currently marked for protection. To unprotect the resource, ` +
    "remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`"
  );
}
