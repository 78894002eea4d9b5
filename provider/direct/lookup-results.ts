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
import { serverFields } from "../resources/models/server-calls.ts";
import { fieldsOf } from "../util/json.ts";

export function accountOf({ name, client_id, org_id }: ServiceAccountList["accounts"][number]) {
  return { name, clientId: client_id, organizationId: org_id };
}

/** A member with its seat, by the rule of the resources. */
export function userOf(user: ListedUser, seat: SeatStatus) {
  return {
    ...fieldsOf(user, "email", "role"),
    id: user.id,
    firstName: user.first_name ?? null,
    lastName: user.last_name ?? null,
    hasSeat: seat === "unknown" ? null : seat === "yes",
  };
}

export function serverOf(server: Server) {
  return { id: server.id ?? "", ...serverFields(server) };
}

export function modelOf({ id, name, metadata }: Model) {
  const { numParameters, quantizations, files } = metadata ?? {};
  const described = ["contextWindowSize", "trainedFor", "description", "license", "publisher"] as const;
  return {
    id: id ?? "",
    name: name ?? null,
    numParameters: numParameters === undefined || numParameters === null ? null : String(numParameters),
    ...fieldsOf(metadata ?? {}, ...described),
    quantizations: quantizations?.map(quantizationOf) ?? null,
    files: files?.map(describedFileOf) ?? null,
  };
}

type Quantization = NonNullable<NonNullable<Model["metadata"]>["quantizations"]>[number];

function quantizationOf(file: Quantization) {
  return { modelFileName: file.modelFileName, ...fieldsOf(file, "method", "sizeBytes", "maxRamUsage") };
}

const fileFields = ["downloadUrl", "sha256checksum", "quantization", "format", "maxRamUsage"] as const;

/** A file as "get model" shows it: without its download. */
function describedFileOf(file: DescribedFile) {
  return {
    ...fieldsOf(file, "id", "name", "sizeBytes", "localPath", ...fileFields),
    isDownloaded: downloadedIn(file),
  };
}

export function fileOf(file: ListedFile) {
  const { id, name, sizeBytes, downloadStatus } = file;
  return {
    ...{ id, name, sizeBytes },
    ...fieldsOf(file, ...fileFields),
    isDownloaded: downloadedIn(file),
    downloadStatus: downloadStatus ? fieldsOf(downloadStatus, "status", "progress", "localPath") : null,
  };
}

/** Whether a file is downloaded, by its own field or the status of its download; null if neither is there. */
function downloadedIn({ isDownloaded, downloadStatus }: ListedFile | DescribedFile): boolean | null {
  const status = downloadStatus?.status;
  return isDownloaded ?? (typeof status === "string" ? status === "completed" : null);
}

export function tableOf(table: Table) {
  return fieldsOf(table, "name", "schema", "numRows");
}
