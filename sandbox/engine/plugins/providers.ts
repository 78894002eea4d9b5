/**
 * The providers of one run. Each is a resource of Pulumi, and this class is the provider of those resources: its check
 * loads the plugin, its create and update configure the plugin.
 */
import { randomUUID } from "node:crypto";
import type { ProviderSource } from "../deployment/deployment.ts";
import type { ResourceState } from "../deployment/state.ts";
import { changedProperties, deepEqual } from "../diffs.ts";
import { referenceTo } from "../steps/new-state.ts";
import { dynamicPackage, packageOf, parseReference, parseUrn } from "../urn.ts";
import { type PropertyMap, unknownSentinel } from "../values.ts";
import type { Plugin } from "./plugin.ts";
import type { PluginHost } from "./plugin-host.ts";
import {
  type Checked,
  type CheckRequest,
  type CreateRequest,
  type DeleteRequest,
  type DiffRequest,
  type Provider,
  type ProviderDiff,
  replaces,
  type UpdateRequest,
} from "./provider.ts";

/** The engine's own data about a provider, which no plugin gets. */
const internalKey = "__internal";
const versionKey = "version";

interface Configured {
  plugin: Plugin;
  provider: Provider;
}

export class Providers implements ProviderSource, Provider {
  readonly #host: PluginHost;
  /** Checked and not yet configured, by the URN of their resource. */
  readonly #checked = new Map<string, Plugin>();
  readonly #configured = new Map<string, Configured>();
  readonly #ensured = new Map<string, Promise<void>>();
  /** The former URN of a provider resource, by its URN. */
  readonly #former = new Map<string, string>();

  constructor(host: PluginHost) {
    this.#host = host;
  }

  get(reference: string): Provider | undefined {
    return this.#configured.get(reference)?.provider;
  }

  alias(urn: string, former: string): void {
    this.#former.set(urn, former);
  }

  ensure(reference: string, olds: ReadonlyMap<string, ResourceState>): Promise<void> {
    if (reference === "" || this.#configured.has(reference)) return Promise.resolve();
    const { urn, id } = parseReference(reference);
    const state = olds.get(urn);
    if (state?.id !== id) throw new Error(`could not find provider ${reference} in the state`);
    const known = this.#ensured.get(reference) ?? this.#restore(state);
    this.#ensured.set(reference, known);
    return known;
  }

  async #restore({ urn, id, inputs }: ResourceState): Promise<void> {
    this.#configure(await this.#load(urn, inputs), urn, id, inputs);
  }

