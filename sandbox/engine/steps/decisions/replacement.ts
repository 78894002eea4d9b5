/** Replacements that delete first: which dependents they replace, and in which order. */

import type { ResourceState } from "../../deployment/state.ts";
import { replaces } from "../../plugins/provider.ts";
import { isProviderType } from "../../urn.ts";
import { type PropertyMap, unknownValue } from "../../values.ts";
import { applyReplaceOnChanges, diffRequest, diffResource } from "../diff.ts";
import { deleteStep } from "../make.ts";
import { referenceTo } from "../new-state.ts";
import type { EngineStep } from "../step.ts";
import type { Decisions } from "./decisions.ts";

interface Dependent {
  state: ResourceState;
  keys: string[];
}

/** Deletes the resource and, before it, the dependents that it replaces. */
export async function deleteBeforeReplaceSteps(
  decisions: Decisions,
  old: ResourceState,
): Promise<EngineStep[]> {
  const { deployment } = decisions;
  const steps: EngineStep[] = [];
  const forReplacement = { replacing: true, pendingReplacement: true, deletions: decisions.deletes };
  const contained = deployment.graph.contains(old);
  const dependents = contained ? await dependentReplacements(decisions, old) : [];
  dependents.push(...cascades(decisions, old.urn));
  for (const { state, keys } of dependents.reverse()) {
    if (decisions.pendingDeletes.has(state)) continue;
    decisions.dependentReplaceKeys.set(state.urn, keys);
    if (state.delete) {
      steps.push(deleteStep(deployment, state, { deletions: decisions.deletes }));
    } else {
      if (state.protect) throw decisions.bail(old.urn, protectedDependent(state.urn, old.urn));
      steps.push(deleteStep(deployment, state, forReplacement));
    }
    decisions.deletes.add(state.urn);
    decisions.pendingDeletes.add(state);
  }
  await deployment.ensureProvider(old);
  // An interrupted run has deleted it already: only the creation is left.
  if (!old.pendingReplacement) {
    decisions.deletes.add(old.urn);
    steps.push(deleteStep(deployment, old, forReplacement));
  }
  return steps;
}

function protectedDependent(urn: string, root: string): string {
  return (
    `unable to replace resource "${urn}" as part of replacing "${root}" as it is currently marked for protection. ` +
    "To unprotect the resource, remove the `protect` flag from the resource in your Pulumi program and run " +
    `\`pulumi up\`, or use the command:\n\`pulumi state unprotect '${urn}'\``
  );
}

/** The dependents that their providers replace if the replaced resource's values are unknown. */
export async function dependentReplacements(decisions: Decisions, root: ResourceState): Promise<Dependent[]> {
  const { deployment } = decisions;
  const { reads, creates, sames, updates, deletes, replaces } = decisions;
  const decided = new Set([reads, creates, sames, updates, deletes, replaces].flatMap((set) => [...set]));
  const replaced = new Set([root.urn]);
  const found: Dependent[] = [];
  for (const state of deployment.graph.dependingOn(root, decided)) {
    const keys = await replacementKeys(decisions, state, replaced);
    if (!keys) continue;
    found.push({ state, keys });
    replaced.add(state.urn);
  }
  return found;
}

/** @returns undefined if the resource need not be replaced */
async function replacementKeys(
  { deployment }: Decisions,
  state: ResourceState,
  replaced: ReadonlySet<string>,
): Promise<string[] | undefined> {
  if (!state.custom || state.external) return undefined;
  if (state.provider !== "" && replaced.has(state.providerUrn)) {
    // The provider with its old configuration deletes it.
    await deployment.ensureProvider(state);
    return [];
  }
  if (state.deletedWith !== "" && replaced.has(state.deletedWith)) return [];
  const inputs: PropertyMap = { ...state.inputs };
  let affected = false;
  for (const key of Object.keys(state.inputs)) {
    if (!state.propertyDependencies[key]?.some((urn) => replaced.has(urn))) continue;
    inputs[key] = unknownValue;
    affected = true;
  }
  if (!affected) return undefined;
  const reference = isProviderType(state.type) ? referenceTo(state) : state.provider;
  await deployment.ensureProvider(state, reference);
  const provider = deployment.providerOf(state);
  if (!provider) return undefined;
  const request = diffRequest(state.urn, state, inputs, state.ignoreChanges);
  const diff = await diffResource(provider, request);
  const applied = applyReplaceOnChanges(diff, state.replaceOnChanges, false);
  return replaces(applied) ? applied.replaceKeys : undefined;
}

/** Resources that name the replaced one in `replaceWith` or `deletedWith`. */
function cascades({ deployment }: Decisions, urn: string): Dependent[] {
  const found = new Map<string, Dependent>();
  for (const state of [...deployment.news.values(), ...deployment.olds.values()]) {
    if (found.has(state.urn)) continue;
    if (state.replaceWith.includes(urn) || state.deletedWith === urn)
      found.set(state.urn, { state, keys: [] });
  }
  return [...found.values()];
}
