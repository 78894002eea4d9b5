/** The resources that the plugin serves: the methods of dynamic providers, and what previews and states need besides. */
import type { dynamic } from "@pulumi/pulumi";
import { definitions } from "../definitions.ts";
import { commonOutputs, type ResourceDefinition } from "../resources/resource.ts";
import { UNKNOWN_MARKER } from "../resources/unknown.ts";
import { dynamicProvider } from "../runtime/dynamic.ts";
import type { ProviderProcess } from "../runtime/process.ts";
import type { Props } from "./wire.ts";

export interface ServedResource {
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
  return new Map([
    serve(definitions.ServiceAccount, process),
    serve(definitions.OrgUser, process),
    serve(definitions.SeatAssignment, process),
    serve(definitions.UserToken, process),
    serve(definitions.Onboarding, process),
    serve(definitions.ModelServer, process),
    serve(definitions.ModelFile, process),
    serve(definitions.VectorTable, process),
    serve(definitions.VectorDatabase, process),
  ]);
}

/** Outputs that are for this provider alone: programs do not see them. */
const INTERNAL = [...Object.keys(commonOutputs), "instance"];

function serve<Inputs extends object, Outputs extends Inputs>(
  definition: ResourceDefinition<Inputs, Outputs>,
  process: ProviderProcess,
): [string, ServedResource] {
  const computed = Object.keys(definition.outputs.shape).filter(
    (key) => !(key in definition.inputs) && !INTERNAL.includes(key),
  );
  const stable: readonly string[] = definition.stableOutputs;
  return [
    `orgseat:index:${definition.name}`,
    {
      methods: dynamicProvider(definition, process),
      secrets: ["credentials", ...definition.secretOutputs],
      previewCreate: (news) => ({ ...news, ...unknownValues(computed) }),
      previewUpdate: (olds, news) => ({
        ...news,
        ...Object.fromEntries(stable.map((key) => [key, olds[key]])),
        ...unknownValues(computed.filter((key) => !stable.includes(key))),
      }),
    },
  ];
}

function unknownValues(keys: readonly string[]): Props {
  return Object.fromEntries(keys.map((key) => [key, UNKNOWN_MARKER]));
}
