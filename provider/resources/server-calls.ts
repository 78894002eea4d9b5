/**
 * Lists, creates, starts and stops model servers. A server has no unique name, so only a list from before shows which
 * server a lost response created.
 */
import { isDeepStrictEqual } from "node:util";
import type { ApiError } from "../api/errors.ts";
import type { Server } from "../api/model-schemas.ts";
import { shortList } from "../util/plural.ts";
import { isRefused, mayHaveSucceeded, withNextStep } from "./failures.ts";
import { isOwned } from "./ownership.ts";
import type { CallContext, ModelAccess } from "./resource.ts";

function listKey({ credentials }: ModelAccess): string {
  return `model servers seen by ${credentials?.apiKey ?? "the configured key"}`;
}

/** Lists the servers once a run for each key. */
export function listServersOnce(owner: ModelAccess, context: CallContext): Promise<Server[]> {
  return context.readOnce(listKey(owner), () => context.models(owner).listServers({}, context.operation));
}

/** The next `listServersOnce` reads again: call it before a write. */
export function forgetServers(owner: ModelAccess, context: CallContext): void {
  context.forget(listKey(owner));
}

/** The configuration of a server, as in the inputs: null counts as missing. */
interface ServerConfig {
  readonly modelFileName: string;
  readonly apiParams?: Parameters | null | undefined;
  readonly loadParams?: Parameters | null | undefined;
  readonly inferParams?: Parameters | null | undefined;
  readonly logsDir?: string | null | undefined;
}
type Parameters = Readonly<Record<string, unknown>>;

/** The server to create. */
export interface ServerRequest extends ModelAccess {
  readonly serverConfig: ServerConfig;
  /** Whether the service starts it. */
  readonly running: boolean;
}

const ROUNDS = 3;
const RETRY_PAUSE_MS = 500;

/**
 * Creates exactly one server, and returns before it runs.
 * @param claim called before the next server of this run is created: its server is then known not to be this one
 */
export function createServer(
  wanted: ServerRequest,
  context: CallContext,
  claim: (server: Server) => void,
): Promise<Server> {
  return context.runExclusive(`create ${listKey(wanted)}`, async () => {
    const server = await createOnce(wanted, context);
    claim(server);
    return server;
  });
}

async function createOnce(wanted: ServerRequest, context: CallContext): Promise<Server> {
  const api = context.models(wanted);
  forgetServers(wanted, context);
  const before = new Set((await api.listServers({}, context.operation)).map(({ id }) => id));
  const { modelFileName, apiParams, loadParams, inferParams, logsDir } = wanted.serverConfig;
  const serverConfig = {
    modelFileName,
    apiParams: apiParams ?? undefined,
    loadParams: loadParams ?? undefined,
    inferParams: inferParams ?? undefined,
    logsDir: logsDir ?? undefined,
  };
  const request = { serverConfig, startServerOnCreate: wanted.running };
  for (let round = 1; ; round++) {
    try {
      const server = await api.createServer(request, context.operation);
      // An earlier attempt that seemed lost can arrive late.
      if (round > 1) await warnAboutOthers(server, wanted, before, context);
      return server;
    } catch (error) {
      if (isRefused(error, 404)) throw await withModelFiles(error, wanted, context);
      if (!mayHaveSucceeded(error)) throw error;
      const found = await findLost(error, wanted, before, context);
      if (found) return found;
      if (round === ROUNDS) throw withNextStep(error, `${ROUNDS} attempts created no server.`);
    }
    await context.sleep(RETRY_PAUSE_MS);
  }
}

async function withModelFiles(error: ApiError, wanted: ServerRequest, context: CallContext): Promise<Error> {
  const models = await context
    .models(wanted)
    .listModels(true, context.operation)
    .catch(() => undefined);
  if (models === undefined) return error;
  const files = models.flatMap((model) => model.files ?? []).filter((file) => file.isDownloaded);
  const found = shortList(files.map(({ name }) => name).toSorted()) || "none found";
  const step = `No model has the file ${wanted.serverConfig.modelFileName}. Downloaded files: ${found}. Correct \`modelFileName\`.`;
  return withNextStep(error, step);
}

