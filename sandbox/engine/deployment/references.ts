/** Keeps references between resources valid: after a rename by alias, and after a refresh dropped some. */
import { makeUrn, parseReference, parseUrn, stackType } from "../urn.ts";
import type { ResourceState } from "./state.ts";

type Rename = (urn: string) => string;

function renamed(state: ResourceState, rename: Rename): ResourceState {
  const provider = state.provider === "" ? undefined : parseReference(state.provider);
  return state.copy({
    urn: rename(state.urn),
    parent: rename(state.parent),
    dependencies: state.dependencies.map(rename),
    propertyDependencies: mapValues(state.propertyDependencies, (urns) => urns.map(rename)),
    deletedWith: rename(state.deletedWith),
    replaceWith: state.replaceWith.map(rename),
    provider: provider ? `${rename(provider.urn)}::${provider.id}` : "",
    aliases: [],
  });
}

function mapValues(
  record: Record<string, string[]>,
  each: (urns: string[]) => string[],
): Record<string, string[]> {
  return Object.fromEntries(Object.entries(record).map(([key, urns]) => [key, each(urns)]));
}

/** Replaces references to resources that were found by an alias. */
function applyAliases(resources: ResourceState[]): ResourceState[] {
  const names = new Map<string, string>();
  for (const state of resources) {
    for (const alias of state.aliases) names.set(alias, state.urn);
    const parent = names.get(state.parent);
    if (parent !== undefined && parseUrn(parent).qualifiedType !== stackType) {
      const { stack, project, type, name } = parseUrn(state.urn);
      names.set(state.urn, makeUrn(stack, project, parent, type, name));
    }
  }
  return resources.map((state) => renamed(state, (urn) => names.get(urn) ?? urn));
}

/** Drops references to resources that are gone; a child of a dropped parent moves to the grandparent. */
export function dropDangling(resources: ResourceState[]): void {
  const present = new Set<string>();
  const parents = new Map<string, string>();
  for (const state of resources) {
    const known = (urn: string) => present.has(urn);
    state.dependencies = state.dependencies.filter(known);
    state.propertyDependencies = withoutEmpty(
      mapValues(state.propertyDependencies, (urns) => urns.filter(known)),
    );
    state.replaceWith = state.replaceWith.filter(known);
    if (!known(state.deletedWith)) state.deletedWith = "";
    present.add(state.urn);
  }
  for (const state of resources) {
    if (state.parent !== "" && !present.has(state.parent)) state.parent = parents.get(state.parent) ?? "";
    parents.set(state.urn, state.parent);
  }
}

/** The list with valid references. It copies states before it changes them. */
export function normalizeReferences(resources: ResourceState[], refreshed: boolean): ResourceState[] {
  let result = resources;
  if (resources.some((state) => state.aliases.length > 0)) result = applyAliases(result);
  if (!refreshed) return result;
  const urns = new Set(result.map((state) => state.urn));
  const dangling = result.some(
    (state) =>
      state.dependencyUrns().some((urn) => !urns.has(urn)) ||
      (state.parent !== "" && !urns.has(state.parent)),
  );
  if (!dangling) return result;
  result = result.map((state) => state.copy());
  dropDangling(result);
  return result;
}

function withoutEmpty(record: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(record).filter(([, urns]) => urns.length > 0));
}
