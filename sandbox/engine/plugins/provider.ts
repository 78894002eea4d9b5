/** The interface of a provider. */
import type providerPb from "@pulumi/pulumi/proto/provider_pb.js";
import type { PropertyMap } from "../values.ts";

export interface CheckFailure {
  property: string;
  reason: string;
}

export interface Checked {
  inputs: PropertyMap;
  failures: CheckFailure[];
}

/** In previews values may be unknown. */
export interface CheckRequest {
  preview: boolean;
  urn: string;
  /** Empty if the resource is new. */
  olds: PropertyMap;
  news: PropertyMap;
}

export type DiffKind = `${"add" | "delete" | "update"}${"" | "-replace"}`;

/** How one property differs. */
export interface PropertyDiff {
  kind: DiffKind;
  /** Whether it compares old inputs with new inputs, not old outputs with new inputs. */
  inputDiff: boolean;
}

export interface ProviderDiff {
  /** Undefined: the provider leaves the comparison to the engine. */
  changes: boolean | undefined;
  replaceKeys: string[];
  changedKeys: string[];
  deleteBeforeReplace: boolean;
  /** By property path. Undefined: the provider does not report it. */
  detailed: ReadonlyMap<string, PropertyDiff> | undefined;
}

/** Whether the difference requires a replacement. */
export function replaces({ replaceKeys, detailed }: ProviderDiff): boolean {
  const kinds = [...(detailed?.values() ?? [])].map(({ kind }) => kind);
  return replaceKeys.length > 0 || kinds.some((kind) => kind.endsWith("-replace"));
}

export interface DiffRequest {
  urn: string;
  id: string;
  oldInputs: PropertyMap;
  oldOutputs: PropertyMap;
  newInputs: PropertyMap;
  ignoreChanges: string[];
}

/** The provider cannot compare before the update: its own configuration is unknown. */
export class DiffUnavailable extends Error {
  override name = "DiffUnavailable";
}

export interface CreateRequest {
  urn: string;
  inputs: PropertyMap;
  preview: boolean;
  /** In seconds; 0 for the provider's own. */
  timeout: number;
}

export interface UpdateRequest extends DiffRequest {
  preview: boolean;
  timeout: number;
}

export interface ReadRequest {
  urn: string;
  id: string;
  inputs: PropertyMap;
  state: PropertyMap;
  timeout: number;
}

/** Without an id, or without outputs, the resource is gone. */
export interface ReadResult {
  id: string;
  outputs: PropertyMap | undefined;
  inputs: PropertyMap | undefined;
}

export interface DeleteRequest {
  urn: string;
  id: string;
  inputs: PropertyMap;
  outputs: PropertyMap;
  timeout: number;
}

export interface InvokeRequest {
  token: string;
  args: PropertyMap;
  preview: boolean;
}

/** A component that its plugin registers with its resources. */
export interface ComponentRequest {
  /** All but the inputs. */
  message: providerPb.ConstructRequest;
  inputs: PropertyMap;
}

/** A component that its plugin has registered. */
export interface Constructed {
  urn: string;
  state: PropertyMap;
  /** The URNs behind each property. */
  dependencies: ReadonlyMap<string, string[]>;
}

/** The state of a resource after an operation on it failed halfway. */
interface PartialState {
  id: string;
  properties: PropertyMap;
  inputs: PropertyMap | undefined;
  reasons: string[];
}

interface FailedCall {
  /** The effect on the resource is unknown. */
  unsure?: boolean;
  partial?: PartialState;
}

/** A failed call. With `partial` the resource exists. */
export class ProviderError extends Error {
  override name = "ProviderError";
  readonly unsure: boolean;
  readonly partial: PartialState | undefined;
  constructor(message: string, { unsure = false, partial }: FailedCall = {}) {
    super(message);
    this.unsure = unsure;
    this.partial = partial;
  }
}

export interface Provider {
  check(request: CheckRequest): Promise<Checked>;
  diff(request: DiffRequest): Promise<ProviderDiff>;
  create(request: CreateRequest): Promise<{ id: string; outputs: PropertyMap }>;
  update(request: UpdateRequest): Promise<PropertyMap>;
  read(request: ReadRequest): Promise<ReadResult>;
  delete(request: DeleteRequest): Promise<void>;
  invoke(request: InvokeRequest): Promise<{ result: PropertyMap; failures: CheckFailure[] }>;
  /** @returns undefined if the provider's configuration is unknown: the engine registers the component alone */
  construct(request: ComponentRequest): Promise<Constructed | undefined>;
}
