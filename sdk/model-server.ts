import type * as pulumi from "@pulumi/pulumi";
import { BaseResource } from "./base-resource.ts";
import type { ModelResourceArgs, ServedFile, ServerAddress, ServerConfig } from "./model-resource.ts";

/** Inputs of a {@link ModelServer}. */
export interface ModelServerArgs extends ModelResourceArgs {
  /** The id of a server that exists; `getServers` lists them. Changing it replaces: the new one is found first. */
  serverId: pulumi.Input<string>;
  /**
   * What removal does: `delete` deletes the server, which must not run then; `keep` leaves it as it is. No default.
   * Updates without a call.
   */
  onDelete: pulumi.Input<"delete" | "keep">;
}

/**
 * A model server that exists, taken over by its id (calls 12 and 14); no call creates one. Its id is the server id.
 * Refresh reads it and notices that it is gone; what has changed there is no difference. An unknown id is an error that
 * names the servers there are. Removing it from the program deletes it or leaves it, as `onDelete` says; to delete one
 * that runs is an error, and it stays in the state.
 *
 * ```ts
 * const chat = new ModelServer("chat", { serverId: "3f0c…", onDelete: "keep" });
 * ```
 */
export class ModelServer extends BaseResource {
  declare readonly serverId: pulumi.Output<string>;
  declare readonly onDelete: pulumi.Output<"delete" | "keep">;
  /** Null, as the fields below, where the service does not say. */
  declare readonly tag: pulumi.Output<string | null>;
  declare readonly serverProcessId: pulumi.Output<number | null>;
  declare readonly modelFile: pulumi.Output<ServedFile | null>;
  declare readonly serverConfig: pulumi.Output<ServerConfig | null>;
  /** Where it listens. */
  declare readonly server: pulumi.Output<ServerAddress | null>;
  /** As it was at the last creation or refresh, in lower case: `running`, `stopped`, `starting`, … */
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
