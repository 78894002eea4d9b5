/**
 * The model area as resources use it: one method a call, typed, without HTTP. `Client.models` in client.ts makes one;
 * every method fails with an `ApiError` and nothing else.
 */
import type { CreatedTable, CreateTableRequest, ModelFile, Server, Table } from "./model-schemas.ts";
import type { ServerFilter } from "./model-types.ts";
import type { Deleted, Operation } from "./organization.ts";

/** The model area, seen with one key. */
export interface ModelApi {
  /** A failure is an error, never an empty list. */
  listServers(filter: ServerFilter, operation: Operation): Promise<Server[]>;
  listModelFiles(modelId: string, operation: Operation): Promise<ModelFile[]>;
  deleteServer(serverId: string, operation: Operation): Promise<Deleted>;
  /** A failure is an error, never an empty list. */
  listTables(operation: Operation): Promise<Table[]>;
  createTable(table: CreateTableRequest, operation: Operation): Promise<CreatedTable>;
}
