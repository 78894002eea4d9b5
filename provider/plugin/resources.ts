/** The resources that the plugin serves: the methods of dynamic providers, and what previews and states need besides. */
import type { dynamic } from "@pulumi/pulumi";
import { definitions } from "../definitions.ts";
import { type AnyDefinition, commonOutputs } from "../resources/resource.ts";
import { type ResourceType, resourceTypes, secretOutputs } from "../resources/resource-types.ts";
import { UNKNOWN_MARKER } from "../resources/unknown.ts";
import { DynamicProvider } from "../runtime/dynamic.ts";
import type { ProviderProcess } from "../runtime/process.ts";
import type { Props } from "./wire.ts";

export interface ServedResource {
  readonly type: ResourceType;
  readonly methods: Required<dynamic.ResourceProvider>;
  /** The keys that are secrets in inputs and outputs. */
  readonly secrets: readonly string[];
  /** The outputs in the preview of a creation. */
  previewCreate(news: Props): Props;
  /** The outputs in the preview of an update. */
  previewUpdate(olds: Props, news: Props): Props;
}

/** The resources by type token. */
export function servedResources(process: ProviderProcess): ReadonlyMap<string, ServedResource> {
  return new Map(resourceTypes.map((type) => [`orgseat:index:${type}`, serve(definitions[type], process)]));
}

/** Outputs that are for this provider alone: programs do not see them. */
const INTERNAL = [...Object.keys(commonOutputs), "instance", "held"];

function serve(definition: AnyDefinition, process: ProviderProcess): ServedResource {
  const computed = Object.keys(definition.outputs.shape).filter(
    (key) => !(key in definition.inputs) && !INTERNAL.includes(key),
  );
  const methods = new DynamicProvider(definition, process);
  return {
    type: definition.name,
    methods,
    secrets: ["credentials", ...secretOutputs[definition.name]],
    previewCreate: (news) => ({ ...news, ...unknownValues(computed) }),
    previewUpdate(olds, news) {
      const stable = methods.stableOutputs(olds, news);
      return {
        ...news,
        ...pick(olds, stable),
        ...unknownValues(computed.filter((key) => !stable.includes(key))),
      };
    },
  };
}

function pick(props: Props, keys: readonly string[]): Props {
  return Object.fromEntries(keys.map((key) => [key, props[key]]));
}

function unknownValues(keys: readonly string[]): Props {
  return Object.fromEntries(keys.map((key) => [key, UNKNOWN_MARKER]));
}
