/**
 * The interface of the model area for resources: one method per call, without HTTP. `Client.models` in client.ts
 * implements it. Methods throw only `ApiError`.
 */
import type { CreateServerRequest, Model, VectorDatabaseDetails } from "./anaconda-schemas.ts";
import type { CreatedTable, CreateTableRequest, ModelFile, Server, Table } from "./model-schemas.ts";
import type { ServerFilter } from "./model-types.ts";
import type { Deleted, TimeLimit } from "./organization.ts";

/** The model area, with one API key. A call that the dialect lacks throws `ApiError` `unsupported`. */
export interface ModelApi {
  /** A failed read is an error, never an empty list. */
  listServers(filter: ServerFilter, operation: TimeLimit): Promise<Server[]>;
  /** @param downloaded only models whose files are downloaded, or are not; undefined: all */
  listModels(downloaded: boolean | undefined, operation: TimeLimit): Promise<Model[]>;
  getModel(modelId: string, operation: TimeLimit): Promise<Model>;
  listModelFiles(modelId: string, operation: TimeLimit): Promise<ModelFile[]>;
  createServer(server: CreateServerRequest, operation: TimeLimit): Promise<Server>;
  getServer(serverId: string, operation: TimeLimit): Promise<Server>;
  /** Returns before the server has started or stopped. */
  moveServer(serverId: string, action: "start" | "stop", operation: TimeLimit): Promise<void>;
  deleteServer(serverId: string, operation: TimeLimit): Promise<Deleted>;
  /** A failed read is an error, never an empty list. */
  listTables(operation: TimeLimit): Promise<Table[]>;
  createTable(table: CreateTableRequest, operation: TimeLimit): Promise<CreatedTable>;
  deleteTable(name: string, operation: TimeLimit): Promise<Deleted>;
  createVectorDatabase(operation: TimeLimit): Promise<VectorDatabaseDetails>;
  /** Starts or stops the database. The only call that also shows the details of an existing one. */
  moveVectorDatabase(running: boolean, operation: TimeLimit): Promise<VectorDatabaseDetails>;
}
