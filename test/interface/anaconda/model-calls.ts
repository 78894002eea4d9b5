/** The calls of the model area in the platform `anaconda`, typed by hand like those of calls.ts. */
import { z } from "zod";
import type { WireCall } from "./calls.ts";

const MODEL = "/models/at/home";
const ID = "5f0c7d2e-1b3a-4c5d-8e9f-0a1b2c3d4e5f";
const deleted = () => "deleted";
const nothing = () => undefined;
const fileNeeds = ["id", "name", "sizeBytes"].map((name) => `data.${name}`);
const model = {
  ...{ id: "m1", name: "tiny" },
  metadata: {
    ...{ numParameters: "8B", contextWindowSize: 4096, trainedFor: "text-generation", description: "small" },
    ...{ license: "mit", publisher: "acme" },
    files: [
      {
        ...{ id: "f1", name: "a.gguf", downloadUrl: "https://models.example/a", sizeBytes: 7.5 },
        ...{ sha256checksum: "ab", quantization: "Q4", format: "gguf", maxRamUsage: 9.25 },
        ...{ isDownloaded: true, localPath: "/models/a.gguf" },
      },
    ],
  },
};
const table = { name: "papers", schema: { columns: [{ name: "id", type: "int" }] } };

/** The id is the one of the request. */
const withId =
  (id: string, more: object = {}) =>
  (content: unknown): unknown => ({ ...z.record(z.string(), z.unknown()).parse(content), id, ...more });

/** Calls about models and their files. */
const modelFileCalls: readonly WireCall[] = [
  {
    name: "list models",
    make: ({ models, operation }) => models.listModels(undefined, operation),
    request: `GET ${MODEL}/api/models`,
    least: () => [],
  },
  {
    name: "list models, of those that are downloaded",
    make: ({ models, operation }) => models.listModels(true, operation),
    request: `GET ${MODEL}/api/models?downloaded=true`,
    least: () => [],
  },
  {
    name: "get model",
    make: ({ models, operation }) => models.getModel("m1", operation),
    request: `GET ${MODEL}/api/models/m1`,
    response: { data: model },
    least: () => ({ id: "m1" }),
  },
  {
    name: "list model files",
    make: ({ models, operation }) => models.listModelFiles("m1", operation),
    request: `GET ${MODEL}/models/m1/files`,
    needs: fileNeeds,
    costs: fileNeeds.filter((path) => path !== "data"),
    least: () => [],
  },
];

export const modelCalls: readonly WireCall[] = [
  ...modelFileCalls,
  {
    name: "list servers",
    make: ({ models, operation }) =>
      models.listServers({ fileId: "f1", tag: "nightly", port: 8080, status: "errored" }, operation),
    request: `GET ${MODEL}/api/servers?fileId=f1&tag=nightly&port=8080&status=errored`,
    response: { data: [{ status: "ERROR" }, {}] },
    reads: () => [{ status: "errored" }, {}],
    least: () => [],
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
    reads: nothing,
  },
  {
    name: "get server",
    make: ({ models, operation }) => models.getServer(ID, operation),
    request: `GET ${MODEL}/api/servers/${ID}`,
    reads: withId(ID, { status: "starting" }),
    least: () => ({ id: ID }),
  },
  {
    name: "start or stop server",
    make: ({ models, operation }) => models.moveServer(ID, "stop", operation),
    request: `PATCH ${MODEL}/api/servers/${ID}`,
    body: '{"action":"stop"}',
    status: 200,
    reads: nothing,
  },
  {
    name: "start or stop server, in that state already",
    make: ({ models, operation }) => models.moveServer(ID, "start", operation),
    request: `PATCH ${MODEL}/api/servers/${ID}`,
    body: '{"action":"start"}',
    status: 202,
    reads: nothing,
  },
  {
    name: "delete server",
    make: ({ models, operation }) => models.deleteServer(ID, operation),
    request: `DELETE ${MODEL}/api/servers/${ID}`,
    reads: deleted,
  },
  {
    name: "list tables",
    make: ({ models, operation }) => models.listTables(operation),
    request: `GET ${MODEL}/api/vector-db/tables`,
    response: [{ ...table, numRows: 2 }],
    leastResponse: ["papers", {}, { table: "papers" }],
    least: () => [{ name: "papers" }, { name: null }, { name: null }],
  },
  {
    name: "create table",
    make: ({ models, operation }) => models.createTable({ ...table, data: [{ id: 1 }] }, operation),
    request: `POST ${MODEL}/api/vector-db/tables`,
    body: '{"name":"papers","schema":{"columns":[{"name":"id","type":"int"}]},"data":[{"id":1}]}',
    least: () => ({}),
  },
  {
    name: "delete table",
    make: ({ models, operation }) => models.deleteTable("papers", operation),
    request: `DELETE ${MODEL}/api/vector-db/tables/papers`,
    reads: deleted,
  },
];
