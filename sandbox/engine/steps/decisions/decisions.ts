/** A run's decisions about its resources so far. */
import type { DeploymentOptions, DeploymentState } from "../../deployment/deployment.ts";
import type { ResourceState } from "../../deployment/state.ts";
import { AliasResolver } from "../aliases.ts";
import { Bail } from "../step.ts";

export class Decisions {
  readonly deployment: DeploymentState;
  readonly aliases: AliasResolver;
  readonly targets: Targets;
  /** Whether an error was reported that does not stop a preview. */
  sawError = false;
  readonly urns = new Set<string>();
  readonly reads = new Set<string>();
  readonly deletes = new Set<string>();
  readonly replaces = new Set<string>();
  readonly updates = new Set<string>();
  readonly creates = new Set<string>();
  readonly sames = new Set<string>();
  readonly skippedCreates = new Set<string>();
  /** Resources that a destroy deletes at its end. */
  readonly toDelete: ResourceState[] = [];
  readonly pendingDeletes = new Set<ResourceState>();
  /** Why a resource was deleted with another one that is replaced. */
  readonly dependentReplaceKeys = new Map<string, string[]>();

  constructor(deployment: DeploymentState) {
    this.deployment = deployment;
    this.aliases = new AliasResolver(deployment);
    this.targets = new Targets(deployment.options);
  }

  /** Whether the run has decided on the resource. */
  isOperatedOn(urn: string): boolean {
    const decided = [this.sames, this.updates, this.replaces, this.creates, this.reads];
    return decided.some((set) => set.has(urn)) || this.aliases.isTaken(urn);
  }

  /** Reports an error and gives the exception that stops the run without reporting it again. */
  bail(urn: string, message: string): Bail {
    this.error(urn, message);
    return new Bail(message);
  }

  error(urn: string, message: string): void {
    this.deployment.events.error(urn, message);
    this.sawError = true;
  }
}

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
      // Children and dependents go too; without --target-dependents the run then fails on each that is not a target.
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
