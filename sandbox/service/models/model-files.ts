/** "list model files": models, their files, and downloads that progress with the service's clock (D34). */
import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { modelIdSchema } from "../../../provider/api/schemas/model-schemas.ts";
import type { Database } from "../base/database.ts";
import type { ModelHandler } from "../base/handler.ts";
import { plainRefusal, refusal } from "../base/refusals.ts";

const bytes = z.int().min(0);

/** A file in a request of the management API. */
const newFileSchema = z.strictObject({
  id: z.string().min(1).optional(),
  name: z.string().min(1),
  sizeBytes: z.int().min(1).default(4_000_000_000),
  quantization: z.string().min(1).default("Q4_K_M"),
  format: z.string().min(1).default("gguf"),
  /** Default: 1.2 times the size of the file. */
  maxRamUsage: bytes.optional(),
  /**
   * `done`, `none` (not started), or a download with so many bytes, which progresses unless it is paused.
   * Default: done.
   */
  download: z
    .union([
      z.enum(["done", "none"]),
      z.strictObject({
        receivedBytes: bytes.default(0),
        bytesPerSecond: z.int().min(1).default(10_000_000),
        paused: z.boolean().default(false),
      }),
    ])
    .default("done"),
});
type NewFile = z.output<typeof newFileSchema>;

export const newModelSchema = z.strictObject({
  id: modelIdSchema.optional(),
  name: z.string().min(1),
  files: z.array(newFileSchema).default([]),
});
export type NewModel = z.input<typeof newModelSchema>;

export const addedModelSchema = z.object({ modelId: z.string(), fileIds: z.array(z.string()) });
/** The ids of a new model and of its files, in their order. */
export type AddedModel = z.output<typeof addedModelSchema>;

const fileRow = z.object({
  id: z.string(),
  model_id: z.string(),
  name: z.string(),
  size_bytes: z.number(),
  sha256: z.string(),
  quantization: z.string(),
  format: z.string(),
  max_ram_usage: z.number(),
  received_bytes: z.number(),
  spent_ms: z.number(),
  bytes_per_second: z.number(),
  resumed_at: z.number().nullable(),
  paused: z.number(),
});
export type FileRow = z.output<typeof fileRow>;

/** The state of a download at one time. */
interface Progress {
  readonly receivedBytes: number;
  readonly spentMs: number;
}

/** The files of one model, in the order of their creation. */
export const listModelFiles: ModelHandler = ({ database, now, path }) => {
  const { model_id: id = "" } = path;
  if (!database.has("SELECT 1 FROM models WHERE id = ?", id)) throw plainRefusal(404, "no such model");
  return { data: findFiles(database, id).map((file) => shownFile(file, now)) };
};

export function findFiles(database: Database, modelId: string): FileRow[] {
  return database.all(fileRow, "SELECT * FROM model_files WHERE model_id = ? ORDER BY rowid", modelId);
}

/** @throws 404 if no model has the file */
export function requireFile(database: Database, id: string): FileRow {
  const file = database.one(fileRow, "SELECT * FROM model_files WHERE id = ?", id);
  if (!file) throw refusal(404, "FILE_NOT_FOUND", "no model has a file with this id");
  return file;
}

export function addModel(
  database: Database,
  now: number,
  model: z.output<typeof newModelSchema>,
): AddedModel {
  const { id = randomUUID(), name, files } = model;
  if (database.has("SELECT 1 FROM models WHERE id = ?", id)) {
    throw refusal(409, "MODEL_EXISTS", "a model with this id exists");
  }
  database.run("INSERT INTO models (id, name) VALUES (?, ?)", id, name);
  return { modelId: id, fileIds: files.map((file) => addFile(database, now, id, file)) };
}

function addFile(database: Database, now: number, modelId: string, file: NewFile): string {
  const { id = randomUUID(), name, sizeBytes, quantization, format, download } = file;
  if (database.has("SELECT 1 FROM model_files WHERE id = ?", id)) {
    throw refusal(409, "FILE_EXISTS", "a file with this id exists");
  }
  const begun = typeof download === "object" ? download : undefined;
  const received = begun ? Math.min(begun.receivedBytes, sizeBytes) : download === "done" ? sizeBytes : 0;
  const rate = begun?.bytesPerSecond ?? 10_000_000;
  const sha256 = createHash("sha256").update(`${modelId}/${name}`).digest("hex");
  database.run(
    `INSERT INTO model_files (id, model_id, name, size_bytes, sha256, quantization, format, max_ram_usage,
       received_bytes, spent_ms, bytes_per_second, resumed_at, paused)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    modelId,
    name,
    sizeBytes,
    sha256,
    quantization,
    format,
    file.maxRamUsage ?? Math.round(sizeBytes * 1.2),
    received,
    Math.round((received / rate) * 1000),
    rate,
    begun && !begun.paused ? now : null,
    Number(begun?.paused ?? false),
  );
  return id;
}

export function isDownloaded(file: FileRow, now: number): boolean {
  return progressOf(file, now).receivedBytes === file.size_bytes;
}

/** The path of the file on the machine that serves it. */
export function localPathOf(file: FileRow): string {
  return `/var/lib/models/${file.model_id}/${file.name}`;
}

function progressOf(file: FileRow, now: number): Progress {
  const { received_bytes: received, spent_ms: spent, bytes_per_second: rate, resumed_at: resumed } = file;
  if (resumed === null) return { receivedBytes: received, spentMs: spent };
  const needed = Math.ceil(((file.size_bytes - received) / rate) * 1000);
  const elapsed = Math.min(Math.max(0, now - resumed), needed);
  const came = Math.floor((elapsed * rate) / 1000);
  return {
    receivedBytes: elapsed === needed ? file.size_bytes : Math.min(received + came, file.size_bytes),
    spentMs: spent + elapsed,
  };
}

/** In the form of "list model files". */
export function shownFile(file: FileRow, now: number) {
  const { receivedBytes, spentMs } = progressOf(file, now);
  const localPath = localPathOf(file);
  return {
    id: file.id,
    name: file.name,
    downloadUrl: `https://models.example/${encodeURIComponent(file.model_id)}/${encodeURIComponent(file.name)}`,
    sizeBytes: file.size_bytes,
    sha256checksum: file.sha256,
    quantization: file.quantization,
    format: file.format,
    maxRamUsage: file.max_ram_usage,
    isDownloaded: receivedBytes === file.size_bytes,
    downloadStatus: {
      progress: {
        fileId: file.id,
        modelId: file.model_id,
        filename: file.name,
        downloadedRatio: receivedBytes / file.size_bytes,
        transferredBytes: receivedBytes,
        totalBytes: file.size_bytes,
        paused: file.paused === 1,
        downloadTimeTaken: spentMs,
        averageMbps: spentMs === 0 ? 0 : (receivedBytes * 8) / 1e6 / (spentMs / 1000),
      },
      localPath,
    },
  };
}
