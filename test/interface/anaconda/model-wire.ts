/** The calls of the model area in the dialect `anaconda` as they stand on the wire, typed by hand like those of wire.ts. */
import type { WireCall } from "./wire.ts";

const MODEL = "/models/at/home";
const ID = "5f0c7d2e-1b3a-4c5d-8e9f-0a1b2c3d4e5f";
const END = "2027-06-30T23:59:59Z";

const leastFile = {
  ...{ id: "f1", name: "a.gguf", downloadUrl: "https://models.example/a", sizeBytes: 7.5 },
  ...{ sha256checksum: "ab", quantization: "Q4", format: "gguf", maxRamUsage: 9.25 },
};
const progress = {
  ...{ fileId: "f1", modelId: "m1", filename: "a.gguf", downloadedRatio: 0.5, transferredBytes: 3.75 },
  ...{ totalBytes: 7.5, paused: false, downloadTimeTaken: 2, averageMbps: 1.5 },
};
const download = { status: "in_progress", progress, localPath: "/models/a.gguf" };
const file = { ...leastFile, isDownloaded: false, downloadStatus: download };
const fileFields = (at: string) => [
  ...["id", "name", "sizeBytes"].map((name) => `${at}.${name}`),
  ...Object.keys(progress).map((name) => `${at}.downloadStatus.progress.${name}`),
];
const metadata = {
  ...{ numParameters: "8B", contextWindowSize: 4096, trainedFor: "text-generation", description: "small" },
};
const quantization = { modelFileName: "a.gguf", method: "Q4", sizeBytes: 7.5, maxRamUsage: 9.25 };
const listedModel = { id: "m1", name: "tiny", metadata: { ...metadata, quantizations: [quantization] } };
const { contextWindowSize: _, ...leastMetadata } = listedModel.metadata;
const leastModel = { ...listedModel, metadata: leastMetadata };
const model = {
  ...{ id: "m1", name: "tiny" },
  metadata: {
    ...{ ...metadata, license: "mit", publisher: "acme" },
    files: [{ ...leastFile, isDownloaded: true, localPath: "/models/a.gguf" }],
  },
};

const server = {
  id: ID,
  status: "ERROR",
  tag: "nightly",
  modelFile: { id: "f1", name: "a.gguf", localPath: "/a", isDownloaded: true, quantization: "Q4" },
  serverConfig: { modelFileName: "a.gguf", apiParams: {}, loadParams: {}, inferParams: {}, logsDir: "logs" },
  server: { host: "10.0.0.7", port: 8080 },
  serverProcessId: 4711,
};
const readServer = { ...server, status: "errored" };
const database = {
  ...{ running: true, host: "10.0.0.7", port: 5432, database: "vectors" },
  ...{ user: "admin", password: "the password" },
};
const databaseFields = ["running", "host", "port", "database", "user", "password"].map(
  (name) => `data.${name}`,
);
const message = { data: { message: "done" } };
const nothing = { response: {}, result: undefined };
const F1 = { modelId: "m1", fileId: "f1" };
const table = { name: "papers", schema: { columns: [{ name: "id", type: "int" }] } };

/** Calls about models and their files. */
const modelFileCalls: readonly WireCall[] = [
  {
    name: "list models",
    make: ({ models, operation }) => models.listModels(undefined, operation),
    request: `GET ${MODEL}/api/models`,
    credential: "API key",
    success: 200,
    response: { data: [listedModel] },
    required: ["data.metadata.quantizations.modelFileName"],
    result: [listedModel],
    minimum: { response: { data: [leastModel] }, result: [leastModel] },
    errors: { 500: "service-failed" },
  },
  {
    name: "list models, of those that are downloaded, and there are none",
    make: ({ models, operation }) => models.listModels(true, operation),
    request: `GET ${MODEL}/api/models?downloaded=true`,
    credential: "API key",
    success: 200,
    response: {},
    result: [],
    errors: {},
  },
  {
    name: "get model",
    make: ({ models, operation }) => models.getModel("m1", operation),
    request: `GET ${MODEL}/api/models/m1`,
    credential: "API key",
    success: 200,
    response: { data: model },
    result: model,
    minimum: { response: {}, result: { id: "m1" } },
    errors: { 404: "refused", 500: "service-failed" },
  },
  {
    name: "list model files",
    make: ({ models, operation }) => models.listModelFiles("m1", operation),
    request: `GET ${MODEL}/models/m1/files`,
    credential: "API key",
    success: 200,
    response: { data: [file] },
    required: fileFields("data"),
    result: [file],
    minimum: { response: { data: [leastFile] }, result: [leastFile] },
    errors: { 404: "refused", 500: "service-failed" },
  },
  {
    name: "list model files, of those that are not downloaded",
    make: ({ models, operation }) => models.listModelFiles("m1", operation, false),
    request: `GET ${MODEL}/models/m1/files?downloaded=false`,
    credential: "API key",
    success: 200,
    response: {},
    result: [],
    errors: {},
  },
  {
    name: "get model file",
    make: ({ models, operation }) => models.getModelFile(F1, operation),
    request: `GET ${MODEL}/api/models/m1/files/f1`,
    credential: "API key",
    success: 200,
    response: { data: file },
    required: fileFields("data"),
    result: file,
    minimum: { response: {}, result: { id: "f1" } },
    errors: { 404: "refused", 500: "service-failed" },
  },
  {
    name: "change download",
    make: ({ models, operation }) => models.changeModelFile(F1, "start", operation),
    request: `PATCH ${MODEL}/api/models/m1/files/f1`,
    body: '{"action":"start"}',
    credential: "API key",
    success: 200,
    response: { data: download },
    required: Object.keys(progress).map((name) => `data.progress.${name}`),
    result: download,
    minimum: { response: { data: { status: "paused" } }, result: { status: "paused" } },
    errors: { 400: "refused", 404: "refused", 500: "service-failed" },
  },
  {
    name: "delete model file",
    make: ({ models, operation }) => models.deleteModelFile(F1, operation),
    request: `DELETE ${MODEL}/api/models/m1/files/f1`,
    credential: "API key",
    success: 200,
    response: message,
    result: "deleted",
    minimum: { response: {}, result: "deleted" },
    errors: { 404: "gone", 500: "service-failed" },
  },
];

