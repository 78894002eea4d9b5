/** The results of lookups as programs get them: a field is null if the service does not return it. */

import type {
  DescribedFile,
  ListedFile,
  Model,
  Server,
  Table,
} from "../api/schemas/anaconda-model-schemas.ts";
import type { ListedUser } from "../api/schemas/anaconda-schemas.ts";
import type { ServiceAccountList } from "../api/schemas/schemas.ts";
import type { SeatStatus } from "../resources/members/seat-codes.ts";
import { fieldsOf } from "../resources/models/server-calls.ts";

export function accountOf({ name, client_id, org_id }: ServiceAccountList["accounts"][number]) {
  return { name, clientId: client_id, organizationId: org_id };
}

/** A member with its seat, by the rule of the resources. */
export function userOf({ id, email, first_name, last_name, role }: ListedUser, seat: SeatStatus) {
  return {
    id,
    email: email ?? null,
    firstName: first_name ?? null,
    lastName: last_name ?? null,
    role: role ?? null,
    hasSeat: seat === "unknown" ? null : seat === "yes",
  };
}

export function serverOf(server: Server) {
  return { id: server.id ?? "", ...fieldsOf(server) };
}

export function modelOf({ id, name, metadata }: Model) {
  const { numParameters, quantizations, files } = metadata ?? {};
  return {
    id: id ?? "",
    name: name ?? null,
    numParameters: numParameters === undefined || numParameters === null ? null : String(numParameters),
    contextWindowSize: metadata?.contextWindowSize ?? null,
    trainedFor: metadata?.trainedFor ?? null,
    description: metadata?.description ?? null,
    license: metadata?.license ?? null,
    publisher: metadata?.publisher ?? null,
    quantizations: quantizations?.map(quantizationOf) ?? null,
    files: files?.map(describedFileOf) ?? null,
  };
}

type Quantization = NonNullable<NonNullable<Model["metadata"]>["quantizations"]>[number];

function quantizationOf({ modelFileName, method, sizeBytes, maxRamUsage }: Quantization) {
  return {
    modelFileName,
    method: method ?? null,
    sizeBytes: sizeBytes ?? null,
    maxRamUsage: maxRamUsage ?? null,
  };
}

/** A file as "get model" shows it: without its download. */
function describedFileOf(file: DescribedFile) {
  const { id, name, sizeBytes, localPath } = file;
  return {
    ...commonFieldsOf(file),
    id: id ?? null,
    name: name ?? null,
    sizeBytes: sizeBytes ?? null,
    localPath: localPath ?? null,
  };
}

export function fileOf(file: ListedFile) {
  const { id, name, sizeBytes, downloadStatus } = file;
  return {
    ...commonFieldsOf(file),
    id,
    name,
    sizeBytes,
    downloadStatus: downloadStatus
      ? {
          status: downloadStatus.status ?? null,
          progress: downloadStatus.progress ?? null,
          localPath: downloadStatus.localPath ?? null,
        }
      : null,
  };
}

function commonFieldsOf(file: ListedFile | DescribedFile) {
  return {
    downloadUrl: file.downloadUrl ?? null,
    sha256checksum: file.sha256checksum ?? null,
    quantization: file.quantization ?? null,
    format: file.format ?? null,
    maxRamUsage: file.maxRamUsage ?? null,
    isDownloaded: downloadedIn(file),
  };
}

/** Whether a file is downloaded, by its own field or the status of its download; null if neither is there. */
function downloadedIn({ isDownloaded, downloadStatus }: ListedFile | DescribedFile): boolean | null {
  const status = downloadStatus?.status;
  return isDownloaded ?? (typeof status === "string" ? status === "completed" : null);
}

export function tableOf({ name, schema, numRows }: Table) {
  return { name, schema: schema ?? null, numRows: numRows ?? null };
}
