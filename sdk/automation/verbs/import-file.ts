/**
 * Pulumi's bulk import file (`pulumi import --file`), and `orgseat import-file --from-stack`: the resources of a stack as its
 * entries, even of a stack whose resources the packaged plugin has made.
 */
import { CodedError } from "../../../provider/util/error-codes.ts";
import { dynamicToken, pluginToken, providerText } from "../../base/registration.ts";
import type { Engine } from "../engine/engine.ts";
import { isSecret } from "../engine/masked.ts";
import { nameOf, objectTypeOf, type Properties, type ResourceType } from "../plan/steps/steps.ts";
import {
  entriesOf,
  isLive,
  pendingOf,
  readState,
  type State,
  type StateEntry,
} from "../stacks/stack-state.ts";

/** One resource of the file. With outputs, Pulumi asks no provider for it. */
interface ImportEntry {
  readonly type: string;
  /** Unique in the file. */
  readonly name: string;
  /** The name in the program, if it differs. */
  readonly logicalName?: string;
  readonly id?: string;
  /** The `name` of another entry. */
  readonly parent?: string;
  readonly component?: true;
  readonly version?: string;
  readonly inputs?: Properties;
  readonly outputs?: Properties;
}

/** A component, or a resource with its object in the service. */
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

/** @throws if the stack does not exist, contains no orgseat resources, or an unfinished run */
export async function importFileOfStack(engine: Engine, stack: string, target: Target): Promise<ImportFile> {
  const exported = await engine.exportWithSecrets(stack);
  if (exported === undefined) throw new CodedError("not-found", `cannot find stack ${stack} in this project`);
  return importFileOf(importedFrom(stack, readState(stack, exported)), target);
}

/** Components of orgseat, and all that have resources of orgseat inside of them. */
export function importedFrom(stack: string, state: State): ImportedResource[] {
  const entries = entriesOf(state);
  const own = entries.filter((entry) => objectTypeOf(entry.type) !== undefined && entry.external !== true);
  refuseUnfinished(stack, state, own);
  const byUrn = new Map(entries.map((entry) => [entry.urn, entry]));
  const wanted = new Set([...own, ...entries.filter(isComponentOfOrgseat)].map(({ urn }) => urn));
  for (const urn of wanted) {
    const parent = byUrn.get(byUrn.get(urn)?.parent ?? "");
    if (parent === undefined || isRoot(parent)) continue;
    if (parent.custom === true && !wanted.has(parent.urn)) throw foreignParent(urn, parent.urn);
    wanted.add(parent.urn);
  }
  const found = entries.filter(({ urn }) => wanted.has(urn)).map((entry) => importedOf(entry, wanted));
  if (found.length > 0) return found;
  throw new CodedError(
    "cannot-adopt",
    `cannot write an import file: stack ${stack} contains no orgseat resources`,
  );
}

function importedOf(entry: StateEntry, wanted: ReadonlySet<string>): ImportedResource {
  const { urn, parent = "", id = "", inputs = {}, outputs = {} } = entry;
  const place = { key: urn, name: nameOf(urn), parent: wanted.has(parent) ? parent : undefined };
  const type = objectTypeOf(entry.type);
  if (type === undefined) return { ...place, content: { component: entry.type } };
  return { ...place, content: { type, id, inputs, outputs } };
}

function isComponentOfOrgseat({ type, custom }: StateEntry): boolean {
  return custom !== true && type.startsWith("orgseat:index:");
}

function isRoot({ type }: StateEntry): boolean {
  return type === "pulumi:pulumi:Stack";
}

/** The file has one object for each resource, and nothing that a run was doing. */
function refuseUnfinished(stack: string, state: State, own: readonly StateEntry[]): void {
  const unfinished = [
    ...pendingOf(state).map(({ resource }) => resource.urn),
    ...own.filter((entry) => !isLive(entry)).map(({ urn }) => urn),
  ];
  if (unfinished.length === 0) return;
  throw new CodedError(
    "cannot-adopt",
    `cannot write an import file: an earlier run of stack ${stack} left unfinished operations on ${unfinished.map(nameOf).join(", ")}. Run \`pulumi up\` on that stack first`,
  );
}

function foreignParent(urn: string, parent: string): Error {
  return new CodedError(
    "cannot-adopt",
    `cannot write an import file: ${nameOf(urn)} has the parent ${nameOf(parent)}, a resource of another provider, which is not in the file. Set a different \`parent\` in the program of that stack, with an alias, and run \`pulumi up\` there first`,
  );
}

/** Whether the file has secrets in plain text. */
export function hasSecrets({ resources }: ImportFile): boolean {
  return resources.some(({ inputs = {}, outputs = {} }) =>
    [...Object.values(inputs), ...Object.values(outputs)].some(isSecret),
  );
}
