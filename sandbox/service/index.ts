/**
 * The embedded organization service: the calls of a platform and the token endpoint over real HTTP, on an embedded
 * database in a folder, which every platform can serve.
 *
 * - `routes.ts` connects the calls of the platform with the handlers in `accounts.ts`, `members.ts`, `tokens.ts`,
 *   `onboarding.ts`, and `listed-users.ts` and `listed-tokens.ts` if the platform lists both.
 * - `area.ts` is the public API: log, faults, authorization, then one transaction per request.
 * - `model-area.ts` serves the model area with `servers.ts`, `model-files.ts` and `vector-tables.ts`.
 * - `management-area.ts` is the management API on its own port, `management.ts` its client.
 * - `settings.ts` stores the clock, the switches and the seed, which survive a restart. Faults do not.
 * - `seeding.ts` inserts the seed, `data-set.ts` the people and models of `--seed lanternfield`.
 *
 * Its responses follow docs/internal/contract.md; ids such as D13 are decisions there. Fields named `call` of the management API
 * hold the numbers of operations in the interface document.
 */
import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { type PlatformName, platforms } from "../../provider/api/calls/platform.ts";
import { publicArea } from "./area.ts";
import { Database } from "./base/database.ts";
import { FaultInjector } from "./base/fault-injection.ts";
import { RequestLog } from "./base/request-log.ts";
import { type OrganizationSeed, ServiceSettings } from "./base/settings.ts";
import type { Core } from "./core.ts";
import { Management } from "./management/management.ts";
import { managementArea } from "./management/management-area.ts";
import { insertTables } from "./models/data-set-models.ts";
import { seedOnce } from "./organization/seeding.ts";
import { MODEL_BASE, ORGANIZATION_BASE, TOKEN_PATH } from "./routes.ts";
import { VectorDatabase } from "./vector/vector-database.ts";

export interface ServiceOptions {
  /** The folder of the database, created if it is missing. One process at a time. */
  readonly dataFolder: string;
  /** Default: any free port. */
  readonly port?: number | undefined;
  /** Default: any free port. */
  readonly managementPort?: number | undefined;
  /** Default `127.0.0.1`. The management API has no authorization: use a loopback address. */
  readonly host?: string | undefined;
  /** The calls that the service has. Default: `basic`. */
  readonly platform?: PlatformName | undefined;
  /** Real time, in milliseconds since 1970; the management API can shift it. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
  /** Makes the ID of a user, or of a token. Default: random ones. @param owner the user's email or names, or the user's ID */
  readonly newId?: ((owner: string) => string) | undefined;
  /**
   * The organization of a fresh data folder, over `sandboxDefaults`; the subscription ends a year from now. Ignored in
   * a folder with data.
   */
  readonly seed?: Partial<OrganizationSeed> | undefined;
  /**
   * A folder for a fresh vector database that services copy, because creating one takes seconds. Created if it is
   * missing. By default each service creates its own on first use.
   */
  readonly vectorTemplates?: string | undefined;
  /** Gets internal errors of the service. Default: a process warning. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface RunningService {
  /** The address for `orgseat:orgUrl` (D1). */
  readonly orgUrl: string;
  /** The address for `orgseat:tokenUrl` (D3). */
  readonly tokenUrl: string;
  /** The address for `orgseat:modelUrl` (D2). */
  readonly modelUrl: string;
  readonly managementUrl: string;
  /** The management API without the network. */
  readonly management: Management;
  readonly platform: PlatformName;
  /** The seed of the data folder. */
  readonly seed: OrganizationSeed;
  /** Starts the vector database, which it creates if it is missing: its first request would wait for that. */
  loadVectorDatabase(): Promise<void>;
  /** Closes open connections, ends every wait, and releases the folder. */
  close(): Promise<void>;
}

