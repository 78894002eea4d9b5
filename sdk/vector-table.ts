import type * as pulumi from "@pulumi/pulumi";
import { BaseResource } from "./base-resource.ts";
import type { ModelResourceArgs, TableSchema } from "./model-resource.ts";

/** A column as a program gives it. */
export interface TableColumnArgs {
  /** 1 to 63 characters; no two columns have the same. */
  name: pulumi.Input<string>;
  /** A type in the database's own words, such as `text` or `vector(384)`; the database alone knows which there are. */
  type: pulumi.Input<string>;
  /** Such as `PRIMARY KEY` or `NOT NULL`, in the database's own words. Default: none. */
  constraints?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Inputs of a {@link VectorTable}. */
export interface VectorTableArgs extends ModelResourceArgs {
  /** 1 to 63 letters, digits and underscores, no digit first. A change is refused in the preview. */
  name: pulumi.Input<string>;
  /** The columns. Default: the service decides. A change is refused in the preview, with its place. */
  schema?: pulumi.Input<{ columns: pulumi.Input<pulumi.Input<TableColumnArgs>[]> }>;
  /**
   * The first rows, each an object of columns and values. They are sent when the table is made and never again: a later
   * change only warns, once, and they may be left out. The state keeps their hash, not the rows. Default: none.
   */
  data?: pulumi.Input<pulumi.Input<Record<string, unknown>>[]>;
  /**
   * Whether a table of this name that exists already is taken over as it is; `data` is then not sent. Default false:
   * that is an error. Used at creation; changing it later updates without a call.
   */
  adopt?: pulumi.Input<boolean>;
}

/**
 * A table of the vector database (calls 15 and 16). Its id is its name. Refresh reads it and notices that it is gone; a
 * database that does not run is an error. No call changes or deletes a table: removing it from the program only forgets
 * it, with a warning that it stays.
 *
 * ```ts
 * const docs = new VectorTable("docs", {
 *   name: "docs",
 *   schema: { columns: [{ name: "id", type: "bigint", constraints: ["PRIMARY KEY"] }, { name: "at", type: "vector(3)" }] },
 *   data: [{ id: 1, at: "[1,0,0]" }],
 * });
 * ```
 */
export class VectorTable extends BaseResource {
  declare readonly name: pulumi.Output<string>;
  declare readonly schema: pulumi.Output<TableSchema | undefined>;
  /** The rows in the table as the service said last; null where it does not say. */
  declare readonly numRows: pulumi.Output<number | null>;
  /** The schema as the service said last, in the database's words; null where it does not say. */
  declare readonly actualSchema: pulumi.Output<TableSchema | null>;
  /** Whether the table existed before and was taken over. */
  declare readonly adopted: pulumi.Output<boolean>;

  constructor(name: string, args: VectorTableArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, { schema: undefined, ...args }, options);
  }
}

const definition = {
  type: "VectorTable",
  provider: "vectorTable",
  outputs: ["numRows", "actualSchema", "adopted"],
  secretOutputs: [],
  claims: [{ property: "name", noun: "table", subject: "table" }],
} as const;
