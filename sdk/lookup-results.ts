/** The results of lookups. A field is null if the service does not return it. */
import type { TableSchema } from "../provider/api/model-types.ts";
import type { ServedFile, ServerAddress, ServerConfig } from "./model-resource.ts";

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
  /** `member`, `admin` or `billing_manager` at all known services. */
  role: string;
  /** Whether the user has a seat: of `orgseat:product` where it is set, else of any product. */
  hasSeat: boolean;
}

/** A model server, from "list servers". */
export interface ServerInfo {
  id: string;
  tag: string | null;
  serverProcessId: number | null;
  modelFile: ServedFile | null;
  serverConfig: ServerConfig | null;
  server: ServerAddress | null;
  /** In lower case; one of `ServerStatus` at all known services. */
  status: string | null;
}

/** A model, from "list models" or "get model". */
export interface ModelInfo {
  id: string;
  name: string | null;
  /** Null if the service does not list them here; `getModelFiles` does. */
  files: ModelFileInfo[] | null;
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
  isDownloaded: boolean;
  /** The state of its download. */
  downloadStatus: DownloadStatus | null;
}

export interface DownloadStatus {
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
  name: string;
  /** In the syntax of the database. */
  schema: TableSchema | null;
  numRows: number | null;
}
