/**
 * The interface of the model area for resources: one method per call, without HTTP. `areas.ts` implements it.
 * Methods throw only `ApiError`.
 */

import type { TimeLimit } from "../../util/instants.ts";
import type {
  CreatedTable,
  CreateServerRequest,
  ListedFile,
  Model,
  Server,
  Table,
} from "../schemas/anaconda-model-schemas.ts";
import type { CreateTableRequest } from "../schemas/model-schemas.ts";
import type { ServerFilter } from "../schemas/model-types.ts";
import type { DeleteAnswer } from "./organization.ts";

/** An object with the id under which it was requested: responses can omit it. */
export type Identified<T> = T & { readonly id: string };

/** The model area, with one API key. A call that the platform lacks throws `ApiError` `unsupported`. */
export interface ModelApi extends ModelCalls, ServerCalls, VectorCalls {}

/** Models and their files. */
export interface ModelCalls {
  /** @param downloaded only models whose files are downloaded, or are not; undefined: all */
  listModels(downloaded: boolean | undefined, operation: TimeLimit): Promise<Model[]>;
  /** With the id of the response, if it has one. */
  getModel(modelId: string, operation: TimeLimit): Promise<Identified<Model>>;
  listModelFiles(modelId: string, operation: TimeLimit): Promise<ListedFile[]>;
}

export interface ServerCalls {
  /** A failed read is an error, never an empty list. A server that cannot be read has no id. */
  listServers(filter: ServerFilter, operation: TimeLimit): Promise<Server[]>;
  /** @returns the id if the response contains it; otherwise only a list shows the new server */
  createServer(server: CreateServerRequest, operation: TimeLimit): Promise<string | undefined>;
  getServer(serverId: string, operation: TimeLimit): Promise<Identified<Server>>;
  /** Returns before the server has started or stopped. */
  moveServer(serverId: string, action: "start" | "stop", operation: TimeLimit): Promise<void>;
  deleteServer(serverId: string, operation: TimeLimit): Promise<DeleteAnswer>;
}

/** The tables of the vector database. */
export interface VectorCalls {
  /** A failed read is an error, never an empty list. A table whose form is unknown has no name. */
  listTables(operation: TimeLimit): Promise<Table[]>;
  createTable(table: CreateTableRequest, operation: TimeLimit): Promise<CreatedTable>;
  deleteTable(name: string, operation: TimeLimit): Promise<DeleteAnswer>;
}
