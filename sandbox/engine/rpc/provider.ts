/** What the engine needs of a provider, whoever it is. */
import type { PropertyMap } from "../values.ts";

export interface CheckFailure {
  property: string;
  reason: string;
}

export interface Diff {
  /** Undefined: the provider leaves the comparison to the engine. */
  changes: boolean | undefined;
  replaceKeys: string[];
  changedKeys: string[];
  deleteBeforeReplace: boolean;
}

/** What is left of a resource after an operation on it failed halfway. */
export interface PartialState {
  id: string;
  properties: PropertyMap;
  inputs: PropertyMap | undefined;
  reasons: string[];
}

/** A failed call. With `partial` the resource exists nevertheless. */
export class ProviderError extends Error {
  override name = "ProviderError";
  readonly partial: PartialState | undefined;
  constructor(message: string, partial?: PartialState) {
    super(message);
    this.partial = partial;
  }
}

export interface Provider {
  check(
    urn: string,
    olds: PropertyMap,
    news: PropertyMap,
  ): Promise<{ inputs: PropertyMap; failures: CheckFailure[] }>;
  diff(request: {
    urn: string;
    id: string;
    oldInputs: PropertyMap;
    oldOutputs: PropertyMap;
    newInputs: PropertyMap;
    ignoreChanges: string[];
  }): Promise<Diff>;
  create(urn: string, inputs: PropertyMap): Promise<{ id: string; outputs: PropertyMap }>;
  update(request: {
    urn: string;
    id: string;
    oldInputs: PropertyMap;
    oldOutputs: PropertyMap;
    newInputs: PropertyMap;
    ignoreChanges: string[];
  }): Promise<PropertyMap>;
  /** Without an id in the answer the resource is gone. */
  read(request: {
    urn: string;
    id: string;
    inputs: PropertyMap;
    state: PropertyMap;
  }): Promise<{ id: string; outputs: PropertyMap; inputs: PropertyMap | undefined }>;
  delete(urn: string, id: string, inputs: PropertyMap, outputs: PropertyMap): Promise<void>;
}
