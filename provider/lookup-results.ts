/** The results of lookups as programs get them: a field is null if the service does not return it. */
import type { ListedUser, Model } from "./api/anaconda-schemas.ts";
import type { ModelFile, Server, Table } from "./api/model-schemas.ts";
import type { ServiceAccountList } from "./api/schemas.ts";

export function accountOf({ name, client_id, org_id }: ServiceAccountList["accounts"][number]) {
  return { name, clientId: client_id, organizationId: org_id };
}

/** A member with its seat, by the rule of the resources. @param product of the seat; any where it is undefined */
export function userOf(user: ListedUser, product: string | undefined) {
  const { id, email, first_name, last_name, role, subscriptions } = user;
  return {
    id,
    email,
    firstName: first_name ?? null,
    lastName: last_name ?? null,
    role,
    hasSeat: product === undefined ? subscriptions.length > 0 : subscriptions.includes(product),
  };
}

export function serverOf({ id, tag, serverProcessId, modelFile, serverConfig, server, status }: Server) {
  return {
    id,
    tag: tag ?? null,
    serverProcessId: serverProcessId ?? null,
    modelFile: modelFile ?? null,
    serverConfig: serverConfig ?? null,
    server: server ?? null,
    status: status ?? null,
  };
}

export function modelOf({ id, name, files }: Model) {
  return { id, name: name ?? null, files: files?.map(fileOf) ?? null };
}

export function fileOf(file: ModelFile) {
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

export function tableOf({ name, schema, numRows }: Table) {
  return { name, schema: schema ?? null, numRows: numRows ?? null };
}
