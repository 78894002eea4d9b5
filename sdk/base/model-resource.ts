/** The common inputs of the resources of the model area, and the types of their outputs. */
import type * as pulumi from "@pulumi/pulumi";

/** The credential of the model area: its API key, a UUID. */
export interface ModelCredentials {
  apiKey: pulumi.Input<string>;
}

/** The inputs of every resource of the model area. */
export interface ModelResourceArgs {
  /** The API key. Default: `orgseat:apiKey`. A change updates, without a request. */
  credentials?: pulumi.Input<ModelCredentials>;
}

/** The model file of a server, from "list servers". */
export interface ServedFile {
  id?: string | null | undefined;
  name?: string | null | undefined;
  localPath?: string | null | undefined;
  isDownloaded?: boolean | null | undefined;
  quantization?: string | null | undefined;
}

/** The configuration of a server, from "list servers". The service defines the fields of the parameters. */
export interface ServerConfig {
  /** Empty if the service does not return it. */
  modelFileName: string;
  apiParams?: Record<string, unknown> | null | undefined;
  loadParams?: Record<string, unknown> | null | undefined;
  inferParams?: Record<string, unknown> | null | undefined;
  logsDir?: string | null | undefined;
}

/** The address on which a server listens. */
export interface ServerAddress {
  host?: string | null | undefined;
  port?: number | null | undefined;
}
