/** The new state of a registration, before its steps run. */
import { ResourceState } from "../deployment/state.ts";
import { unknownSentinel } from "../values.ts";
import type { Goal, ReadGoal } from "./goal.ts";

export function newState(
  goal: Goal,
  urn: string,
  old: ResourceState | undefined,
  alias: string,
): ResourceState {
  const { type, custom, parent, provider, dependencies, propertyDependencies } = goal;
  const { additionalSecretOutputs, deletedWith, replaceWith, customTimeouts } = goal;
  return new ResourceState({
    ...{ urn, type, custom, parent, provider, dependencies, propertyDependencies },
    ...{ additionalSecretOutputs, deletedWith, replaceWith, customTimeouts },
    inputs: goal.properties,
    protect: goal.protect ?? false,
    retainOnDelete: goal.retainOnDelete ?? false,
    ignoreChanges: goal.ignoreChanges,
    replaceOnChanges: goal.replaceOnChanges,
    aliases: alias === "" ? [] : [alias],
    created: old?.created,
    modified: old?.modified,
    sourcePosition: goal.sourcePosition,
    stackTrace: goal.stackTrace,
  });
}

/** The new state of `X.get`. */
export function newReadState(goal: ReadGoal, urn: string): ResourceState {
  if (goal.id === "") throw new Error(`Expected an ID for ${urn}`);
  const { id, type, parent, provider, dependencies, additionalSecretOutputs, sourcePosition } = goal;
  const given = { id, type, parent, provider, dependencies, additionalSecretOutputs, sourcePosition };
  return new ResourceState({ urn, custom: true, external: true, inputs: goal.properties, ...given });
}

/** The reference to a provider; in previews a new provider has no id yet. */
export function referenceTo(provider: ResourceState): string {
  return `${provider.urn}::${provider.id === "" ? unknownSentinel : provider.id}`;
}