const modelCalls: readonly WireCall[] = [
  {
    name: "list servers",
    make: ({ models, operation }) =>
      models.listServers({ fileId: "f1", tag: "nightly", port: 8080, status: "errored" }, operation),
    request: `GET ${MODEL}/api/servers?fileId=f1&tag=nightly&port=8080&status=errored`,
    credential: "API key",
    success: 200,
    response: { data: [server] },
    result: [readServer],
    minimum: { response: { data: [{}] }, result: [{}] },
    errors: { 500: "service-failed" },
  },
  {
    name: "create server",
    make: ({ models, operation }) =>
      models.createServer(
        { serverConfig: { modelFileName: "a.gguf", loadParams: { n: 1 } }, startServerOnCreate: true },
        operation,
      ),
    request: `POST ${MODEL}/api/servers`,
    body: '{"serverConfig":{"modelFileName":"a.gguf","loadParams":{"n":1}},"startServerOnCreate":true}',
    credential: "API key",
    success: 200,
    response: { data: { serverConfig: { modelFileName: "a.gguf" }, startServerOnCreate: true } },
    result: undefined,
    minimum: nothing,
    errors: { 400: "refused", 404: "refused", 500: "service-failed" },
  },
  {
    name: "get server",
    make: ({ models, operation }) => models.getServer(ID, operation),
    request: `GET ${MODEL}/api/servers/${ID}`,
    credential: "API key",
    success: 200,
    response: { data: server },
    result: readServer,
    minimum: { response: {}, result: { id: ID } },
    errors: { 400: "refused", 404: "refused", 500: "service-failed" },
  },
  {
    name: "start or stop server",
    make: ({ models, operation }) => models.moveServer(ID, "stop", operation),
    request: `PATCH ${MODEL}/api/servers/${ID}`,
    body: '{"action":"stop"}',
    credential: "API key",
    success: 200,
    response: { data: { id: ID, status: "stopped", startedAt: END, stoppedAt: END } },
    result: undefined,
    minimum: nothing,
    errors: { 400: "refused", 404: "refused", 500: "service-failed" },
  },
  {
    name: "start or stop server, in that state already",
    make: ({ models, operation }) => models.moveServer(ID, "start", operation),
    request: `PATCH ${MODEL}/api/servers/${ID}`,
    body: '{"action":"start"}',
    credential: "API key",
    success: 202,
    response: { data: { id: ID, status: "running" } },
    result: undefined,
    minimum: nothing,
    errors: {},
  },
  {
    name: "delete server",
    make: ({ models, operation }) => models.deleteServer(ID, operation),
    request: `DELETE ${MODEL}/api/servers/${ID}`,
    credential: "API key",
    success: 200,
    response: { data: { id: ID, status: "deleted", deletedAt: END } },
    result: "deleted",
    minimum: { response: {}, result: "deleted" },
    errors: { 400: "refused", 404: "gone", 409: "refused", 500: "service-failed" },
  },
  {
    name: "create vector database",
    make: ({ models, operation }) => models.createVectorDatabase(operation),
    request: `POST ${MODEL}/api/vector-db`,
    credential: "API key",
    success: 201,
    response: { data: database },
    required: databaseFields,
    result: database,
    minimum: nothing,
    errors: { 500: "service-failed" },
  },
  {
    name: "start or stop vector database",
    make: ({ models, operation }) => models.moveVectorDatabase(false, operation),
    request: `PATCH ${MODEL}/api/vector-db`,
    body: '{"running":false}',
    credential: "API key",
    success: 200,
    response: { data: { ...database, running: false } },
    required: databaseFields,
    result: { ...database, running: false },
    minimum: nothing,
    errors: { 400: "refused", 500: "service-failed" },
  },
  {
    name: "list tables",
    make: ({ models, operation }) => models.listTables(operation),
    request: `GET ${MODEL}/api/vector-db/tables`,
    credential: "API key",
    success: 200,
    response: [{ ...table, numRows: 2 }],
    result: [{ ...table, numRows: 2 }],
    minimum: {
      response: ["papers", {}, { table: "papers" }],
      result: [{ name: "papers" }, { name: null }, { name: null }],
    },
    errors: { 404: "refused", 500: "service-failed" },
  },
  {
    name: "create table",
    make: ({ models, operation }) => models.createTable({ ...table, data: [{ id: 1 }] }, operation),
    request: `POST ${MODEL}/api/vector-db/tables`,
    body: '{"name":"papers","schema":{"columns":[{"name":"id","type":"int"}]},"data":[{"id":1}]}',
    credential: "API key",
    success: 200,
    response: { data: { ...table, numRows: 1 } },
    result: { ...table, numRows: 1 },
    minimum: { response: {}, result: {} },
    errors: { 400: "refused", 409: "refused", 500: "service-failed" },
  },
  {
    name: "delete table",
    make: ({ models, operation }) => models.deleteTable("papers", operation),
    request: `DELETE ${MODEL}/api/vector-db/tables/papers`,
    credential: "API key",
    success: 200,
    response: message,
    result: "deleted",
    minimum: { response: {}, result: "deleted" },
    errors: { 404: "gone", 500: "service-failed" },
  },
];

export const modelWireCalls = [...modelFileCalls, ...modelCalls];
