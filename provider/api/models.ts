/**
 * The interface of the model area for resources: one method per call, without HTTP. `Client.models` in client.ts
 * implements it. Methods throw only `ApiError`.
 */
import type { CreatedTable, CreateTableRequest, ModelFile, Server, Table } from "./model-schemas.ts";
import type { ServerFilter } from "./model-types.ts";
import type { Deleted, TimeLimit } from "./organization.ts";

/** The model area, with one API key. */
export interface ModelApi {
  /** A failed read is an error, never an empty list. */
  listServers(filter: ServerFilter, operation: TimeLimit): Promise<Server[]>;
  listModelFiles(modelId: string, operation: TimeLimit): Promise<ModelFile[]>;
  deleteServer(serverId: string, operation: TimeLimit): Promise<Deleted>;
  /** A failed read is an error, never an empty list. */
  listTables(operation: TimeLimit): Promise<Table[]>;
  createTable(table: CreateTableRequest, operation: TimeLimit): Promise<CreatedTable>;
}
