import type * as pulumi from "@pulumi/pulumi";
import type { ModelResourceArgs } from "./base/base-resource.ts";
import { BaseResource } from "./base/base-resource.ts";

/** Inputs of a {@link VectorDatabase}. */
export interface VectorDatabaseArgs extends ModelResourceArgs {
  /**
   * Whether the database runs. A change starts or stops it, and so does a database that refresh found in the other state.
   * Default: true.
   */
  running?: pulumi.Input<boolean>;
}

/**
 * The vector database of the API key ("create vector database", "start or stop vector database"). Each key has one, so
 * declare it once; the resource id is `vector-db`. The platform `basic` does not support this. Refresh finds out from
 * the list of tables whether it runs. No request deletes it: removal only removes it from the state, with a warning.
 *
 * ```ts
 * const database = new VectorDatabase("database");
 * const docs = new VectorTable("docs", { name: "docs", onDelete: "retain" }, { dependsOn: database });
 * ```
 */
export class VectorDatabase extends BaseResource {
  /** Whether it runs, in the last response. */
  declare readonly running: pulumi.Output<boolean>;
  /** Null if the service does not return it; the same applies to the following fields. */
  declare readonly host: pulumi.Output<string | null>;
  declare readonly port: pulumi.Output<number | null>;
  /** The name of the database. */
  declare readonly database: pulumi.Output<string | null>;
  declare readonly user: pulumi.Output<string | null>;
  /** A secret of the stack. */
  declare readonly password: pulumi.Output<string | null>;

  constructor(name: string, args: VectorDatabaseArgs = {}, options?: pulumi.CustomResourceOptions) {
    super(definition, name, { running: undefined, ...args }, options);
  }
}

const definition = {
  type: "VectorDatabase",
  outputs: ["host", "port", "database", "user", "password"],
  secretOutputs: ["password"],
  claims: [],
} as const;
