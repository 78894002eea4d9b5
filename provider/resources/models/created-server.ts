/**
 * Creates model servers. If the response does not contain the id of the new server, the list shows it, because a server has
 * no unique name: it is in the list after the request, was not before, and has the file and the configuration of the
 * request.
 */

import { isDeepStrictEqual } from "node:util";
import { ApiError } from "../../api/calls/errors.ts";
import { CodedError } from "../../util/error-codes.ts";
import { shortList } from "../../util/text.ts";
import type { CallContext, ModelAccess } from "../contexts.ts";
import { type Creation as Attempts, createOnce, onlyNew } from "../create-once.ts";
import { isAbsent, withNextStep } from "../failures.ts";
import { isOwned } from "../ownership.ts";
import { growingPauses, LONG_WORK } from "../pauses.ts";
import { type KnownServer, sharedServers } from "./server-calls.ts";

/** The server to create. */
export interface ServerRequest extends ModelAccess {
  readonly serverConfig: NonNullable<KnownServer["serverConfig"]>;
  /** Whether the service starts it. */
  readonly running: boolean;
}

/**
 * Creates exactly one server, and returns before it runs.
 * @param claim called before the next server of this run is created: its server is then known not to be this one
 */
export function createServer(
  wanted: ServerRequest,
  context: CallContext,
  claim: (server: KnownServer) => void,
): Promise<KnownServer> {
  return sharedServers.createNext(wanted, context, async ({ servers, hidden }) => {
    const before = new Set(servers.map(({ id }) => id));
    const server = await createOnce(attemptsOf({ wanted, before, hidden, context }), context.time);
    claim(server);
    return server;
  });
}

function attemptsOf(creation: Creation): Attempts<KnownServer> {
  const { wanted, context } = creation;
  return {
    async send(attempt) {
      const id = await context.service.models(wanted).createServer(requestOf(wanted), context.time.operation);
      const isNew = id !== undefined && !creation.before.has(id);
      return isNew ? detailsOf(id, creation) : findCreated(creation, attempt);
    },
    async decide(failure) {
      throw isAbsent(failure) ? await withModelFiles(failure, wanted, context) : failure;
    },
    look: (lost) => findLost(lost, creation),
    giveUp: (lost, attempts) => withNextStep(lost, `${attempts} attempts created no server.`),
  };
}

function requestOf({ serverConfig, running }: ServerRequest) {
  const { modelFileName, apiParams, loadParams, inferParams, logsDir } = serverConfig;
  return {
    serverConfig: {
      modelFileName,
      apiParams: apiParams ?? undefined,
      loadParams: loadParams ?? undefined,
      inferParams: inferParams ?? undefined,
      logsDir: logsDir ?? undefined,
    },
    startServerOnCreate: running,
  };
}

interface Creation {
  readonly wanted: ServerRequest;
  /** The ids before the first request. */
  readonly before: ReadonlySet<string>;
  /** The number of servers without an id, before it. */
  readonly hidden: number;
  readonly context: CallContext;
}

/** The server as the service shows it. Only its id matters, so that nothing else fails. */
function detailsOf(id: string, { wanted, context }: Creation): Promise<KnownServer> {
  return context.service
    .models(wanted)
    .getServer(id, context.time.operation)
    .catch(() => ({ id }));
}

/**
 * The server that the service says it has created. The list can be behind.
 * @param attempts the requests sent: one whose response was lost may have created an equal server
 * @throws if the list does not show which server it is
 */
async function findCreated(creation: Creation, attempts: number): Promise<KnownServer> {
  const { context, wanted } = creation;
  const pause = growingPauses(context, LONG_WORK);
  for (;;) {
    const found = await newServers(creation).catch((error: unknown) => {
      throw error instanceof ApiError
        ? withNextStep(error, `The service created a server. ${howToDecide}`, "outcome-unknown")
        : error;
    });
    const [server, ...others] = equalTo(wanted, found.servers).toReversed();
    if (server && others.length < attempts) {
      warnAboutOthers(server, others, context);
      return server;
    }
    if (server || !(await pause())) return theOnly(found.servers, wanted);
  }
}

