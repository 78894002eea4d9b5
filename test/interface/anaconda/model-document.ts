/** The operations and errors of the model area, typed by hand from its description. */
import {
  data,
  fields,
  flag,
  free,
  list,
  number,
  type Operations,
  oneOf,
  type Schema,
  text,
  whole,
} from "./schemas.ts";

const progress = fields({
  ...{ fileId: text, modelId: text, filename: text, downloadedRatio: number, transferredBytes: number },
  ...{ totalBytes: number, paused: flag, downloadTimeTaken: number, averageMbps: number },
});
const fileFields = {
  ...{ id: text, name: text, downloadUrl: text, sizeBytes: number, sha256checksum: text },
  ...{ quantization: text, format: text, maxRamUsage: number },
};
const modelFile = fields(fileFields, {
  isDownloaded: flag,
  downloadStatus: fields(
    {},
    { status: oneOf("not_started", "in_progress", "paused", "completed"), progress, localPath: text },
  ),
});
const numParameters: Schema = { type: ["number", "string"] };
const quantization = fields({ modelFileName: text, method: text, sizeBytes: number, maxRamUsage: number });
const listedModel = fields({
  ...{ id: text, name: text },
  metadata: fields(
    { numParameters, trainedFor: text, description: text, quantizations: list(quantization) },
    { contextWindowSize: number },
  ),
});
const model = fields(
  {},
  {
    ...{ id: text, name: text },
    metadata: fields(
      {},
      {
        ...{ numParameters, contextWindowSize: number, description: text, license: text },
        trainedFor: oneOf("text-generation", "sentence-similarity"),
        ...{ languages: list(text), last_updated: text, library_name: text, model_type: text },
        resources: fields({}, { canonicalUrl: text, paperUrl: text }),
        publisher: text,
        files: list(fields({}, { ...fileFields, isDownloaded: flag, localPath: text })),
      },
    ),
  },
);

const serverStatus = oneOf("STARTING", "RUNNING", "STOPPING", "STOPPED", "ERROR");
const serverConfig = fields(
  { modelFileName: text },
  { apiParams: free, loadParams: free, inferParams: free, logsDir: text },
);
const server = fields(
  {},
  {
    ...{ id: text, tag: text, status: serverStatus, serverProcessId: whole, serverConfig },
    server: fields({}, { host: text, port: whole }),
    modelFile: fields({}, { id: text, name: text, localPath: text, isDownloaded: flag, quantization: text }),
  },
);
/** The goal of the action, in lower case. */
const movedServer = fields(
  {},
  { id: text, status: oneOf("running", "stopped"), startedAt: text, stoppedAt: text },
);
const deletedServer = fields({}, { id: text, status: { const: "deleted" }, deletedAt: text });
const tableSchema = fields(
  {},
  { columns: list(fields({}, { name: text, type: text, constraints: list(text) })) },
);
const message = fields({}, { message: text });

export const modelError = fields(
  {},
  {
    error: fields(
      {},
      {
        message: text,
        code: oneOf(
          ...["INVALID_REQUEST", "DATABASE_NOT_RUNNING", "INTERNAL_SERVER_ERROR"],
          ...["INVALID_SERVER_ID", "SERVER_NOT_RUNNING", "SERVER_RUNNING"],
        ),
      },
    ),
  },
);

const serverFilter = oneOf("running", "stopped", "starting", "stopping", "errored", "unavailable");
export const modelArea: Operations = {
  "/api": { get: { success: { 200: undefined } } },
  "/api/models/health": { get: { success: { 200: data(message) } } },
  "/api/servers/health": { get: { success: { 200: data(message) } } },
  "/api/vector-db/health": { get: { success: { 200: data(message) } } },
  "/api/models": { get: { query: { downloaded: flag }, success: { 200: data(list(listedModel)) } } },
  "/api/models/{model_id}": { get: { success: { 200: data(model) }, errors: [404] } },
  "/models/{model_id}/files": {
    get: { success: { 200: data(list(modelFile)) }, errors: [404] },
  },
  "/api/servers": {
    get: {
      query: { fileId: text, tag: text, port: whole, host: text, status: serverFilter },
      success: { 200: data(list(server)) },
    },
    post: {
      body: fields({ serverConfig }, { startServerOnCreate: flag }),
      success: { 200: data(fields({ serverConfig }, { startServerOnCreate: flag })) },
      errors: [400, 404],
    },
  },
  "/api/servers/{server_id}": {
    get: { success: { 200: data(server) }, errors: [400, 404] },
    patch: {
      body: fields({ action: oneOf("start", "stop") }),
      success: { 200: data(movedServer), 202: data(movedServer) },
      errors: [400, 404],
    },
    delete: {
      success: { 200: data(deletedServer) },
      errors: [400, 404, 409],
    },
  },
  "/api/vector-db/tables": {
    get: {
      // The form of a table is not described.
      success: { 200: list({}) },
      errors: [404],
    },
    post: {
      body: fields({ name: text }, { schema: tableSchema, data: list(free) }),
      success: { 200: data(fields({ name: text, numRows: whole, schema: tableSchema })) },
      errors: [400, 409],
    },
  },
  "/api/vector-db/tables/{name}": {
    delete: { success: { 200: data(message) }, errors: [404] },
  },
};
