/** What lookups find. A field is null where the service does not say. */
import type { ServedFile, ServerAddress, ServerConfig, TableSchema } from "./model-resource.ts";

/** A service account as call 2 lists it: never with its secret. */
export interface ServiceAccountInfo {
  name: string;
  /** A GUID. */
  clientId: string;
  organizationId: string;
}

/** A status of a server. */
export type ServerStatus = "running" | "stopped" | "starting" | "stopping" | "errored" | "unavailable";

/** A model server as call 12 lists it. */
export interface ServerInfo {
  id: string;
  tag: string | null;
  serverProcessId: number | null;
  modelFile: ServedFile | null;
  serverConfig: ServerConfig | null;
  server: ServerAddress | null;
  /** In lower case; one of `ServerStatus` at the services known. */
  status: string | null;
}

/** A file of a model as call 13 lists it. */
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
  /** Where its download stands. */
  downloadStatus: DownloadStatus | null;
}

export interface DownloadStatus {
  progress: DownloadProgress | null;
  localPath: string | null;
}

/** A download that is under way. */
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
  /** Megabits a second. */
  averageMbps: number;
}

/** A table of the vector database as call 15 lists it. */
export interface VectorTableInfo {
  name: string;
  /** In the database's own words. */
  schema: TableSchema | null;
  numRows: number | null;
}
