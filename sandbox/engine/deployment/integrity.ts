/** Checks the integrity of a state: its manifest, the order of dependencies, and that each URN is unique. */
import { UserError } from "../errors.ts";
import { isProviderType } from "../urn.ts";
import { type DeploymentJson, magicOf } from "./checkpoint.ts";
import type { ResourceState } from "./state.ts";

/** @throws UserError with the first violation */
export function verifyIntegrity(json: DeploymentJson | undefined, resources: readonly ResourceState[]): void {
  if (!json) return;
  if (json.manifest.magic !== magicOf(json.manifest.version)) {
    throw damaged("its manifest does not fit its version");
  }
  const seen = new Set<string>();
  const current = new Set<string>();
  const providers = new Set<string>();
  for (const state of resources) {
    const { urn } = state;
    for (const { needed, as } of referencesOf(state)) {
      if (seen.has(needed)) continue;
      const later = resources.some((other) => other.urn === needed);
      throw damaged(`${as} of ${urn} is ${needed}, which ${later ? "comes after it" : "is not in it"}`);
    }
    if (state.provider !== "" && !providers.has(state.provider) && !state.pendingReplacement) {
      throw damaged(`the provider of ${urn} is ${state.provider}, which is not in it before`);
    }
    if (!state.delete && current.has(urn)) throw damaged(`${urn} is in it twice`);
    if (!state.delete) current.add(urn);
    if (isProviderType(state.type)) providers.add(`${urn}::${state.id}`);
    seen.add(urn);
  }
}

/** The references of a resource to earlier ones, without its provider. */
function referencesOf(state: ResourceState): { needed: string; as: string }[] {
  const { parent, dependencies, propertyDependencies, deletedWith, replaceWith } = state;
  return [
    ...(parent === "" ? [] : [{ needed: parent, as: "the parent" }]),
    ...dependencies.map((needed) => ({ needed, as: "a dependency" })),
    ...Object.entries(propertyDependencies).flatMap(([key, urns]) =>
      urns.map((needed) => ({ needed, as: `a dependency of "${key}"` })),
    ),
    ...(deletedWith === "" ? [] : [{ needed: deletedWith, as: "deletedWith" }]),
    ...replaceWith.map((needed) => ({ needed, as: "replaceWith" })),
  ];
}

function damaged(what: string): UserError {
  return new UserError(
    `the stack's state is damaged: ${what}.\nNothing was done. Put one of the stack's backups in its place, or repair ` +
      "what `pulumi stack export` gives and read it back by `pulumi stack import`.",
  );
}
