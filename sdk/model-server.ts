import type * as pulumi from "@pulumi/pulumi";
import type { ServerStatus } from "../provider/api/schemas/model-types.ts";
import type {
  ModelResourceArgs,
  OnDelete,
  ServedFile,
  ServerAddress,
  ServerConfig,
} from "./base/base-resource.ts";
import { BaseResource } from "./base/base-resource.ts";

interface ServerOptions extends ModelResourceArgs {
  /**
   * What happens on removal: `delete` deletes the server, which must be stopped; `retain` leaves it. Required. A change
   * updates only the state.
   */
  onDelete: pulumi.Input<OnDelete>;
  /**
   * Whether the server runs. A change starts or stops it, and so does a server that refresh found in the other state.
   * The operation waits until the server has started or stopped. The platform `basic` refuses it. Default: true for
   * a created server; an adopted one stays as it is.
   */
  running?: pulumi.Input<boolean>;
  /**
   * Whether removal stops a running server before it deletes it. Default: false; then a running server is an error. A
   * change updates only the state. The platform `basic` refuses it.
   */
  stopOnDelete?: pulumi.Input<boolean>;
}

/** An existing server. */
export interface AdoptedServerArgs extends ServerOptions {
  /**
   * The id of an existing server; `getModelServers` lists them. A change replaces the resource and finds the new server
   * first.
   */
  serverId: pulumi.Input<string>;
  serverConfig?: never;
}

/** The configuration of a new server. The service defines the fields of the parameters. */
export interface ServerConfigArgs {
  /** The name of a downloaded model file; `getModels` lists them. */
  modelFileName: pulumi.Input<string>;
  /** The parameters of the server's API. Default: the service decides. */
  apiParams?: pulumi.Input<Record<string, unknown>>;
  /** How the server loads the model. Default: the service decides. */
  loadParams?: pulumi.Input<Record<string, unknown>>;
  /** How the model answers. Default: the service decides. */
  inferParams?: pulumi.Input<Record<string, unknown>>;
  /** The folder of the server's logs. Default: the service decides. */
  logsDir?: pulumi.Input<string>;
}

/** A server that the resource creates. */
export interface CreatedServerArgs extends ServerOptions {
  /** A change replaces the server: the new one is created first. The platform `basic` refuses it. */
  serverConfig: pulumi.Input<ServerConfigArgs>;
  serverId?: never;
}

/** Inputs of a {@link ModelServer}: an existing server by its id, or a new one by its configuration. */
export type ModelServerArgs = AdoptedServerArgs | CreatedServerArgs;

/**
 * A model server: created from `serverConfig`, or an existing one, adopted by `serverId`. The platform `basic` can only
 * adopt. The resource id is the server id. An unknown id is an error that lists the servers. Refresh updates the outputs,
 * and drops the resource if the server does not exist; only a status other than `running` declares plans a change. Removal
 * deletes or retains the server, according to `onDelete`; a running server is stopped first with `stopOnDelete`, and is
 * otherwise an error and stays in the state.
 *
 * ```ts
 * const chat = new ModelServer("chat", { serverId: "3f0c…", onDelete: "retain" });
 * const search = new ModelServer("search", {
 *   serverConfig: { modelFileName: "tiny-q4.gguf" },
 *   onDelete: "delete",
 *   stopOnDelete: true,
 * });
 * ```
 */
export class ModelServer extends BaseResource {
  /** Undefined for a created server; its id is `id`. */
  declare readonly serverId: pulumi.Output<string | undefined>;
  /** Whether it is declared to run. */
  declare readonly running: pulumi.Output<boolean | undefined>;
  /** What happens on removal, as declared. */
  declare readonly onDelete: pulumi.Output<OnDelete>;
  /** Whether removal stops it first, as declared. */
  declare readonly stopOnDelete: pulumi.Output<boolean | undefined>;
  /** The tag. Null if the service does not return it; the same applies to the other fields of the service. */
  declare readonly tag: pulumi.Output<string | null>;
  /** The id of its process on the machine of the model area. */
  declare readonly serverProcessId: pulumi.Output<number | null>;
  /** The model file that it serves. */
  declare readonly modelFile: pulumi.Output<ServedFile | null>;
  /** The declared configuration, or the service's own for an adopted server. */
  declare readonly serverConfig: pulumi.Output<ServerConfig | null>;
  /** The address on which it listens. */
  declare readonly endpoint: pulumi.Output<ServerAddress | null>;
  /** The status at the last creation, update, or refresh, in lower case. */
  declare readonly status: pulumi.Output<ServerStatus | (string & {}) | null>;

  constructor(name: string, args: ModelServerArgs, options?: pulumi.CustomResourceOptions) {
    super(definition, name, args, options);
  }
}

const definition = {
  type: "ModelServer",
  outputs: [
    ...["serverId", "running", "stopOnDelete", "tag", "serverProcessId"],
    ...["modelFile", "serverConfig", "endpoint", "status"],
  ],
} as const;
