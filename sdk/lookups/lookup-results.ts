/** The results of lookups. A field is null if the service does not return it. */
import type { TableSchema } from "../../provider/api/schemas/model-types.ts";
import type { ServedFile, ServerAddress, ServerConfig } from "../base/base-resource.ts";

/** A service account, from "list service accounts", which never returns its secret. */
export interface ServiceAccountInfo {
  name: string;
  /** A GUID. */
  clientId: string;
  organizationId: string;
}

/** A member of the organization, from "list users". */
export interface MemberInfo {
  /** The user id. */
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  /** `member`, `admin`, or `billing_manager` in all known services. */
  role: string;
  /** Whether the user has a seat: of `orgseat:product` if it is set, otherwise of any product. */
  hasSeat: boolean;
}

/** A model server, from "list servers". */
export interface ServerInfo {
  /** Empty if the service does not return it. */
  id: string;
  tag: string | null;
  serverProcessId: number | null;
  modelFile: ServedFile | null;
  serverConfig: ServerConfig | null;
  endpoint: ServerAddress | null;
  /** In lower case; one of `ServerStatus` in all known services. */
  status: string | null;
}

/** A model, from "list models" or "get model". */
export interface ModelInfo {
  /** Empty if the service does not return it. */
  id: string;
  name: string | null;
  /** A number, or a text such as `8B`, as the service writes it. */
  numParameters: string | null;
  /** Tokens. */
  contextWindowSize: number | null;
  /** `text-generation` or `sentence-similarity` in all known services. */
  trainedFor: string | null;
  description: string | null;
  license: string | null;
  publisher: string | null;
  /** The files by their quantization, from "list models"; null from "get model". */
  quantizations: ModelQuantization[] | null;
  /** The files, from "get model"; null from "list models". `getModelFiles` lists them with their downloads. */
  files: ModelFileSummary[] | null;
}

/** A file of a model, from "list models". */
export interface ModelQuantization {
  /** The name for the configuration of a server. */
  modelFileName: string;
  method: string | null;
  /** Bytes. */
  sizeBytes: number | null;
  /** Bytes. */
  maxRamUsage: number | null;
}

/** A file of a model, from "get model". */
export interface ModelFileSummary {
  id: string | null;
  name: string | null;
  downloadUrl: string | null;
  /** Bytes. */
  sizeBytes: number | null;
  sha256checksum: string | null;
  quantization: string | null;
  format: string | null;
  /** Bytes. */
  maxRamUsage: number | null;
  isDownloaded: boolean | null;
  localPath: string | null;
}

/** A file of a model, from "list model files". */
export interface ModelFileInfo {
  id: string;
  name: string;
  downloadUrl: string | null;
  /** Bytes. */
  sizeBytes: number;
  sha256checksum: string | null;
  quantization: string | null;
  format: string | null;
  /** Bytes. */
  maxRamUsage: number | null;
  isDownloaded: boolean | null;
  /** The state of its download. */
  downloadStatus: DownloadStatus | null;
}

export interface DownloadStatus {
  /** `not_started`, `in_progress`, `paused`, or `completed` in all known services. */
  status: string | null;
  progress: DownloadProgress | null;
  localPath: string | null;
}

/** The progress of a download. */
export interface DownloadProgress {
  fileId: string;
  modelId: string;
  filename: string;
  /** 0 to 1. */
  downloadedRatio: number;
  /** Bytes. */
  transferredBytes: number;
  /** Bytes. */
  totalBytes: number;
  paused: boolean;
  /** Milliseconds. */
  downloadTimeTaken: number;
  /** Megabits per second. */
  averageMbps: number;
}

/** A table of the vector database, from "list tables". */
export interface VectorTableInfo {
  /** Null if the service lists the table in a form that orgseat does not know. */
  name: string | null;
  /** In the syntax of the database. */
  schema: TableSchema | null;
  numRows: number | null;
}
