/** What the resource classes of the model area share: the key of its calls. */
import type * as pulumi from "@pulumi/pulumi";

/** The credential of calls 12 to 16: the key of the model area, a UUID. */
export interface ModelCredentials {
  apiKey: pulumi.Input<string>;
}

/** Inputs that every resource of the model area takes. */
export interface ModelResourceArgs {
  /** The key to use. Default: `orgseat:apiKey`. Updates without a call. */
  credentials?: pulumi.Input<ModelCredentials>;
}

/** The file that a server serves, as call 12 tells it. */
export interface ServedFile {
  id: string;
  name: string;
  localPath?: string | null | undefined;
  isDownloaded: boolean;
  quantization?: string | null | undefined;
}

/** How a server is configured, as call 12 tells it; the inner fields of the parameters are the service's own. */
export interface ServerConfig {
  modelFileName: string;
  apiParams?: Record<string, unknown> | null | undefined;
  loadParams?: Record<string, unknown> | null | undefined;
  inferParams?: Record<string, unknown> | null | undefined;
  logsDir?: string | null | undefined;
}

/** Where a server listens. */
export interface ServerAddress {
  host: string;
  port: number;
}

/** The columns of a table. Types and constraints are the database's own words: `vector(384)`, `PRIMARY KEY`. */
export interface TableSchema {
  columns: TableColumn[];
}
export interface TableColumn {
  name: string;
  type: string;
  constraints?: string[] | undefined;
}