/** Starts the service. @throws if a port or the data folder is in use, or the folder has another version. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { dataFolder, now = Date.now, newId = () => randomUUID(), platform = "basic" } = options;
  const closing = new AbortController();
  const database = new Database(dataFolder);
  const settings = new ServiceSettings(database, now);
  const vectors = new VectorDatabase(
    join(dataFolder, "vectors"),
    options.vectorTemplates,
    async (transaction) => {
      if (settings.seeds()?.some(({ dataSet }) => dataSet !== undefined)) await insertTables(transaction);
    },
  );
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    closing.abort();
    await Promise.all(servers.map(stop));
    await vectors.stop();
    database.close();
  };
  try {
    const seed = seedOnce(database, settings, options.seed ?? {});
    const core: Core = {
      platform: platforms[platform],
      database,
      vectors,
      settings,
      newId,
      log: new RequestLog(database),
      faults: new FaultInjector(),
      closing: closing.signal,
      onError: options.onError ?? warn,
    };
    const loadVectorDatabase = (): Promise<void> => vectors.read(async () => undefined);
    return { ...(await serve(core, options, servers)), platform, seed, loadVectorDatabase, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Addresses = Pick<RunningService, "orgUrl" | "tokenUrl" | "modelUrl" | "managementUrl" | "management">;

/** Serves the public areas and the management API. @param servers gets each server that listens */
async function serve(
  core: Core,
  { host = "127.0.0.1", port = 0, managementPort = 0 }: ServiceOptions,
  servers: Server[],
): Promise<Addresses> {
  const managed = managementArea(core);
  const address = await listen(servers, publicArea(core).fetch, host, port, "--port");
  const managementUrl = await listen(servers, managed.fetch, host, managementPort, "--management-port");
  return {
    orgUrl: `${address}${ORGANIZATION_BASE}`,
    tokenUrl: `${address}${TOKEN_PATH}`,
    modelUrl: `${address}${MODEL_BASE}`,
    managementUrl,
    management: new Management(managementUrl, async (request) => {
      // Gives other work a turn when a test polls.
      await setImmediate();
      return managed.fetch(request, {});
    }),
  };
}

type Fetch = (request: Request, bindings: object) => Response | Promise<Response>;

/** @param flag the command's flag for the port */
async function listen(
  servers: Server[],
  fetch: Fetch,
  host: string,
  port: number,
  flag: string,
): Promise<string> {
  // Keeps Node's own global Request and Response for the rest of the process.
  const server = createAdaptorServer({ fetch, hostname: host, overrideGlobalObjects: false });
  if (!("closeAllConnections" in server)) throw new Error("not an HTTP/1.1 server");
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = error.code === "EADDRINUSE";
      reject(
        taken
          ? new Error(`port ${port} of ${host} is in use; name another one by ${flag}`, { cause: error })
          : error,
      );
    });
    server.listen(port, host, resolve);
  });
  servers.push(server);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function warn(error: unknown): void {
  process.emitWarning(
    error instanceof Error ? (error.stack ?? error.message) : String(error),
    "SandboxService",
  );
}

export { type PlatformName, platformNames } from "../../provider/api/calls/platform.ts";
export type { Fault, FaultRule } from "./base/fault-injection.ts";
export type {
  AdminChange,
  ClockAnswer,
  NewAdmin,
  ProbeAnswer,
  SubscriptionChange,
} from "./base/management-schemas.ts";
export type { LoggedRequest } from "./base/request-log.ts";
export {
  type ClockSetting,
  type NewOrganization,
  type OrganizationSeed,
  type Switches,
  sandboxDefaults,
  sandboxServiceAccount,
} from "./base/settings.ts";
export { type FaultState, Management } from "./management/management.ts";
export type { ServiceSnapshot } from "./management/snapshot.ts";
export type { AddedModel, NewModel } from "./models/model-files.ts";
export type { NewServer } from "./models/servers.ts";
export type { Email } from "./organization/outbox.ts";
export { MODEL_BASE, ORGANIZATION_BASE, TOKEN_PATH } from "./routes.ts";
export type { CatalogTable } from "./vector/vector-catalog.ts";
