/** The providers of one run: one process, started early, configured once a provider resource. */
import type { ProviderSource } from "./deployment/deployment.ts";
import type { ResourceState } from "./deployment/state.ts";
import { deepEqual } from "./diffs.ts";
import type { DynamicPlugin } from "./rpc/plugin.ts";
import type { Provider } from "./rpc/provider.ts";
import { referenceTo } from "./steps/new-state.ts";
import { packageOf, parseReference } from "./urn.ts";
import type { PropertyMap } from "./values.ts";

export class Providers implements ProviderSource {
  readonly #start: () => Promise<DynamicPlugin>;
  #first: Promise<DynamicPlugin> | undefined;
  readonly #all: Promise<DynamicPlugin>[] = [];
  readonly #ready = new Map<string, DynamicPlugin>();
  readonly #pending = new Map<string, { inputs: PropertyMap; done: Promise<void> }>();

  constructor(start: () => Promise<DynamicPlugin>) {
    this.#start = start;
  }

  /** Starts the process before it is needed, at the same time as the program. */
  warmUp(): void {
    this.#first ??= this.#launch();
  }

  #launch(): Promise<DynamicPlugin> {
    const plugin = this.#start();
    // Whoever needs it hears of a failure; an unused process may fail in silence.
    plugin.catch(() => {});
    this.#all.push(plugin);
    return plugin;
  }

  #next(): Promise<DynamicPlugin> {
    const plugin = this.#first ?? this.#launch();
    this.#first = undefined;
    return plugin;
  }

  get(reference: string): Provider | undefined {
    return this.#ready.get(reference);
  }

  async ensure(reference: string, olds: ReadonlyMap<string, ResourceState>): Promise<void> {
    if (reference === "" || this.#ready.has(reference)) return;
    const { urn } = parseReference(reference);
    const state = olds.get(urn);
    if (!state) throw new Error(`could not find provider ${reference} in the state`);
    await this.configure(state, state.inputs);
  }

  configure(state: ResourceState, inputs: PropertyMap): Promise<void> {
    const reference = referenceTo(state);
    const known = this.#pending.get(reference);
    // Another configuration needs a fresh process: dynamic providers keep what they were first given.
    if (known && deepEqual(known.inputs, inputs)) return known.done;
    const done = this.#configure(reference, state, inputs);
    this.#pending.set(reference, { inputs, done });
    return done;
  }

  async #configure(reference: string, state: ResourceState, inputs: PropertyMap): Promise<void> {
    if (packageOf(state.type) !== "pulumi-nodejs") {
      throw new Error(`this stand-in for the Pulumi CLI runs dynamic resources only, not ${state.type}`);
    }
    const plugin = await this.#next();
    await plugin.configure(inputs);
    this.#ready.set(reference, plugin);
  }

  /** Tells the providers that the run is being cancelled. */
  async cancel(): Promise<void> {
    for (const plugin of await Promise.allSettled(this.#all)) {
      if (plugin.status === "fulfilled") plugin.value.cancel();
    }
  }

  async stop(): Promise<void> {
    for (const plugin of await Promise.allSettled(this.#all)) {
      if (plugin.status === "fulfilled") plugin.value.stop();
    }
  }
}
