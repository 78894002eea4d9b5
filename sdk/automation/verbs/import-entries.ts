/** The entries of Pulumi's bulk import file (`pulumi import --file`). Pure. */
import { dynamicToken, pluginToken, providerText } from "../../base/registration.ts";
import type { Properties, ResourceType } from "../plan/steps/steps.ts";

/** One resource of the file. With outputs, Pulumi asks no provider for it. */
interface ImportEntry {
  readonly type: string;
  /** Unique in the file. */
  readonly name: string;
  /** The name in the program, where it is another one. */
  readonly logicalName?: string;
  readonly id?: string;
  /** The `name` of another entry. */
  readonly parent?: string;
  readonly component?: true;
  readonly version?: string;
  readonly inputs?: Properties;
  readonly outputs?: Properties;
}

/** A component, or a resource with its object at the service. */
export interface ImportedResource {
  /** Unique, such as its URN. */
  readonly key: string;
  /** The name in the program. */
  readonly name: string;
  /** The key of the parent; undefined for the stack. */
  readonly parent: string | undefined;
  readonly content: { readonly component: string } | ImportedObject;
}

interface ImportedObject {
  readonly type: ResourceType;
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/** Dynamic resources, or the types of the packaged plugin of this version. */
export type Target = "dynamic" | { readonly pluginVersion: string };

export interface ImportFile {
  readonly resources: readonly ImportEntry[];
}

export function importFileOf(resources: readonly ImportedResource[], target: Target): ImportFile {
  const names = uniqueNames(resources);
  const entries = resources.map(({ key, name: logicalName, parent, content }) => {
    const name = names.get(key) ?? logicalName;
    const place = {
      name,
      ...(name !== logicalName && { logicalName }),
      ...(parent !== undefined && { parent: names.get(parent) ?? parent }),
    };
    if ("component" in content) return { type: content.component, ...place, component: true as const };
    return { ...place, ...entryOf(content, target) };
  });
  return { resources: entries };
}

function entryOf({ type, id, inputs, outputs }: ImportedObject, target: Target) {
  if (target !== "dynamic") {
    const { pluginVersion: version } = target;
    return {
      ...{ type: pluginToken(type), id, version },
      ...{ inputs: withoutText(inputs), outputs: withoutText(outputs) },
    };
  }
  const text = { __provider: providerText(type) };
  return { type: dynamicToken(type), id, inputs: { ...inputs, ...text }, outputs: { ...outputs, ...text } };
}

function withoutText({ __provider: _, ...properties }: Properties): Properties {
  return properties;
}

/** Pulumi refuses a parent whose name two entries have. */
function uniqueNames(resources: readonly ImportedResource[]): Map<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { key, name } of resources) {
    let unique = name;
    for (let count = 2; taken.has(unique); count++) unique = `${name} (${count})`;
    taken.add(unique);
    names.set(key, unique);
  }
  return names;
}
