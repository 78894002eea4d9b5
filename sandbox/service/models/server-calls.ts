/**
 * The calls about servers of platforms that can create, start and stop them: "list servers" with their statuses, "create
 * server", "get server", "start or stop server".
 */
import { z } from "zod";
import {
  createServerRequestSchema,
  moveServerRequestSchema,
  type serverStates,
} from "../../../provider/api/schemas/anaconda-model-schemas.ts";
import type { ServerStatus } from "../../../provider/api/schemas/model-types.ts";
import type { Database } from "../base/database.ts";
import { Accepted, type ModelHandler, type ModelScope } from "../base/handler.ts";
import { refusal } from "../base/refusals.ts";
import { type FileRow, isDownloaded, requireFile } from "./model-files.ts";
import {
  addServer,
  alive,
  findServer,
  findServers,
  matchingServers,
  moveServer as moveRow,
  newServerSchema,
  type ServerRow,
  shownServer,
} from "./servers.ts";

type ServerState = (typeof serverStates)[number];

/** The platform has no status for a server whose machine does not answer: it counts as failed. */
const states: Readonly<Record<ServerStatus, ServerState>> = {
  starting: "STARTING",
  running: "RUNNING",
  stopping: "STOPPING",
  stopped: "STOPPED",
  errored: "ERROR",
  unavailable: "ERROR",
};

const filterSchema = z.record(z.string(), z.string());

/** A value that no server can have matches none. */
export const listServersByState: ModelHandler = ({ database, now, query, switches }) => ({
  data: matchingServers({ database, now, switches }, filterSchema.parse(query)).map((server) =>
    detailsOf(server, { database, now, switches }),
  ),
});

const FIRST_PORT = 8080;

/** A server on the first free port. Its tag is the name of its file. The response repeats the request, without an id. */
export const createServer: ModelHandler = (scope, body) => {
  const { database, now } = scope;
  const { serverConfig, startServerOnCreate = false } = createServerRequestSchema.parse(body);
  const { modelFileName, logsDir, ...params } = serverConfig;
  const file = findFile(database, modelFileName);
  if (!file) throw refusal(404, "INVALID_REQUEST", "no model has a file of this name");
  if (!isDownloaded(file, now)) throw refusal(400, "INVALID_REQUEST", "the file is not downloaded");
  const port = Math.max(FIRST_PORT - 1, ...findServers(database, now).map((server) => server.port)) + 1;
  const added = { ...params, tag: modelFileName, fileId: file.id, port };
  const id = addServer(database, now, newServerSchema.parse(added), logsDir);
  if (startServerOnCreate) moveRow(database, now, id, "start");
  return { data: { serverConfig, startServerOnCreate } };
};

export const getServer: ModelHandler = (scope) => ({
  data: detailsOf(requireServer(scope, scope.path.server_id), scope),
});

/** 202 where the server is already in that state, or on its way there. */
export const moveServer: ModelHandler = (scope, body) => {
  const { database, now } = scope;
  const { action } = moveServerRequestSchema.parse(body);
  const { id, status } = requireServer(scope, scope.path.server_id);
  const done: readonly ServerStatus[] =
    action === "start" ? ["running", "starting"] : ["stopped", "stopping"];
  const time = { [action === "start" ? "startedAt" : "stoppedAt"]: new Date(now).toISOString() };
  // The goal, not the status in between.
  const goal = action === "start" ? "running" : "stopped";
  if (done.includes(status)) return new Accepted({ data: { id, status: goal } });
  refuseMove(action, status);
  moveRow(database, now, id, action);
  return { data: { id, status: goal, ...time } };
};

/** A server cannot start while it stops; only a running one can stop. */
function refuseMove(action: "start" | "stop", status: ServerStatus): void {
  if (action === "start" && status === "stopping") {
    throw refusal(400, "SERVER_RUNNING", "the server is stopping; start it when it has stopped");
  }
  if (action === "stop" && status !== "running") {
    throw refusal(400, "SERVER_NOT_RUNNING", `the server is ${status}`);
  }
}

function requireServer({ database, now }: ModelScope, given: string | undefined): ServerRow {
  const id = z.guid().safeParse(given);
  if (!id.success) throw refusal(400, "INVALID_SERVER_ID", "this is not the id of a server, which is a UUID");
  const server = findServer(database, now, id.data);
  if (!server) throw refusal(404, "INVALID_SERVER_ID", "no such server");
  return server;
}

const idRow = z.object({ id: z.string() });

function findFile(database: Database, name: string): FileRow | undefined {
  const row = database.one(idRow, "SELECT id FROM model_files WHERE name = ? ORDER BY rowid", name);
  return row && requireFile(database, row.id);
}

function detailsOf(
  server: ServerRow,
  { database, now, switches }: Pick<ModelScope, "database" | "now" | "switches">,
) {
  const { serverProcessId, ...shown } = shownServer(
    server,
    requireFile(database, server.file_id),
    now,
    switches,
  );
  return {
    ...shown,
    // A server without a process has no such field.
    ...(alive.includes(server.status) ? { serverProcessId } : {}),
    status: states[server.status],
  };
}
