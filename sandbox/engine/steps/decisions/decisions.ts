/** A run's decisions about its resources so far. */
import type { DeploymentState } from "../../deployment/deployment.ts";
import type { ResourceState } from "../../deployment/state.ts";
import { AliasResolver } from "../aliases.ts";
import { Bail } from "../step.ts";
import { Targets } from "./targets.ts";

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
