/** What a program asks for when it registers a resource. */
import type { PropertyMap } from "../values.ts";

/** Another name the resource may be known under: a whole URN, or the parts of it that differ. */
export type Alias =
  | { urn: string }
  | { name: string; type: string; stack: string; project: string; parent: string; noParent: boolean };

export interface Goal {
  type: string;
  name: string;
  custom: boolean;
  properties: PropertyMap;
  parent: string;
  provider: string;
  dependencies: string[];
  propertyDependencies: Record<string, string[]>;
  aliases: Alias[];
  protect: boolean | undefined;
  retainOnDelete: boolean | undefined;
  deleteBeforeReplace: boolean | undefined;
  ignoreChanges: string[];
  replaceOnChanges: string[];
  additionalSecretOutputs: string[];
  deletedWith: string;
  replaceWith: string[];
  importId: string;
  customTimeouts: Record<string, unknown> | undefined;
  sourcePosition: string;
  stackTrace: unknown[];
}

/** What a program asks for when it reads a resource it does not manage. */
export interface ReadGoal {
  id: string;
  type: string;
  name: string;
  parent: string;
  provider: string;
  properties: PropertyMap;
  dependencies: string[];
  additionalSecretOutputs: string[];
  sourcePosition: string;
}

/** A goal with nothing asked for but the resource itself. */
export function plainGoal(
  fields: Pick<Goal, "type" | "name" | "custom" | "properties"> & Partial<Goal>,
): Goal {
  return {
    parent: "",
    provider: "",
    dependencies: [],
    propertyDependencies: {},
    aliases: [],
    protect: undefined,
    retainOnDelete: undefined,
    deleteBeforeReplace: undefined,
    ignoreChanges: [],
    replaceOnChanges: [],
    additionalSecretOutputs: [],
    deletedWith: "",
    replaceWith: [],
    importId: "",
    customTimeouts: undefined,
    sourcePosition: "",
    stackTrace: [],
    ...fields,
  };
}
