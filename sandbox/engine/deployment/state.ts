/** A resource of the state, and its form in the state file. */
import { z } from "zod";
import { parseReference } from "../urn.ts";
import { type Crypter, decodeMap, type PropertyMap } from "../values.ts";

const strings = z.array(z.string()).nullish();

export const resourceSchema = z.looseObject({
  urn: z.string(),
  custom: z.boolean(),
  type: z.string(),
  id: z.string().optional(),
  delete: z.boolean().optional(),
  external: z.boolean().optional(),
  inputs: z.record(z.string(), z.unknown()).nullish(),
  outputs: z.record(z.string(), z.unknown()).nullish(),
  parent: z.string().optional(),
  protect: z.boolean().optional(),
  taint: z.boolean().optional(),
  dependencies: strings,
  initErrors: strings,
  provider: z.string().optional(),
  propertyDependencies: z.record(z.string(), z.array(z.string()).nullable()).nullish(),
  pendingReplacement: z.boolean().optional(),
  additionalSecretOutputs: strings,
  aliases: strings,
  retainOnDelete: z.boolean().optional(),
  deletedWith: z.string().optional(),
  replaceWith: strings,
  ignoreChanges: strings,
  replaceOnChanges: strings,
  customTimeouts: z.record(z.string(), z.unknown()).nullish(),
  created: z.string().optional(),
  modified: z.string().optional(),
  sourcePosition: z.string().optional(),
  stackTrace: z.array(z.unknown()).nullish(),
});

export type ResourceJson = z.infer<typeof resourceSchema>;

/** The fields of a resource that code may set. */
type ResourceFields = Omit<ResourceState, "rest" | "copy" | "dependencyUrns" | "timeout" | "providerUrn">;

/** A resource's state. Identity matters: an old and a new state of one URN are two objects. */
export class ResourceState {
  urn: string;
  type: string;
  custom: boolean;
  id = "";
  inputs: PropertyMap = {};
  outputs: PropertyMap = {};
  parent = "";
  provider = "";
  protect = false;
  external = false;
  /** Replaced, but not yet deleted. */
  delete = false;
  /** Deleted, but not yet created again. */
  pendingReplacement = false;
  retainOnDelete = false;
  taint = false;
  dependencies: string[] = [];
  propertyDependencies: Record<string, string[]> = {};
  initErrors: string[] = [];
  additionalSecretOutputs: string[] = [];
  /** Former URNs of the resource in the state. */
  aliases: string[] = [];
  deletedWith = "";
  replaceWith: string[] = [];
  ignoreChanges: string[] = [];
  replaceOnChanges: string[] = [];
  customTimeouts: Record<string, unknown> | undefined;
  created: string | undefined;
  modified: string | undefined;
  sourcePosition = "";
  stackTrace: unknown[] = [];
  /** Other fields of the file, unchanged. */
  rest: Record<string, unknown> = {};

  constructor(fields: Pick<ResourceFields, "urn" | "type" | "custom"> & Partial<ResourceFields>) {
    this.urn = fields.urn;
    this.type = fields.type;
    this.custom = fields.custom;
    Object.assign(this, fields);
  }

  copy(changes: Partial<ResourceFields> = {}): ResourceState {
    const copy = new ResourceState({ ...this, ...changes });
    copy.rest = this.rest;
    return copy;
  }

  /** The URNs of the dependencies, without parent and provider. */
  dependencyUrns(): string[] {
    const urns = [
      ...this.dependencies,
      ...Object.values(this.propertyDependencies).flat(),
      ...this.replaceWith,
    ];
    if (this.deletedWith !== "") urns.push(this.deletedWith);
    return urns;
  }

  /** The timeout of an operation in seconds; 0 for the provider's own. */
  timeout(operation: "create" | "read" | "update" | "delete"): number {
    const seconds = this.customTimeouts?.[operation];
    return typeof seconds === "number" ? seconds : 0;
  }

  get providerUrn(): string {
    return this.provider === "" ? "" : parseReference(this.provider).urn;
  }
}

export function readResource(json: ResourceJson, crypter: Crypter): ResourceState {
  const { inputs, outputs, propertyDependencies, stackTrace, customTimeouts, ...given } = json;
  const known = new ResourceState({ urn: json.urn, type: json.type, custom: json.custom });
  const rest: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    if (key in known && key !== "rest") Object.assign(known, { [key]: value });
    else rest[key] = value;
  }
  known.inputs = decodeMap(inputs, crypter);
  known.outputs = decodeMap(outputs, crypter);
  known.propertyDependencies = Object.fromEntries(
    Object.entries(propertyDependencies ?? {}).map(([key, urns]) => [key, urns ?? []]),
  );
  known.stackTrace = stackTrace ?? [];
  known.customTimeouts = customTimeouts ?? undefined;
  known.rest = rest;
  return known;
}

type Encode = (properties: PropertyMap) => Record<string, unknown>;

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === false || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The JSON for the file, without empty fields, as the Pulumi CLI writes it. */
export function writeResource(state: ResourceState, encode: Encode): Record<string, unknown> {
  const { urn, type, custom, id, inputs, outputs, rest, ...fields } = state;
  const json: Record<string, unknown> = { urn, custom };
  if (id !== "") json.id = id;
  json.type = type;
  if (!isEmpty(inputs)) json.inputs = encode(inputs);
  if (!isEmpty(outputs)) json.outputs = encode(outputs);
  for (const [key, value] of Object.entries(fields)) if (!isEmpty(value)) json[key] = value;
  return Object.assign(json, rest);
}
