/** The resources that `--target` and `--exclude` select. */
import type { DeploymentOptions } from "../../deployment/deployment.ts";
import type { ResourceState } from "../../deployment/state.ts";

export class Targets {
  readonly #options: DeploymentOptions;
  /** With --target-dependents: URNs whose dependents are selected too. */
  readonly #followed = new Set<string>();

  constructor(options: DeploymentOptions) {
    this.#options = options;
  }

  includes(state: ResourceState): boolean {
    const { targets, targetDependents, excludes } = this.#options;
    if (!targets) return !excludes?.(state.urn);
    return targets(state.urn) || (targetDependents && needs(state, this.#followed));
  }

  /** Includes what depends on this resource from now on. */
  remember(state: ResourceState): void {
    this.#followed.add(state.urn);
  }

  /** Which old resources may be deleted. */
  deletable(resources: readonly ResourceState[]): (state: ResourceState) => boolean {
    const { targets, excludes } = this.#options;
    if (targets) {
      const allowed = new Set(resources.filter((state) => targets(state.urn)).map((state) => state.urn));
      // Children and dependents go too; without --target-dependents the run then fails on each that is no target.
      for (const state of resources) if (needs(state, allowed)) allowed.add(state.urn);
      return (state) => allowed.has(state.urn);
    }
    if (!excludes) return () => true;
    const kept = new Set(resources.filter((state) => excludes(state.urn)).map((state) => state.urn));
    for (const state of [...resources].reverse()) {
      if (!kept.has(state.urn)) continue;
      for (const urn of [...state.dependencyUrns(), state.parent, state.providerUrn]) kept.add(urn);
    }
    return (state) => !kept.has(state.urn);
  }
}

function needs(state: ResourceState, urns: ReadonlySet<string>): boolean {
  return [...state.dependencyUrns(), state.parent, state.providerUrn].some((urn) => urns.has(urn));
}
