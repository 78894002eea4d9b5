/** The model area: the messages of its calls. */

import { callsOf, supported } from "./area-calls.ts";
import type { Dialect } from "./calls/dialect.ts";
import type { FilePath, ModelApi, ModelCalls, ServerCalls, VectorCalls } from "./calls/models.ts";
import type { Credentials } from "./client/credentials.ts";
import type { Sender } from "./client/sender.ts";

export function modelApi(sender: Sender, dialect: Dialect, credentials: Credentials): ModelApi {
  const area: Area = { ...callsOf(sender, credentials), dialect };
  return { ...modelCalls(area), ...serverCalls(area), ...vectorCalls(area) };
}

interface Area extends ReturnType<typeof callsOf> {
  readonly dialect: Dialect;
}

/** The variables of a path without any. */
const none = {};

function modelCalls({ ask, remove, dialect }: Area): ModelCalls {
  const fileOf = ({ modelId, fileId }: FilePath) => ({ model_id: modelId, file_id: fileId });
  return {
    listModels: async (downloaded, operation) => {
      const message = { variables: none, query: { downloaded } };
      return (await ask(supported(dialect, "listModels"), message, operation)).data;
    },
    getModel: async (modelId, operation) => {
      const message = { variables: { model_id: modelId } };
      return { ...(await ask(supported(dialect, "getModel"), message, operation)).data, id: modelId };
    },
    listModelFiles: async (modelId, operation, downloaded) => {
      const message = { variables: { model_id: modelId }, query: { downloaded } };
      return (await ask(dialect.calls.listModelFiles, message, operation)).data;
    },
    getModelFile: async (file, operation) => {
      const message = { variables: fileOf(file) };
      return { ...(await ask(supported(dialect, "getModelFile"), message, operation)).data, id: file.fileId };
    },
    changeModelFile: async (file, action, operation) => {
      const message = { variables: fileOf(file), body: { action } };
      return (await ask(supported(dialect, "changeModelFile"), message, operation)).data;
    },
    deleteModelFile: (file, operation) =>
      remove(supported(dialect, "deleteModelFile"), fileOf(file), operation),
  };
}

function serverCalls({ ask, remove, dialect }: Area): ServerCalls {
  const { calls } = dialect;
  return {
    listServers: async (filter, operation) =>
      (await ask(calls.listServers, { variables: none, query: filter }, operation)).data,
    createServer: async (server, operation) => {
      await ask(supported(dialect, "createServer"), { variables: none, body: server }, operation);
    },
    getServer: async (serverId, operation) => {
      const message = { variables: { server_id: serverId } };
      return { ...(await ask(supported(dialect, "getServer"), message, operation)).data, id: serverId };
    },
    moveServer: async (serverId, action, operation) => {
      const message = { variables: { server_id: serverId }, body: { action } };
      await ask(supported(dialect, "moveServer"), message, operation);
    },
    deleteServer: (serverId, operation) => remove(calls.deleteServer, { server_id: serverId }, operation),
  };
}

function vectorCalls({ ask, remove, dialect }: Area): VectorCalls {
  const { calls } = dialect;
  return {
    listTables: (operation) => ask(calls.listTables, { variables: none }, operation),
    createTable: async (table, operation) =>
      (await ask(calls.createTable, { variables: none, body: table }, operation)).data ?? {},
    deleteTable: async (name, operation) => remove(supported(dialect, "deleteTable"), { name }, operation),
    createVectorDatabase: async (operation) =>
      (await ask(supported(dialect, "createVectorDatabase"), { variables: none }, operation)).data,
    moveVectorDatabase: async (running, operation) => {
      const message = { variables: none, body: { running } };
      return (await ask(supported(dialect, "moveVectorDatabase"), message, operation)).data;
    },
  };
}
