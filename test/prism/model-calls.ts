/** Every call of the model area as it succeeds, and every error that the service has for it. */
import { expect } from "vitest";
import { addModel } from "../lifecycle/model-lifecycles.ts";
import type { Failing } from "./calls.ts";
import type { Watched } from "./watched.ts";

const NOBODY = "0b5c9a2e-1d7f-4c3a-9e2b-7d1f0a6b4c8d";
const serverConfig = { modelFileName: "tiny.gguf", loadParams: { contextLength: 512 } };
const table = {
  name: "papers",
  schema: { columns: [{ name: "id", type: "int", constraints: ["PRIMARY KEY"] }] },
};

export async function everyCallOfModelArea(watched: Watched): Promise<void> {
  const { models, operation } = watched.client;
  const { modelId, fileId } = await addModel(watched);
  await models.listModels(undefined, operation);
  await models.getModel(modelId, operation);
  await models.listModelFiles(modelId, operation);
  const file = { modelId, fileId };
  await models.getModelFile(file, operation);
  expect(await models.deleteModelFile(file, operation)).toBe("deleted");
  await models.changeModelFile(file, "start", operation);
  await models.changeModelFile(file, "pause", operation);
  await models.changeModelFile(file, "resume", operation);
  await watched.organization.service.management.advance(20_000);
  expect(await models.listModelFiles(modelId, operation, true)).toMatchObject([{ isDownloaded: true }]);
  const id = await newServer(watched, false);
  await models.moveServer(id, "start", operation);
  await reaches(watched, id, "running");
  await models.moveServer(id, "start", operation);
  expect(await models.listServers({ fileId, status: "running" }, operation)).toMatchObject([{ id }]);
  await models.moveServer(id, "stop", operation);
  await reaches(watched, id, "stopped");
  expect(await models.deleteServer(id, operation)).toBe("deleted");
  await models.createVectorDatabase(operation);
  await models.createTable({ ...table, data: [{ id: 1 }] }, operation);
  expect(await models.listTables(operation)).toMatchObject([{ name: table.name }]);
  expect(await models.deleteTable(table.name, operation)).toBe("deleted");
  await models.moveVectorDatabase(false, operation);
  await models.moveVectorDatabase(true, operation);
}

/** What the service refuses, with the status. */
export const modelErrors: readonly (readonly [name: string, status: number, Failing])[] = [
  ["get model", 404, ({ client: { models, operation } }) => models.getModel("no-model", operation)],
  [
    "list model files",
    404,
    ({ client: { models, operation } }) => models.listModelFiles("no-model", operation),
  ],
  [
    "create server of an unknown model",
    404,
    ({ client: { models, operation } }) =>
      models.createServer({ serverConfig: { modelFileName: "no.gguf" } }, operation),
  ],
  [
    "get model file",
    404,
    ({ client: { models, operation } }) =>
      models.getModelFile({ modelId: "no-model", fileId: "no-file" }, operation),
  ],
  [
    "start download that is complete",
    400,
    async (watched) => {
      const { models, operation } = watched.client;
      return models.changeModelFile(await addModel(watched), "start", operation);
    },
  ],
  ["get server", 404, ({ client: { models, operation } }) => models.getServer(NOBODY, operation)],
  ["start server", 404, ({ client: { models, operation } }) => models.moveServer(NOBODY, "start", operation)],
  [
    "delete server that runs",
    409,
    async (watched) => {
      const { models, operation } = watched.client;
      await addModel(watched);
      const id = await newServer(watched, true);
      return models.deleteServer(id, operation);
    },
  ],
  [
    "list tables of a database that does not run",
    404,
    async ({ client: { models, operation } }) => {
      await models.createVectorDatabase(operation);
      await models.moveVectorDatabase(false, operation);
      return models.listTables(operation);
    },
  ],
  [
    "create table twice",
    409,
    async ({ client: { models, operation } }) => {
      await models.createVectorDatabase(operation);
      await models.createTable(table, operation);
      return models.createTable(table, operation);
    },
  ],
  [
    "create table of an unknown type",
    400,
    async ({ client: { models, operation } }) => {
      await models.createVectorDatabase(operation);
      return models.createTable(
        { name: "odd", schema: { columns: [{ name: "a", type: "nothing" }] } },
        operation,
      );
    },
  ],
];

/** What a removal finds gone: a 404. */
export const modelAbsent: readonly (readonly [name: string, Failing])[] = [
  [
    "delete model file",
    ({ client: { models, operation } }) =>
      models.deleteModelFile({ modelId: "no-model", fileId: "no-file" }, operation),
  ],
  ["delete server", ({ client: { models, operation } }) => models.deleteServer(NOBODY, operation)],
  [
    "delete table",
    async ({ client: { models, operation } }) => {
      await models.createVectorDatabase(operation);
      return models.deleteTable("nothing", operation);
    },
  ],
];

/** @returns the id, which only the list shows */
async function newServer(
  { client: { models, operation } }: Watched,
  startServerOnCreate: boolean,
): Promise<string> {
  await models.createServer({ serverConfig, startServerOnCreate }, operation);
  const [server] = await models.listServers({}, operation);
  return server?.id ?? "";
}

/** A server takes up to 20 seconds by the service's clock. */
async function reaches(
  { client: { models, operation }, organization }: Watched,
  id: string,
  status: string,
): Promise<void> {
  await organization.service.management.advance(20_000);
  expect(await models.getServer(id, operation)).toMatchObject({ status });
}
