/** Lists, reads, starts and stops model servers. */

import type { Identified } from "../../api/calls/models.ts";
import type { Capabilities } from "../../api/calls/platform.ts";
import type { Server } from "../../api/schemas/anaconda-model-schemas.ts";
import { REPORT_ITEM } from "../../api/schemas/forgiving-list.ts";
import { type ServerStatus, serverStatuses } from "../../api/schemas/model-types.ts";
import { CodedError } from "../../util/error-codes.ts";
import { fieldsOf } from "../../util/json.ts";
import { nearest } from "../../util/nearest.ts";
import { counted, shortList, THEN_RUN_AGAIN } from "../../util/text.ts";
import type { CallContext, ModelAccess } from "../contexts.ts";
import { isAbsent, isRefused } from "../failures.ts";
import { endOfWait, growingPauses, LONG_WORK } from "../pauses.ts";
import { seenByKey, sharedList } from "../shared-list.ts";

/** A server that can be managed: it has an id. */
export type KnownServer = Identified<Server>;

/** The fields of a server besides its id, as outputs have them. */
export function serverFields({ server: endpoint = null, ...server }: Server) {
  return { ...fieldsOf(server, "tag", "serverProcessId", "modelFile", "serverConfig", "status"), endpoint };
}

/** The servers with an id, and the number of those without one: each may be any server that the list lacks. */
interface ServerList {
  readonly servers: readonly KnownServer[];
  readonly hidden: number;
}

/** The servers that a key sees. One without an id cannot be managed. */
export const sharedServers = sharedList(
  seenByKey("model servers"),
  async (owner: ModelAccess, context): Promise<ServerList> => {
    const all = await context.service.models(owner).listServers({}, context.time.operation);
    const servers = all.flatMap(({ id, ...rest }) => (typeof id === "string" ? [{ ...rest, id }] : []));
    return { servers, hidden: all.length - servers.length };
  },
);

/**
 * One server, from the list of the run. A list can lack it: if the service can be asked for one server, it confirms
 * that it does not exist.
 * @returns undefined if it does not exist
 * @throws Error if neither can tell
 */