  /** Configures an unchanged provider resource. */
  async same(state: ResourceState, inputs: PropertyMap): Promise<void> {
    const checked = this.#take(state.urn);
    if (!this.#configured.has(referenceTo(state))) {
      const plugin = checked ?? (await this.#load(state.urn, inputs));
      this.#configure(plugin, state.urn, state.id, inputs);
    } else if (checked) {
      await this.#host.unload(checked);
    }
  }

  /** Whether a changed provider resource requires the replacement of its resources. */
  async replacesResources(reference: string, request: Omit<DiffRequest, "id">): Promise<boolean> {
    const configured = this.#configured.get(reference);
    if (!configured) throw new Error(`failed to resolve provider reference: "${reference}"`);
    const diff = await configured.plugin.diffConfig({ ...withoutInternal(request), id: "" });
    return replaces(diff);
  }

  async check({ urn, olds, news, preview }: CheckRequest): Promise<Checked> {
    // Dynamic providers have no check of their configuration: the process of the refresh is enough.
    if (isDynamic(urn) && this.#running(urn)) return { inputs: news, failures: [] };
    const plugin = await this.#load(urn, news);
    const checked = await plugin
      .checkConfig({ urn, olds: filtered(olds), news: filtered(news), preview })
      .catch(async (error) => {
        await this.#host.unload(plugin);
        throw error;
      });
    if (checked.failures.length > 0) {
      await this.#host.unload(plugin);
      return checked;
    }
    this.#checked.set(urn, plugin);
    return { inputs: withOwn(urn, checked.inputs, news), failures: [] };
  }

  async diff(request: DiffRequest): Promise<ProviderDiff> {
    const { urn, id, oldOutputs, newInputs } = request;
    const plugin = this.#checked.get(urn) ?? this.#configured.get(`${urn}::${id}`)?.plugin;
    if (!plugin) throw new Error(`the provider ${urn} was compared before it was checked`);
    const diff = await plugin.diffConfig(withoutInternal(request));
    // Its replacement gets a check and its own plugin.
    if (replaces(diff)) await this.#unloadChecked(urn);
    return { ...diff, changes: diff.changes ?? changedProperties(oldOutputs, filtered(newInputs)).size > 0 };
  }

  async create({ urn, inputs, preview }: CreateRequest) {
    const plugin = this.#take(urn) ?? (await this.#load(urn, inputs));
    const id = preview ? unknownSentinel : randomUUID();
    return { id, outputs: this.#configure(plugin, urn, id, inputs) };
  }

  async update({ urn, id, newInputs }: UpdateRequest): Promise<PropertyMap> {
    const plugin = this.#take(urn) ?? (await this.#load(urn, newInputs));
    const before = this.#configured.get(`${urn}::${id}`);
    const outputs = this.#configure(plugin, urn, id, newInputs);
    if (before) await this.#host.unload(before.plugin);
    return outputs;
  }

  async delete({ urn, id }: DeleteRequest): Promise<void> {
    const configured = this.#configured.get(`${urn}::${id}`);
    this.#configured.delete(`${urn}::${id}`);
    if (configured) await this.#host.unload(configured.plugin);
  }

  read(): never {
    throw new Error("provider resources may not be read");
  }

  invoke(): never {
    throw new Error("provider resources have no functions");
  }

  construct(): never {
    throw new Error("provider resources are not components");
  }

  #load(urn: string, inputs: PropertyMap): Promise<Plugin> {
    const version = inputs[versionKey];
    return this.#host.load(packageOf(parseUrn(urn).type), typeof version === "string" ? version : undefined);
  }

  #configure(plugin: Plugin, urn: string, id: string, inputs: PropertyMap): PropertyMap {
    const outputs = filtered(inputs);
    const configured = { plugin, provider: plugin.configure(urn, id, outputs) };
    this.#configured.set(`${urn}::${id}`, configured);
    const former = this.#former.get(urn);
    if (former !== undefined) this.#configured.set(`${former}::${id}`, configured);
    return outputs;
  }

  #take(urn: string): Plugin | undefined {
    const plugin = this.#checked.get(urn);
    this.#checked.delete(urn);
    return plugin;
  }

  async #unloadChecked(urn: string): Promise<void> {
    const plugin = this.#take(urn);
    if (plugin) await this.#host.unload(plugin);
  }

  #running(urn: string): boolean {
    return [...this.#configured.keys()].some((reference) => parseReference(reference).urn === urn);
  }
}

function isDynamic(urn: string): boolean {
  return packageOf(parseUrn(urn).type) === dynamicPackage;
}

function filtered(inputs: PropertyMap): PropertyMap {
  const { [internalKey]: _, ...rest } = inputs;
  return rest;
}

function withoutInternal<Request extends Pick<DiffRequest, "oldInputs" | "newInputs">>(
  request: Request,
): Request {
  return { ...request, oldInputs: filtered(request.oldInputs), newInputs: filtered(request.newInputs) };
}

/** Checked inputs with the engine's own data, whatever the plugin returns for it. */
function withOwn(urn: string, checked: PropertyMap, news: PropertyMap): PropertyMap {
  const inputs = { ...checked };
  const version = news[versionKey];
  if (version !== undefined) {
    inputs[versionKey] ??= version;
    if (!deepEqual(inputs[versionKey], version)) {
      throw new Error(
        `provider "${urn}" attempted to change version from "${version}" to "${inputs[versionKey]}"`,
      );
    }
  }
  if (internalKey in news) inputs[internalKey] = news[internalKey] ?? null;
  return inputs;
}
