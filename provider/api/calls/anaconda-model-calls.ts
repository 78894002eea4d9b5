/** The calls of the model area on the platform `anaconda`, as data. */
import {
  createdServerSchema,
  createServerRequestSchema,
  downloadedQuerySchema,
  listedFilesSchema,
  listedServersSchema,
  listedTablesSchema,
  messageSchema,
  modelAnswerSchema,
  modelListSchema,
  moveServerRequestSchema,
  newTableSchema,
  serverAnswerSchema,
} from "../schemas/anaconda-model-schemas.ts";
import { call, calls, nothing } from "./calls.ts";

/** The parts of the model area that report their health. */
type Part = "models" | "servers" | "vector-db";

function healthOf<Name extends Part>(number: number, part: Name) {
  return call({
    number,
    name: `check health of ${part}`,
    method: "GET",
    path: `/api/${part}/health` as const,
    credential: "apiKey",
    answer: messageSchema,
    body: "optional",
    refusals: { 500: "it is not healthy" },
  });
}

export const anacondaModelCalls = {
  // Before the calls that have an id in the place of `health`.
  /** Responds if the address belongs to a model area. */
  checkModelArea: call({
    number: 30,
    name: "check model area",
    method: "GET",
    path: "/api",
    credential: "apiKey",
    answer: nothing,
    body: "none",
  }),
  checkModels: healthOf(31, "models"),
  checkServers: healthOf(32, "servers"),
  checkVectorDatabase: healthOf(33, "vector-db"),
  listModels: call({
    number: 19,
    name: "list models",
    method: "GET",
    path: "/api/models",
    credential: "apiKey",
    query: downloadedQuerySchema,
    answer: modelListSchema,
    refusals: { 500: "the models could not be read" },
  }),
  getModel: call({
    number: 20,
    name: "get model",
    method: "GET",
    path: "/api/models/{model_id}",
    credential: "apiKey",
    answer: modelAnswerSchema,
    refusals: { 404: "no such model", 500: "the model could not be read" },
  }),
  listModelFiles: call({ ...calls.listModelFiles, answer: listedFilesSchema }),
  listServers: call({ ...calls.listServers, answer: listedServersSchema }),
  /** The response repeats the request, without an id: only a list shows the new server. */
  createServer: call({
    number: 22,
    name: "create server",
    method: "POST",
    path: "/api/servers",
    credential: "apiKey",
    request: createServerRequestSchema,
    answer: createdServerSchema,
    body: "optional",
    refusals: {
      400: "the configuration is invalid",
      404: "no such model",
      500: "the server could not be created",
    },
  }),
  getServer: call({
    number: 23,
    name: "get server",
    method: "GET",
    path: "/api/servers/{server_id}",
    credential: "apiKey",
    answer: serverAnswerSchema,
    refusals: {
      400: "not an id of a server (INVALID_SERVER_ID)",
      404: "no such server",
      500: "the server could not be read",
    },
  }),
  moveServer: call({
    number: 24,
    name: "start or stop server",
    method: "PATCH",
    path: "/api/servers/{server_id}",
    credential: "apiKey",
    request: moveServerRequestSchema,
    answer: nothing,
    body: "optional",
    accepted: "the server is already in that state, or on its way there",
    refusals: {
      400: "INVALID_SERVER_ID: not an id of a server; SERVER_RUNNING, SERVER_NOT_RUNNING: the action does not fit the status",
      404: "no such server",
      500: "the server could not be started or stopped",
    },
  }),
  deleteServer: calls.deleteServer,
  listTables: call({ ...calls.listTables, answer: listedTablesSchema }),
  createTable: call({
    ...calls.createTable,
    answer: newTableSchema,
    refusals: {
      400: "INVALID_REQUEST: the database refuses the schema or the rows; DATABASE_NOT_RUNNING: it does not run",
      409: "a table of that name exists",
      500: "the table could not be created",
    },
  }),
  deleteTable: call({
    number: 27,
    name: "delete table",
    method: "DELETE",
    path: "/api/vector-db/tables/{name}",
    credential: "apiKey",
    answer: messageSchema,
    body: "optional",
    refusals: { 404: "no such table, or gone already", 500: "the table could not be deleted" },
  }),
} as const;
