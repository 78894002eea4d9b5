/** "list servers" and "delete server": model servers, their statuses and transitions. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { portSchema, serverFilterSchema } from "../../../provider/api/schemas/model-schemas.ts";
import { type ServerStatus, serverStatuses } from "../../../provider/api/schemas/model-types.ts";
import type { Database } from "../base/database.ts";
import type { ModelHandler, ModelScope } from "../base/handler.ts";
import { plainRefusal, refusal } from "../base/refusals.ts";
import type { Switches } from "../base/settings.ts";
import { type FileRow, isDownloaded, localPathOf, requireFile } from "./model-files.ts";

/** The duration of a start and a stop, by the service's clock. */
export const STARTING_MS = 20_000;
export const STOPPING_MS = 5_000;

const freeObject = z.record(z.string(), z.unknown()).default({});
const configSchema = z.object({
  apiParams: freeObject,
  loadParams: freeObject,
  inferParams: freeObject,
  logsDir: z.string(),
});

/** A server in a request of the management API. */
export const newServerSchema = z.strictObject({
  id: z.guid().optional(),
  tag: z.string().min(1),
  /** The file that it serves, which must exist. */
  fileId: z.string().min(1),
  host: z.string().min(1).default("127.0.0.1"),
  port: portSchema,
  status: z.enum(serverStatuses).default("stopped"),
  apiParams: freeObject,
  loadParams: freeObject,
  inferParams: freeObject,
});
export type NewServer = z.input<typeof newServerSchema>;

/** The actions of the management API on a server. */
export const serverMoves = ["start", "stop", "fail", "make-unavailable"] as const;
export type ServerMove = (typeof serverMoves)[number];

const serverRow = z.object({
  id: z.string(),
  tag: z.string(),
  file_id: z.string(),
  host: z.string(),
  port: z.number(),
  process_id: z.number(),
  config: z.string(),
  status: z.enum(serverStatuses),
  since: z.number(),
});
export type ServerRow = z.output<typeof serverRow>;

/** The statuses with a live process: such a server cannot be deleted. */
export const alive: readonly ServerStatus[] = ["running", "starting", "stopping"];

/** Every filter of the request must match (D21). */
export const listServers: ModelHandler = ({ database, now, switches, query }) => ({
  data: matchingServers({ database, now, switches }, serverFilterSchema.parse(query)).map((server) =>
    shownServer(server, requireFile(database, server.file_id), now, switches),
  ),
});

/** A filter that is undefined fits every server. */
export function matchingServers(
  { database, now, switches }: Pick<ModelScope, "database" | "now" | "switches">,
  { fileId, tag, port, host, status }: Readonly<Record<string, string | number | undefined>>,
): ServerRow[] {
  const servers = findServers(database, now);
  if (switches.listFilters === "ignored") return servers;
  return servers.filter(
    (server) =>
      (fileId === undefined || server.file_id === fileId) &&
      (tag === undefined || server.tag === tag) &&
      (port === undefined || String(server.port) === String(port)) &&
      (host === undefined || server.host === host) &&
      (status === undefined || server.status === status),
  );
}

/** Refused while the server has a live process. */
export const deleteServer: ModelHandler = ({ database, now, path }) => {
  const id = z.guid().safeParse(path.server_id);
  if (!id.success) throw refusal(400, "INVALID_SERVER_ID", "this is not the id of a server, which is a UUID");
  const server = findServer(database, now, id.data);
  if (!server) throw plainRefusal(404, "no such server");
  if (alive.includes(server.status)) {
    throw refusal(409, "SERVER_RUNNING", `the server is ${server.status}; stop it first`);
  }
  database.run("DELETE FROM servers WHERE id = ?", server.id);
  return { data: { id: server.id, status: "deleted", deletedAt: new Date(now).toISOString() } };
};

