/** The registration of a resource by the program. */
import type { PropertyMap } from "../values.ts";

/** A former name of a resource: a whole URN, or the parts that differ. */
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

/** The read of a resource that the program does not manage. */
export type ReadGoal = { id: string } & Pick<
  Goal,
  | "type"
  | "name"
  | "parent"
  | "provider"
  | "properties"
  | "dependencies"
  | "additionalSecretOutputs"
  | "sourcePosition"
>;

/** A goal with the defaults of all options. */
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
