import type * as pulumi from "@pulumi/pulumi";
import { BaseResource } from "./base-resource.ts";
import type { ModelResourceArgs, ServedFile, ServerAddress, ServerConfig } from "./model-resource.ts";

/** Inputs of a {@link ModelServer}. */
export interface ModelServerArgs extends ModelResourceArgs {
  /**
   * The id of an existing server; `getServers` lists them. A change replaces the resource and finds the new server
   * first.
   */
  serverId: pulumi.Input<string>;
  /**
   * What removal does: `delete` deletes the server, which must be stopped then; `keep` retains it. Required. A change
   * updates, without a request.
   */
  onDelete: pulumi.Input<"delete" | "keep">;
}

/**
 * An existing model server, adopted by its id ("list servers", "delete server"); the API cannot create one. The
 * resource id is the server id. An unknown id is an error that lists the servers. Refresh updates the outputs, and drops
 * the resource if the server does not exist; a difference at the service never plans a change. Removal deletes or retains
 * the server, according to `onDelete`; a running server cannot be deleted: that is an error, and it stays in the state.
 *
 * ```ts
 * const chat = new ModelServer("chat", { serverId: "3f0c…", onDelete: "keep" });
 * ```
 */
export class ModelServer extends BaseResource {
  declare readonly serverId: pulumi.Output<string>;
  declare readonly onDelete: pulumi.Output<"delete" | "keep">;
  /** This field and those below are null if the service does not return them. */
  declare readonly tag: pulumi.Output<string | null>;
  declare readonly serverProcessId: pulumi.Output<number | null>;
  declare readonly modelFile: pulumi.Output<ServedFile | null>;
  declare readonly serverConfig: pulumi.Output<ServerConfig | null>;
  /** The address on which it listens. */
  declare readonly server: pulumi.Output<ServerAddress | null>;
  /** The status at the last creation or refresh, in lower case: `running`, `stopped`, `starting`, … */
  declare readonly status: pulumi.Output<string | null>;

  constructor(name: string, args: ModelServerArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, args, options);
  }
}

const definition = {
  type: "ModelServer",
  provider: "modelServer",
  outputs: ["tag", "serverProcessId", "modelFile", "serverConfig", "server", "status"],
  secretOutputs: [],
  claims: [{ property: "serverId", noun: "server", subject: "server" }],
} as const;
