/** One run of the engine over a stack: its options, providers, old and new resources. */
import { messageOf, UserError } from "../errors.ts";
import type { EventBus } from "../events.ts";
import type { DiffRequest, Provider } from "../plugins/provider.ts";
import { isProviderType } from "../urn.ts";
import type { PropertyMap } from "../values.ts";
import type { Snapshot } from "./checkpoint.ts";
import { DependencyGraph } from "./graph.ts";
import type { SnapshotManager } from "./snapshots.ts";
import type { ResourceState } from "./state.ts";

export interface DeploymentOptions {
  dryRun: boolean;
  parallel: number;
  /** Write the state at the end alone: a killed run leaves the state of its start. */
  skipCheckpoints: boolean;
  continueOnError: boolean;
  /** Read every resource first. */
  refresh: boolean;
  /** Only read, do not update. */
  refreshOnly: boolean;
  /** Read each resource when the program registers it, by the provider the program configured. */
  refreshByProgram: boolean;
  /** `update` follows the program; `destroy` runs it only for its providers, and deletes all resources. */
  mode: "update" | "destroy" | "refresh";
  /** Whether the program runs at all. */
  runProgram: boolean;
  targets: ((urn: string) => boolean) | undefined;
  targetPatterns: readonly string[];
  targetDependents: boolean;
  excludes: ((urn: string) => boolean) | undefined;
  replaceTargets: ((urn: string) => boolean) | undefined;
}

/** Providers by their reference, each configured once. It is also the provider of provider resources. */
export interface ProviderSource extends Provider {
  /** The provider with this reference. */
  get(reference: string): Provider | undefined;
  /** Loads a provider of the state with its configuration in the state. */
  ensure(reference: string, olds: ReadonlyMap<string, ResourceState>): Promise<void>;
  /** Configures an unchanged provider resource with these inputs. */
  same(state: ResourceState, inputs: PropertyMap): Promise<void>;
  /** Makes the provider available under a former URN too. */
  alias(urn: string, former: string): void;
  /** Whether a changed provider resource requires the replacement of its resources. */
  replacesResources(reference: string, request: Omit<DiffRequest, "id">): Promise<boolean>;
}

export class DeploymentState {
  readonly stack: string;
  readonly project: string;
  readonly options: DeploymentOptions;
  readonly events: EventBus;
  readonly providers: ProviderSource;
  /** Undefined in previews. */
  readonly snapshots: SnapshotManager | undefined;
  readonly previous: Snapshot;
  /** The old resources by URN, without replaced ones that are pending deletion. */
  olds = new Map<string, ResourceState>();
  readonly news = new Map<string, ResourceState>();
  graph: DependencyGraph;

  constructor(
    fields: Pick<
      DeploymentState,
      "stack" | "project" | "options" | "events" | "providers" | "snapshots" | "previous"
    >,
  ) {
    this.stack = fields.stack;
    this.project = fields.project;
    this.options = fields.options;
    this.events = fields.events;
    this.providers = fields.providers;
    this.snapshots = fields.snapshots;
    this.previous = fields.previous;
    this.graph = new DependencyGraph(this.previous.resources);
    this.rebase(this.previous.resources);
  }

  /** Replaces the old resources by those that a refresh left. */
  rebase(resources: ResourceState[]): void {
    this.previous.resources = resources;
    this.graph = new DependencyGraph(resources);
    this.olds = new Map(resources.filter((state) => !state.delete).map((state) => [state.urn, state]));
  }

  get dryRun(): boolean {
    return this.options.dryRun;
  }

  /** Loads the provider of a resource of the state. */
  async ensureProvider(state: ResourceState, reference = state.provider): Promise<void> {
    try {
      await this.providers.ensure(reference, this.olds);
    } catch (error) {
      throw new UserError(`could not load provider for resource ${state.urn}: ${messageOf(error)}`);
    }
  }

  /** The provider of a resource; undefined for a component. */
  providerOf({ urn, type, custom, provider }: ResourceState): Provider | undefined {
    if (!custom) return undefined;
    if (isProviderType(type)) return this.providers;
    const found = this.providers.get(provider);
    if (!found) throw new Error(`unknown provider '${provider}' for resource ${urn}`);
    return found;
  }
}