/** The server of a lost response; undefined where the list has none. @throws where it cannot be identified */
async function findLost(
  lost: ApiError,
  wanted: ServerRequest,
  before: ReadonlySet<string>,
  context: CallContext,
): Promise<Server | undefined> {
  const mayExist = (why: string) =>
    withNextStep(
      lost,
      `A server of ${wanted.serverConfig.modelFileName} may exist that this run created: ${why}. Set the \`serverId\` of yours instead of \`serverConfig\`, and delete those that you do not use; then run \`pulumi up\` again.`,
    );
  const found = await newServers(wanted, before, context).catch(() => {
    throw mayExist("listing the servers failed");
  });
  const [server, ...others] = found;
  if (server === undefined) return undefined;
  // The service may write the parameters in another way, so a difference does not prove another server.
  if (others.length > 0 || !contains(server.serverConfig, wanted.serverConfig)) {
    throw mayExist(`new in the list: ${found.map(({ id }) => id).join(", ")}`);
  }
  context.warn(
    `ModelServer ${server.id}: the response of the creation was lost. The server is the only new one with this configuration, and counts as created by this run.`,
  );
  return server;
}

async function warnAboutOthers(
  { id }: Server,
  wanted: ServerRequest,
  before: ReadonlySet<string>,
  context: CallContext,
): Promise<void> {
  const found = await newServers(wanted, before, context).catch(() => []);
  const others = found.filter((server) => server.id !== id).map((server) => server.id);
  if (others.length === 0) return;
  context.warn(
    `ModelServer ${id}: an attempt whose response was lost may have created a second server of this file: ${others.join(", ")}. Delete it if you do not use it.`,
  );
}

/** The servers that are new in the list, belong to no other resource of this run, and may serve the file. */
async function newServers(
  wanted: ServerRequest,
  before: ReadonlySet<string>,
  context: CallContext,
): Promise<Server[]> {
  const servers = await context.models(wanted).listServers({}, context.operation);
  return servers.filter(
    ({ id, serverConfig }) =>
      !before.has(id) &&
      !isOwned(context, "ModelServer", id, undefined) &&
      (!serverConfig || serverConfig.modelFileName === wanted.serverConfig.modelFileName),
  );
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

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;

/** What to bring a server to. */
interface Wish {
  readonly running: boolean;
  /** Whether it was started already, so that an error is the result of this start. */
  readonly isStarted?: boolean;
}

/**
 * Starts or stops a server where needed, and waits until it has.
 * @throws Error where it fails, or takes longer than the operation may
 */
export async function settleServer(
  id: string,
  { running, isStarted = false }: Wish,
  owner: ModelAccess,
  context: CallContext,
): Promise<Server> {
  const api = context.models(owner);
  forgetServers(owner, context);
  let isSent = isStarted;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const server = await api.getServer(id, context.operation);
    const status = server.status ?? "unknown";
    if (status === (running ? "running" : "stopped") || (!running && status === "errored")) return server;
    const isMoving = status === "starting" || status === "stopping";
    if (!isMoving && isSent && status === "errored")
      throw notSettled(id, running, "it has failed (status errored)");
    if (!isMoving && !isSent) {
      await api.moveServer(id, running ? "start" : "stop", context.operation);
      isSent = true;
    }
    if (context.elapsed() + pause >= context.operation.deadline) {
      throw notSettled(
        id,
        running,
        `it is still ${status} after the operation timeout (orgseat:operationTimeout)`,
      );
    }
    await context.sleep(pause);
  }
}

function notSettled(id: string, running: boolean, why: string): Error {
  const logs = running ? "Check its logs and its configuration" : "Check it in the service";
  return new Error(
    `cannot ${running ? "start" : "stop"} server ${id}: ${why}. ${logs}, then run the command again.`,
  );
}
