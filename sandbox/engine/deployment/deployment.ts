/** One run of the engine over a stack: what was, what is asked, and who helps. */
import { messageOf, UserError } from "../errors.ts";
import type { EventBus } from "../events.ts";
import type { DiffRequest, Provider } from "../rpc/provider.ts";
import { isProviderType } from "../urn.ts";
import type { PropertyMap } from "../values.ts";
import type { Snapshot } from "./checkpoint.ts";
import { DependencyGraph } from "./graph.ts";
import type { SnapshotManager } from "./snapshots.ts";
import type { ResourceState } from "./state.ts";

export interface DeploymentOptions {
  dryRun: boolean;
  parallel: number;
  continueOnError: boolean;
  /** Delete and replace protected resources too. */
  /** Read every resource first. */
  refresh: boolean;
  /** Only read, do not update. */
  refreshOnly: boolean;
  /** Read each resource when the program registers it, by the provider the program configured. */
  refreshByProgram: boolean;
  /** `update` follows the program; `destroy` runs it for its providers only and deletes all there is. */
  mode: "update" | "destroy" | "refresh";
  /** Whether the program runs at all. */
  runProgram: boolean;
  targets: ((urn: string) => boolean) | undefined;
  targetPatterns: readonly string[];
  targetDependents: boolean;
  excludes: ((urn: string) => boolean) | undefined;
  excludeDependents: boolean;
  replaceTargets: ((urn: string) => boolean) | undefined;
}

/** Gives providers by their reference; configures each once. It is itself the provider of provider resources. */
export interface ProviderSource extends Provider {
  /** The provider that the state's or the program's reference names. */
  get(reference: string): Provider | undefined;
  /** Makes a provider of the state available: configured from what the state says. */
  ensure(reference: string, olds: ReadonlyMap<string, ResourceState>): Promise<void>;
  /** A provider resource goes on unchanged: configured from these inputs. */
  same(state: ResourceState, inputs: PropertyMap): Promise<void>;
  /** References by a former URN of a provider resource mean the same provider. */
  alias(urn: string, former: string): void;
  /** Whether a changed provider resource means that what it serves is replaced. */
  replacesResources(reference: string, request: Omit<DiffRequest, "id">): Promise<boolean>;
}

export class Deployment {
  readonly stack: string;
  readonly project: string;
  readonly options: DeploymentOptions;
  readonly events: EventBus;
  readonly providers: ProviderSource;
  /** Undefined in previews. */
  readonly snapshots: SnapshotManager | undefined;
  readonly previous: Snapshot;
  /** The old resources by URN, replaced ones that wait for deletion apart. */
  olds = new Map<string, ResourceState>();
  readonly news = new Map<string, ResourceState>();
  graph: DependencyGraph;

  constructor(fields: {
    stack: string;
    project: string;
    options: DeploymentOptions;
    events: EventBus;
    providers: ProviderSource;
    snapshots: SnapshotManager | undefined;
    previous: Snapshot;
  }) {
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

  /** Starts from another set of old resources: what a refresh left. */
  rebase(resources: ResourceState[]): void {
    this.previous.resources = resources;
    this.graph = new DependencyGraph(resources);
    this.olds = new Map(resources.filter((state) => !state.delete).map((state) => [state.urn, state]));
  }

  get dryRun(): boolean {
    return this.options.dryRun;
  }

  /** Has the provider ready that the state names for a resource, configured as the state says. */
  async ensureProvider(state: ResourceState, reference = state.provider): Promise<void> {
    try {
      await this.providers.ensure(reference, this.olds);
    } catch (error) {
      throw new UserError(`could not load provider for resource ${state.urn}: ${messageOf(error)}`);
    }
  }

  /** Who serves a resource; nobody serves a component. */
  providerOf({ urn, type, custom, provider }: ResourceState): Provider | undefined {
    if (!custom) return undefined;
    if (isProviderType(type)) return this.providers;
    const found = this.providers.get(provider);
    if (!found) throw new Error(`unknown provider '${provider}' for resource ${urn}`);
    return found;
  }
}
