/**
 * Lookups: what is at the service, read while the program runs, in previews too. Configuration and credentials are those
 * of the resources. Each fails with one sentence; a read that fails is never an empty list. The client is loaded at the
 * first lookup, so that programs without one start as fast as ever.
 */
import * as pulumi from "@pulumi/pulumi";
import type { ModelFile } from "../provider/api/model-schemas.ts";
import { allowLateHandling } from "./late-handling.ts";
import type {
  ModelFileInfo,
  ServerInfo,
  ServerStatus,
  ServiceAccountInfo,
  VectorTableInfo,
} from "./lookup-results.ts";

/** The values of inputs that are plain, or Outputs, at any depth. */
type Inputs<T> = {
  [key in keyof T]: pulumi.Input<T[key] extends object | undefined ? Inputs<T[key]> : T[key]>;
};

/** Where `getServiceAccounts` looks, and as whom. */
export interface ServiceAccountLookup {
  /** A GUID. Default: `orgseat:organizationId`. */
  organizationId?: string;
  /** The administrator who looks. Default: `orgseat:username` and `orgseat:password`. */
  credentials?: { username: string; password: string };
}

/** As whom the lookups of the model area look. */
export interface ModelLookup {
  /** The key, a UUID. Default: `orgseat:apiKey`. */
  credentials?: { apiKey: string };
}

/** Which servers `getServers` finds: those that fit all that is given. Default: all. */
export interface ServerFilter {
  /** The id of the model file that it serves. */
  fileId?: string;
  tag?: string;
  /** 1 to 65535. */
  port?: number;
  host?: string;
  status?: ServerStatus;
}

/** The service accounts of the organization, without their secrets (call 2). Needs an administrator. */
export async function getServiceAccounts(options: ServiceAccountLookup = {}): Promise<ServiceAccountInfo[]> {
  const name = "getServiceAccounts";
  const { accounts, complete } = await look(name, ({ lookUpServiceAccounts }, lookup) =>
    lookUpServiceAccounts(lookup, options),
  );
  if (!complete) {
    await pulumi.log.warn(
      `${name}: the service returned one account instead of a list; there may be others.`,
    );
  }
  return accounts.map(({ name, client_id, org_id }) => ({
    name,
    clientId: client_id,
    organizationId: org_id,
  }));
}

/** {@link getServiceAccounts} of Outputs: not known in a preview as long as one of them is not. */
export function getServiceAccountsOutput(
  options: pulumi.Input<Inputs<ServiceAccountLookup>> = {},
): pulumi.Output<ServiceAccountInfo[]> {
  return pulumi.output(options).apply(getServiceAccounts);
}

/**
 * The model servers that fit the filter (call 12).
 *
 * ```ts
 * const running = await getServers({ status: "running" });
 * ```
 */
export async function getServers(
  filter: ServerFilter = {},
  options: ModelLookup = {},
): Promise<ServerInfo[]> {
  const servers = await look("getServers", ({ lookUpServers }, lookup) =>
    lookUpServers(lookup, filter, options),
  );
  return servers.map(({ id, tag, serverProcessId, modelFile, serverConfig, server, status }) => ({
    id,
    tag: tag ?? null,
    serverProcessId: serverProcessId ?? null,
    modelFile: modelFile ?? null,
    serverConfig: serverConfig ?? null,
    server: server ?? null,
    status: status ?? null,
  }));
}

/** {@link getServers} of Outputs: not known in a preview as long as one of them is not. */
export function getServersOutput(
  filter: pulumi.Input<Inputs<ServerFilter>> = {},
  options: pulumi.Input<Inputs<ModelLookup>> = {},
): pulumi.Output<ServerInfo[]> {
  return pulumi.all([filter, options]).apply(([fits, as]) => getServers(fits, as));
}

/** The files of a model, with how far each is downloaded (call 13). An unknown model is an error. */
export async function getModelFiles(modelId: string, options: ModelLookup = {}): Promise<ModelFileInfo[]> {
  const files = await look("getModelFiles", ({ lookUpModelFiles }, lookup) =>
    lookUpModelFiles(lookup, modelId, options),
  );
  return files.map(fileOf);
}

/** {@link getModelFiles} of Outputs: not known in a preview as long as one of them is not. */
export function getModelFilesOutput(
  modelId: pulumi.Input<string>,
  options: pulumi.Input<Inputs<ModelLookup>> = {},
): pulumi.Output<ModelFileInfo[]> {
  return pulumi.all([modelId, options]).apply(([id, as]) => getModelFiles(id, as));
}

/** The tables of the vector database (call 15). A database that does not run is an error. */
export async function getVectorTables(options: ModelLookup = {}): Promise<VectorTableInfo[]> {
  const tables = await look("getVectorTables", ({ lookUpTables }, lookup) => lookUpTables(lookup, options));
  return tables.map(({ name, schema, numRows }) => ({
    name,
    schema: schema ?? null,
    numRows: numRows ?? null,
  }));
}

/** {@link getVectorTables} of Outputs: not known in a preview as long as one of them is not. */
export function getVectorTablesOutput(
  options: pulumi.Input<Inputs<ModelLookup>> = {},
): pulumi.Output<VectorTableInfo[]> {
  return pulumi.output(options).apply(getVectorTables);
}

function fileOf(file: ModelFile): ModelFileInfo {
  const { id, name, sizeBytes, isDownloaded, downloadStatus } = file;
  return {
    id,
    name,
    downloadUrl: file.downloadUrl ?? null,
    sizeBytes,
    sha256checksum: file.sha256checksum ?? null,
    quantization: file.quantization ?? null,
    format: file.format ?? null,
    maxRamUsage: file.maxRamUsage ?? null,
    isDownloaded,
    downloadStatus: downloadStatus
      ? { progress: downloadStatus.progress ?? null, localPath: downloadStatus.localPath ?? null }
      : null,
  };
}

type Provider = typeof import("../provider/lookups.ts");

async function look<T>(
  name: string,
  call: (provider: Provider, lookup: Parameters<Provider["lookUpTables"]>[0]) => Promise<T>,
): Promise<T> {
  const config = (key: string): string | undefined => pulumi.runtime.getConfig(key);
  try {
    return await call(await import("../provider/lookups.ts"), { name, config });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // Pulumi shows the sentence of a RunError, and a stack of every other error.
    const failure = new pulumi.RunError(error.message, { cause: error.cause });
    allowLateHandling(failure);
    throw failure;
  }
}
