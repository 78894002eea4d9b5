/** The results of lookups. A field is null if the service does not return it. */
import type { ServerStatus, TableSchema } from "../../provider/api/schemas/model-types.ts";
import type { ServedFile, ServerAddress, ServerConfig } from "../base/base-resource.ts";

/** A service account, from "list service accounts", which never returns its secret. */
export interface ServiceAccountInfo {
  /** The name, which need not be unique. */
  name: string;
  /** A GUID. */
  clientId: string;
  /** The id of its organization. */
  organizationId: string;
}

/** The role of a member. */
export type MemberRole = "member" | "admin" | "billing_manager";

/** A member of the organization, from "list users". */
export interface MemberInfo {
  /** The user id. */
  id: string;
  /** The email, as the service spells it; null for a machine user without one. */
  email: string | null;
  /** The first name; of a machine user, its purpose. */
  firstName: string | null;
  /** The last name. */
  lastName: string | null;
  /** The role; a service may have others. Null if it is unreadable. */
  role: MemberRole | (string & {}) | null;
  /**
   * Whether the user has a seat: of `orgseat:product`, otherwise of the only product code in the list. Null if the list does
   * not say it: an unreadable item, or several codes without `orgseat:product`.
   */
  hasSeat: boolean | null;
}

/** A model server, from "list servers". */
export interface ServerInfo {
  /** Empty if the service does not return it. */
  id: string;
  /** The tag of the server. */
  tag: string | null;
  /** The id of its process on the machine of the model area. */
  serverProcessId: number | null;
  /** The model file that it serves. */
  modelFile: ServedFile | null;
  /** Its configuration. */
  serverConfig: ServerConfig | null;
  /** The address on which it listens. */
  endpoint: ServerAddress | null;
  /** The status in lower case; a service may have others. */
  status: ServerStatus | (string & {}) | null;
}

/** What a model is trained for. */
export type ModelPurpose = "text-generation" | "sentence-similarity";

/** A model, from "list models" or "get model". */
export interface ModelInfo {
  /** Empty if the service does not return it. */
  id: string;
  /** The name of the model. */
  name: string | null;
  /** The number of parameters: a number, or a text such as `8B`, as the service writes it. */
  numParameters: string | null;
  /** The size of the context window, in tokens. */
  contextWindowSize: number | null;
  /** What the model is for; a service may have other values. */
  trainedFor: ModelPurpose | (string & {}) | null;
  /** What its publisher says about it. */
  description: string | null;
  /** The name of its license. */
  license: string | null;
  /** Who published it. */
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
  /** The quantization, such as `Q4_K_M`. */
  method: string | null;
  /** The size in bytes. */
  sizeBytes: number | null;
  /** The most memory that the model needs, in bytes. */
  maxRamUsage: number | null;
}

/** A file of a model, from "get model". */
export interface ModelFileSummary {
  /** The id of the file. */
  id: string | null;
  /** The name of the file. */
  name: string | null;
  /** Where the model area downloads it from. */
  downloadUrl: string | null;
  /** The size in bytes. */
  sizeBytes: number | null;
  /** The SHA-256 checksum of the file. */
  sha256checksum: string | null;
  /** The quantization, such as `Q4_K_M`. */
  quantization: string | null;
  /** The format of the file, such as `gguf`. */
  format: string | null;
  /** The most memory that the model needs, in bytes. */
  maxRamUsage: number | null;
  /** Whether the model area has the file. */
  isDownloaded: boolean | null;
  /** Where the file is on the machine of the model area. */
  localPath: string | null;
}

/** A file of a model, from "list model files". */
export interface ModelFileInfo {
  /** The id of the file. */
  id: string;
  /** The name of the file. */
  name: string;
  /** Where the model area downloads it from. */
  downloadUrl: string | null;
  /** The size in bytes. */
  sizeBytes: number;
  /** The SHA-256 checksum of the file. */
  sha256checksum: string | null;
  /** The quantization, such as `Q4_K_M`. */
  quantization: string | null;
  /** The format of the file, such as `gguf`. */
  format: string | null;
  /** The most memory that the model needs, in bytes. */
  maxRamUsage: number | null;
  /** Whether the model area has the file. */
  isDownloaded: boolean | null;
  /** The state of its download. */
  downloadStatus: DownloadStatus | null;
}

/** The state of a download. */
export type DownloadState = "not_started" | "in_progress" | "paused" | "completed";

/** The download of a file. */
export interface DownloadStatus {
  /** The state; a service may have others. */
  status: DownloadState | (string & {}) | null;
  /** How far it is. */
  progress: DownloadProgress | null;
  /** Where the file is on the machine of the model area. */
  localPath: string | null;
}

/** The progress of a download. */
export interface DownloadProgress {
  /** The id of the file. */
  fileId: string;
  /** The id of its model. */
  modelId: string;
  /** The name of the file. */
  filename: string;
  /** The downloaded part, 0 to 1. */
  downloadedRatio: number;
  /** The bytes downloaded so far. */
  transferredBytes: number;
  /** The size of the file in bytes. */
  totalBytes: number;
  /** Whether the download is paused. */
  paused: boolean;
  /** How long it has taken, in milliseconds. */
  downloadTimeTaken: number;
  /** The average speed in megabits per second. */
  averageMbps: number;
}

/** A table of the vector database, from "list tables". */
export interface VectorTableInfo {
  /** The name of the table; null if the service lists the table in a form that orgseat does not know. */
  name: string | null;
  /** The columns, in the syntax of the database. */
  schema: TableSchema | null;
  /** The number of rows. */
  numRows: number | null;
}