/** The service may write the parameters in another way: a single new server of the file is the one. */
function theOnly(found: readonly KnownServer[], wanted: ServerRequest): KnownServer {
  const [only, ...more] = found;
  if (only && more.length === 0) return only;
  const file = wanted.serverConfig.modelFileName;
  throw new CodedError(
    "ambiguous",
    `cannot find the new server of ${file}: the service created one, but ${newInList(found)}. ${howToDecide}`,
  );
}

/** The server of a lost response; undefined if the list has none. @throws if it cannot be identified */
async function findLost(lost: ApiError, creation: Creation): Promise<KnownServer | undefined> {
  const { wanted, context } = creation;
  const mayExist = (why: string) =>
    withNextStep(
      lost,
      `This run may have created a server of ${wanted.serverConfig.modelFileName}: ${why}. ${howToDecide}`,
      "outcome-unknown",
    );
  const server = await onlyNew(lost, {
    what: "servers",
    async list() {
      const { servers, hidden } = await newServers(creation);
      if (servers.length === 0 && hidden > creation.hidden)
        throw mayExist("a new server in the list has no readable id");
      return servers;
    },
    several: newInList,
    mayExist,
  });
  if (server === undefined) return undefined;
  // The service may write the parameters in another way, so a difference does not prove another server.
  if (!contains(server.serverConfig, wanted.serverConfig)) throw mayExist(newInList([server]));
  context.diagnostics.warn(
    `ModelServer ${server.id}: the response to the create request was lost. The server is the only new one with this configuration, so orgseat treats it as created by this run.`,
  );
  return server;
}

const howToDecide =
  "Set `serverId` to the id of your server instead of `serverConfig`, and delete the servers that you do not use; then run `pulumi up` again.";

function newInList(found: readonly KnownServer[]): string {
  return found.length === 0
    ? "its list contains no new server"
    : `new in the list: ${found.map(({ id }) => id).join(", ")}`;
}

function warnAboutOthers({ id }: KnownServer, others: readonly KnownServer[], context: CallContext): void {
  if (others.length === 0) return;
  context.diagnostics.warn(
    `ModelServer ${id}: an attempt whose response was lost may have created a second server of this file: ${others.map((other) => other.id).join(", ")}. Delete it if you do not use it.`,
  );
}

/** The servers that are new in the list, belong to no other resource of this run, and may serve the file. */
async function newServers({ wanted, before, context }: Creation) {
  const { servers, hidden } = await sharedServers.now(wanted, context);
  const found = servers.filter(({ id, serverConfig, modelFile }) => {
    const file = serverConfig?.modelFileName || modelFile?.name;
    const isFree = !before.has(id) && !isOwned(context, "ModelServer", id, undefined);
    return isFree && (!file || file === wanted.serverConfig.modelFileName);
  });
  return { servers: found, hidden };
}

/** The servers of the same configuration, in the order of the list; if none shows it, those that show none. */
function equalTo({ serverConfig }: ServerRequest, servers: readonly KnownServer[]): readonly KnownServer[] {
  const equal = servers.filter(
    (server) => server.serverConfig && contains(server.serverConfig, serverConfig),
  );
  return equal.length > 0 ? equal : servers.filter((server) => !server.serverConfig);
}

/** Whether every value of `part` is in `whole`: the service may add defaults. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null || Array.isArray(part)) return isDeepStrictEqual(whole, part);
  if (typeof whole !== "object" || whole === null) return Object.keys(part).length === 0;
  const values = new Map(Object.entries(whole));
  return Object.entries(part).every(
    ([key, value]) => value === undefined || value === null || contains(values.get(key), value),
  );
}

async function withModelFiles(error: ApiError, wanted: ServerRequest, context: CallContext): Promise<Error> {
  const models = await context.service
    .models(wanted)
    .listModels(true, context.time.operation)
    .catch(() => undefined);
  if (models === undefined) return error;
  const files = models.flatMap(({ metadata }) => metadata?.quantizations ?? []);
  const found = shortList(files.map(({ modelFileName }) => modelFileName).toSorted()) || "none found";
  const step = `No model has the file ${wanted.serverConfig.modelFileName}. Files of downloaded models: ${found}. Correct \`modelFileName\`.`;
  return withNextStep(error, step);
}
