/** What `--target` and `--exclude` leave of an operation. */
import type { DeploymentOptions } from "../deployment/deployment.ts";
import type { ResourceState } from "../deployment/state.ts";

export class Targets {
  readonly #options: DeploymentOptions;
  /** Resources that take part or stay out because of what they depend on. */
  readonly #followers = new Set<string>();

  constructor(options: DeploymentOptions) {
    this.#options = options;
  }

  get constrained(): boolean {
    return this.#options.targets !== undefined || this.#options.excludes !== undefined;
  }

  includes(state: ResourceState): boolean {
    const { targets, targetDependents, excludes, excludeDependents } = this.#options;
    if (targets) return targets(state.urn) || (targetDependents && this.#follows(state));
    if (excludes) return !excludes(state.urn) && !(excludeDependents && this.#follows(state));
    return true;
  }

  /** Lets what depends on this resource follow it. */
  remember(state: ResourceState): void {
    if (this.#options.targets) this.#followers.add(state.urn);
  }

  #follows(state: ResourceState): boolean {
    const needed = [...state.dependencyUrns(), state.parent, state.providerUrn];
    return needed.some((urn) => this.#followers.has(urn));
  }

  /** Which of the old resources may be deleted: the targets, and with --target-dependents all that needs them. */
  deletable(resources: readonly ResourceState[]): (state: ResourceState) => boolean {
    const { targets, excludes } = this.#options;
    if (targets) {
      const allowed = new Set(resources.filter((state) => targets(state.urn)).map((state) => state.urn));
      // Children and dependents cannot outlive what they need: they are named as missing targets otherwise.
      for (const state of resources) {
        if ([...state.dependencyUrns(), state.parent, state.providerUrn].some((urn) => allowed.has(urn))) {
          allowed.add(state.urn);
        }
      }
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
