import type * as pulumi from "@pulumi/pulumi";
import type { TableSchema } from "../provider/api/schemas/model-types.ts";
import type { ModelResourceArgs, OnDelete } from "./base/base-resource.ts";
import { BaseResource } from "./base/base-resource.ts";

/** A column of a {@link VectorTable}. */
export interface TableColumnArgs {
  /** 1 to 63 characters, unique in the table. */
  name: pulumi.Input<string>;
  /** A type in the syntax of the database, such as `text` or `vector(384)`. Only the database validates it. */
  type: pulumi.Input<string>;
  /** Constraints in the syntax of the database, such as `PRIMARY KEY` or `NOT NULL`. Default: none. */
  constraints?: pulumi.Input<pulumi.Input<string>[]>;
}

/** Inputs of a {@link VectorTable}. */
export interface VectorTableArgs extends ModelResourceArgs {
  /** 1 to 63 letters, digits, and underscores, not starting with a digit. A change is an error in the preview. */
  name: pulumi.Input<string>;
  /** The columns. Default: the service decides. A change is an error in the preview, which names the changed property. */
  schema?: pulumi.Input<{ columns: pulumi.Input<pulumi.Input<TableColumnArgs>[]> }>;
  /**
   * The first rows, each an object of columns and values. orgseat sends them when it creates the table, and never again:
   * a later change updates only the state, with a warning. You can omit them later. The state keeps their hash, not
   * the rows. Default: none.
   */
  data?: pulumi.Input<pulumi.Input<Record<string, unknown>>[]>;
  /**
   * Whether to adopt an existing table with this name as it is; `data` is then not sent. Default: false; then an existing
   * table is an error. Used on create; a later change updates only the state.
   */
  adopt?: pulumi.Input<boolean>;
  /**
   * What happens on removal: `delete` deletes the table with its rows, `retain` leaves it. Required on the platform
   * `anaconda`. The platform `basic` cannot delete tables, and refuses `delete`. A change updates only the state.
   */
  onDelete?: pulumi.Input<OnDelete>;
}

/**
 * A table of the vector database ("list tables", "create table"). The resource id is the table's name. A database that
 * does not run is an error. Refresh updates the outputs, and drops the resource if the table does not exist. No request
 * changes a table. Removal deletes or retains it, according to `onDelete`; on the platform `basic`, it only removes it
 * from the state, with a warning that the table stays.
 *
 * ```ts
 * const docs = new VectorTable("docs", {
 *   name: "docs",
 *   schema: { columns: [{ name: "id", type: "bigint", constraints: ["PRIMARY KEY"] }, { name: "at", type: "vector(3)" }] },
 *   data: [{ id: 1, at: "[1,0,0]" }],
 *   onDelete: "retain", // required in the platform `anaconda`
 * });
 * ```
 */
export class VectorTable extends BaseResource {
  /** The name, as declared. */
  declare readonly name: pulumi.Output<string>;
  /** The declared columns. */
  declare readonly schema: pulumi.Output<TableSchema | undefined>;
  /** The number of rows in the last response; null if the service does not return it. */
  declare readonly numRows: pulumi.Output<number | null>;
  /** The schema in the last response, in the syntax of the database; null if the service does not return it. */
  declare readonly actualSchema: pulumi.Output<TableSchema | null>;
  /** What happens on removal, as declared. */
  declare readonly onDelete: pulumi.Output<OnDelete | undefined>;
  /** Whether the table existed before and was adopted. */
  declare readonly adopted: pulumi.Output<boolean>;

  constructor(name: string, args: VectorTableArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, args, options);
  }
}

const definition = {
  type: "VectorTable",
  outputs: ["schema", "onDelete", "numRows", "actualSchema", "adopted"],
} as const;