export async function readServer(
  id: string,
  owner: ModelAccess,
  context: CallContext,
): Promise<KnownServer | undefined> {
  const { servers, hidden } = await sharedServers.once(owner, context);
  const listed = servers.find((server) => server.id === id);
  if (listed === undefined && hidden > 0 && !context.can.canCreateServers)
    throw new CodedError(
      "unreadable-item",
      `cannot tell whether server ${id} exists: ${counted(hidden, "item")} of the list of servers ${hidden === 1 ? "has" : "have"} no readable id. ${REPORT_ITEM}, ${THEN_RUN_AGAIN}`,
    );
  if (listed || !context.can.canCreateServers) return listed;
  try {
    return await context.service.models(owner).getServer(id, context.time.operation);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** The same for an id that may have the form of no server's id. */
export function serverWithId(
  id: string,
  owner: ModelAccess,
  context: CallContext,
): Promise<KnownServer | undefined> {
  return readServer(id, owner, context).catch((error: unknown) => {
    if (isRefused(error, 400)) return undefined;
    throw error;
  });
}

/** Whether a server has the status to which `running` leads. A server that failed does not run. */
export function isSettled(status: string | null, running: boolean): boolean {
  return running ? status === "running" : status === "stopped" || status === "errored";
}

/**
 * What an update of a ModelServer sends; nothing while the server starts or stops anyway. For a server without a
 * status, only the declaration counts.
 */
export function serverMove(
  olds: { readonly status: string | null; readonly running?: boolean | undefined },
  running: boolean | undefined,
): "start" | "stop" | undefined {
  const { status } = olds;
  if (running === undefined || isSettled(status, running)) return undefined;
  if (status === null && olds.running === running) return undefined;
  if (running) return status === "starting" ? undefined : "start";
  return status === "stopping" ? undefined : "stop";
}

/** The desired state of a server. */
interface Wish {
  readonly running: boolean;
  /**
   * Whether this run may start or stop it. `sent`: it did so already, so an error is the result of that. `unplanned`: the
   * preview showed nothing to send.
   */
  readonly write?: "due" | "sent" | "unplanned";
}

/**
 * Starts or stops a server if needed, and waits until it has.
 * @throws Error if it fails, or takes longer than the operation may
 */
export async function settleServer(
  id: string,
  { running, write = "due" }: Wish,
  owner: ModelAccess,
  context: CallContext,
): Promise<KnownServer> {
  const api = context.service.models(owner);
  sharedServers.forget(owner, context);
  let isSent = write === "sent";
  const pause = growingPauses(context, LONG_WORK);
  for (;;) {
    const server = await statusOf(await api.getServer(id, context.time.operation), running, owner, context);
    const { status } = server;
    if (isSettled(status ?? null, running)) return server;
    const isMoving = status === "starting" || status === "stopping";
    if (status === undefined && (isSent || write === "unplanned"))
      return withoutStatus(server, running, context);
    if (!isMoving && isSent && status === "errored")
      throw new NotSettled(server, running, "it has failed (status errored)");
    if (!isMoving && write === "unplanned")
      throw new NotSettled(server, running, `it is ${status}, which the preview did not expect`);
    if (!isMoving && !isSent) {
      await api.moveServer(id, running ? "start" : "stop", context.time.operation);
      isSent = true;
    }
    if (!(await pause())) {
      const why = `it is still ${status ?? "in an unknown status"} ${endOfWait(context)}`;
      throw new NotSettled(server, running, why);
    }
  }
}

/**
 * The server with its status. A service that returns none finds the server by the filter of the list, unless it ignores the
 * filter: then it finds it under every status.
 */
async function statusOf(
  server: KnownServer,
  running: boolean,
  owner: ModelAccess,
  context: CallContext,
): Promise<KnownServer> {
  if (server.status !== undefined) return server;
  const goal = running ? "running" : "stopped";
  const isFound = async (status: ServerStatus): Promise<boolean> =>
    (await context.service.models(owner).listServers({ status }, context.time.operation)).some(
      ({ id }) => id === server.id,
    );
  for (const status of [goal, ...serverStatuses.filter((other) => other !== goal)] as const) {
    if (!(await isFound(status))) continue;
    const control = status === "stopped" ? "running" : "stopped";
    return (await isFound(control)) ? server : { ...server, status };
  }
  return server;
}

function withoutStatus(server: KnownServer, running: boolean, context: CallContext): KnownServer {
  context.diagnostics.warn(
    `ModelServer ${server.id}: the service does not return its status, so orgseat does not wait until it ${running ? "runs" : "has stopped"}.`,
  );
  return server;
}

/** A server that did not start or stop, as it was last seen. */
export class NotSettled extends CodedError {
  readonly server: KnownServer;

  constructor(server: KnownServer, running: boolean, why: string) {
    const logs = running ? "Check its logs and its configuration" : "Check it in the service";
    super(
      "not-ready",
      `cannot ${running ? "start" : "stop"} server ${server.id}: ${why}. ${logs}, ${THEN_RUN_AGAIN}.`,
    );
    this.server = server;
  }
}

/** @throws if the service does not list it; the error names what it lists */
export async function findServer(
  serverId: string,
  owner: ModelAccess,
  context: CallContext,
): Promise<KnownServer> {
  const known = (await sharedServers.once(owner, context)).servers.find(({ id }) => id === serverId);
  if (known) return known;
  // The cached list may be older than a server that the program just created.
  sharedServers.forget(owner, context);
  const server = await serverWithId(serverId, owner, context);
  if (server) return server;
  throw unknownServer(serverId, (await sharedServers.once(owner, context)).servers, context.can);
}

const NAMED_AT_MOST = 10;

function unknownServer(serverId: string, servers: readonly KnownServer[], can: Capabilities): Error {
  const tagged = servers.filter(({ tag }) => tag === serverId);
  const suggestion = nearest(
    serverId,
    servers.map(({ id }) => id),
  );
  const named = servers.map(({ id, tag }) => (tag ? `${id} (${tag})` : id));
  const there = servers.length === 0 ? "it lists none" : `it lists ${shortList(named, NAMED_AT_MOST)}`;
  const missing = `serverId: the service lists no server with the id ${serverId}; ${there}.`;
  if (tagged.length > 0) {
    const ids = tagged.map(({ id }) => id).join(" or ");
    return new CodedError("not-found", `${missing} ${serverId} is a tag. Set the id instead: ${ids}.`);
  }
  const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
  const step = can.canCreateServers
    ? "Correct the id, or set `serverConfig` instead to create a server"
    : "The API cannot create servers: create it in the service, set its id here";
  return new CodedError("not-found", `${missing}${hint} ${step}, then run \`pulumi up\` again.`);
}
