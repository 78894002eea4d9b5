/** The calls of platforms that list models: models, and their files. */
import { z } from "zod";
import type { Database } from "../base/database.ts";
import type { ModelHandler } from "../base/handler.ts";
import { refusal } from "../base/refusals.ts";
import { type FileRow, findFiles, isDownloaded, localPathOf, shownFile } from "./model-files.ts";

const modelRow = z.object({ id: z.string(), name: z.string() });
type ModelRow = z.output<typeof modelRow>;

/** A value that is not a boolean filters nothing. */
const downloadedSchema = z.object({ downloaded: z.stringbool().optional().catch(undefined) });

/** `downloaded` asks for the models that have a downloaded file, or have none. */
export const listModels: ModelHandler = ({ database, now, query, switches }) => {
  const { downloaded } = downloadedSchema.parse(query);
  const models = database.all(modelRow, "SELECT id, name FROM models ORDER BY rowid");
  const fits = (model: ModelRow): boolean =>
    downloaded === undefined ||
    switches.listFilters === "ignored" ||
    findFiles(database, model.id).some((file) => isDownloaded(file, now)) === downloaded;
  return { data: models.filter(fits).map((model) => shownModel(database, model)) };
};

export const getModel: ModelHandler = ({ database, now, path }) => {
  const model = requireModel(database, path.model_id);
  const files = findFiles(database, model.id);
  const { quantizations: _, ...metadata } = shownModel(database, model).metadata;
  return {
    data: {
      ...model,
      metadata: { ...metadata, ...FURTHER, files: files.map((file) => describedFile(file, now)) },
    },
  };
};

export const listModelFilesWithStatus: ModelHandler = ({ database, now, path }) => {
  const files = findFiles(database, requireModel(database, path.model_id).id);
  return { data: files.map((file) => listedFile(file, now)) };
};

type DownloadState = "not_started" | "in_progress" | "paused" | "completed";

function downloadStateOf(file: FileRow, now: number): DownloadState {
  if (isDownloaded(file, now)) return "completed";
  if (file.paused === 1) return "paused";
  return file.resumed_at === null ? "not_started" : "in_progress";
}

function requireModel(database: Database, id = ""): ModelRow {
  const model = database.one(modelRow, "SELECT id, name FROM models WHERE id = ?", id);
  if (!model) throw refusal(404, "INVALID_REQUEST", "no such model");
  return model;
}

function listedFile(file: FileRow, now: number) {
  const { downloadStatus, ...fields } = shownFile(file, now);
  return { ...fields, downloadStatus: { status: downloadStateOf(file, now), ...downloadStatus } };
}

function describedFile(file: FileRow, now: number) {
  const { downloadStatus: _, ...fields } = shownFile(file, now);
  return { ...fields, localPath: localPathOf(file) };
}

const CONTEXT_WINDOW_TOKENS = 8_192;
/** Of a file with 16 bits for each parameter, which the largest one of a model usually has. */
const BYTES_PER_PARAMETER = 2;

/** Plausible values for what the sandbox does not store. */
function shownModel(database: Database, { id, name }: ModelRow) {
  const files = findFiles(database, id);
  const largest = Math.max(0, ...files.map((file) => file.size_bytes));
  return {
    id,
    name,
    metadata: {
      numParameters: Math.round(largest / BYTES_PER_PARAMETER),
      contextWindowSize: CONTEXT_WINDOW_TOKENS,
      trainedFor: /embed/i.test(name) ? "sentence-similarity" : "text-generation",
      description: `${name}, a model of the sandbox`,
      quantizations: files.map((file) => ({
        modelFileName: file.name,
        method: file.quantization,
        sizeBytes: file.size_bytes,
        maxRamUsage: file.max_ram_usage,
      })),
    },
  };
}

/** What "get model" shows besides. */
const FURTHER = {
  license: "apache-2.0",
  languages: ["en"],
  last_updated: "2026-01-15T00:00:00Z",
  library_name: "gguf",
  model_type: "llama",
  resources: { canonicalUrl: "https://models.example", paperUrl: "https://models.example/paper" },
  publisher: "the sandbox",
};

export const checkModelArea: ModelHandler = () => undefined;

const healthy =
  (part: string): ModelHandler =>
  () => ({ data: { message: `${part} are available` } });

export const checkModels = healthy("models");
export const checkServers = healthy("servers");
export const checkVectorDatabase = healthy("vector tables");
