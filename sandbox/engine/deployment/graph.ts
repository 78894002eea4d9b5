/** The dependencies in a list of resources, in which dependencies come before their dependents. */
import type { ResourceState } from "./state.ts";

export class DependencyGraph {
  readonly #resources: readonly ResourceState[];
  readonly #index = new Map<ResourceState, number>();
  readonly #children = new Map<string, ResourceState[]>();

  constructor(resources: readonly ResourceState[]) {
    this.#resources = resources;
    const latest = new Map<string, ResourceState>();
    for (const [index, state] of resources.entries()) {
      this.#index.set(state, index);
      latest.set(state.urn, state);
      for (let parent = state.parent; parent !== ""; parent = latest.get(parent)?.parent ?? "") {
        const children = this.#children.get(parent);
        if (children) children.push(state);
        else this.#children.set(parent, [state]);
      }
    }
  }

  contains(state: ResourceState): boolean {
    return this.#index.has(state);
  }

  alias(state: ResourceState, original: ResourceState): void {
    const index = this.#index.get(original);
    if (index !== undefined) this.#index.set(state, index);
  }

  /** All direct and indirect dependents of the resource without the ignored ones, in the order of the list. */
  dependingOn(state: ResourceState, ignore: ReadonlySet<string>): ResourceState[] {
    const start = this.#index.get(state);
    if (start === undefined) return [];
    const affected = new Set([state.urn]);
    const dependents: ResourceState[] = [];
    for (const candidate of this.#resources.slice(start + 1)) {
      if (ignore.has(candidate.urn)) continue;
      const depends =
        candidate.dependencyUrns().some((urn) => affected.has(urn)) || affected.has(candidate.providerUrn);
      if (!depends) continue;
      dependents.push(candidate);
      affected.add(candidate.urn);
    }
    return dependents;
  }

  /** The direct dependencies of the resource: dependencies with a component's children, provider, parent. */
  dependenciesOf(state: ResourceState): Set<ResourceState> {
    const end = this.#index.get(state) ?? 0;
    const needed = new Set(state.dependencyUrns());
    if (state.provider !== "") needed.add(state.providerUrn);
    const found = new Set<ResourceState>();
    for (const candidate of this.#resources.slice(0, end)) {
      if (needed.has(candidate.urn)) {
        found.add(candidate);
        if (!candidate.custom) this.#addChildren(found, candidate, end);
      }
      if (candidate.urn === state.parent) found.add(candidate);
    }
    return found;
  }

  #addChildren(found: Set<ResourceState>, component: ResourceState, end: number): void {
    for (const child of this.#children.get(component.urn) ?? []) {
      if ((this.#index.get(child) ?? 0) < end) found.add(child);
    }
  }

  /** All direct and indirect dependencies of the resource. */
  transitiveDependenciesOf(state: ResourceState): Set<ResourceState> {
    const found = new Set<ResourceState>();
    const visit = (current: ResourceState) => {
      for (const dependency of this.dependenciesOf(current)) {
        if (found.has(dependency)) continue;
        found.add(dependency);
        visit(dependency);
      }
    };
    visit(state);
    return found;
  }
}