/** @returns the id */
export function addServer(
  database: Database,
  now: number,
  server: z.output<typeof newServerSchema>,
  logsDir?: string,
): string {
  const { id = randomUUID(), tag, fileId, host, port, status, ...params } = server;
  if (findServer(database, now, id)) throw refusal(409, "SERVER_EXISTS", "a server with this id exists");
  requireFile(database, fileId);
  const config = JSON.stringify({ ...params, logsDir: logsDir ?? `/var/log/models/${id}` });
  database.run(
    `INSERT INTO servers (id, tag, file_id, host, port, process_id, config, status, since)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id.toLowerCase(),
    tag,
    fileId,
    host,
    port,
    nextProcessId(database),
    config,
    status,
    now,
  );
  return id.toLowerCase();
}

/**
 * Applies an action. A start leads to `starting` and later to `running`, a stop to `stopping` and later to
 * `stopped`.
 * @throws 404 for an unknown server, 409 SERVER_RUNNING for a start of one whose process is alive, 409
 *   SERVER_NOT_RUNNING for a stop or failure of one that does not run (D48)
 */
export function moveServer(database: Database, now: number, id: string, move: ServerMove): void {
  const server = findServer(database, now, id);
  if (!server) throw refusal(404, "SERVER_NOT_FOUND", "no such server");
  const { status } = server;
  if (move === "start" && alive.includes(status)) {
    throw refusal(409, "SERVER_RUNNING", `the server is ${status} already`);
  }
  if (move === "stop" && status !== "running") {
    throw refusal(409, "SERVER_NOT_RUNNING", `the server is ${status}`);
  }
  if (move === "fail" && !alive.includes(status)) {
    throw refusal(409, "SERVER_NOT_RUNNING", `the server is ${status}`);
  }
  database.run(
    "UPDATE servers SET status = ?, since = ?, process_id = ? WHERE id = ?",
    statusAfter[move],
    now,
    move === "start" ? nextProcessId(database) : server.process_id,
    server.id,
  );
}

const statusAfter: Record<ServerMove, ServerStatus> = {
  start: "starting",
  stop: "stopping",
  fail: "errored",
  "make-unavailable": "unavailable",
};

/** All servers at `now`, in the order of their creation. */
export function findServers(database: Database, now: number): ServerRow[] {
  return database.all(serverRow, "SELECT * FROM servers ORDER BY rowid").map((server) => atTime(server, now));
}

export function findServer(database: Database, now: number, id: string): ServerRow | undefined {
  const server = database.one(serverRow, "SELECT * FROM servers WHERE id = ?", id.toLowerCase());
  return server && atTime(server, now);
}

function atTime(server: ServerRow, now: number): ServerRow {
  const age = now - server.since;
  if (server.status === "starting" && age >= STARTING_MS) return { ...server, status: "running" };
  if (server.status === "stopping" && age >= STOPPING_MS) return { ...server, status: "stopped" };
  return server;
}

/** Process ids of one machine: each start gets a new one. */
function nextProcessId(database: Database): number {
  const row = z.object({ next: z.number() });
  return database.one(row, "SELECT coalesce(max(process_id), 4000) + 1 AS next FROM servers")?.next ?? 0;
}

/** In the form of "list servers". */
export function shownServer(server: ServerRow, file: FileRow, now: number, { serverStatus }: Switches) {
  const { id, tag, status, host, port } = server;
  const letters = { upper: status.toUpperCase(), lower: status, none: undefined }[serverStatus];
  return {
    id,
    tag,
    // The field stays an integer without a process.
    serverProcessId: alive.includes(status) ? server.process_id : 0,
    modelFile: {
      id: file.id,
      name: file.name,
      localPath: localPathOf(file),
      isDownloaded: isDownloaded(file, now),
      quantization: file.quantization,
    },
    serverConfig: { modelFileName: file.name, ...configSchema.parse(JSON.parse(server.config)) },
    server: { host, port },
    ...(letters === undefined ? {} : { status: letters }),
  };
}
