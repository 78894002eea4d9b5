/** The calls of dialects that list models: models, their files, and the downloads of files. */
import { z } from "zod";
import { changeModelFileRequestSchema } from "../../provider/api/anaconda-schemas.ts";
import type { Database } from "./database.ts";
import type { ModelHandler } from "./handler.ts";
import {
  cancelDownload,
  type FileRow,
  findFiles,
  isDownloaded,
  moveDownload,
  requireFile,
  shownFile,
} from "./model-files.ts";
import { refusal } from "./refusals.ts";

const modelRow = z.object({ id: z.string(), name: z.string() });
type ModelRow = z.output<typeof modelRow>;

/** A value that is no boolean filters nothing. */
const downloadedSchema = z.object({ downloaded: z.stringbool().optional().catch(undefined) });

/** `downloaded` asks for the models that have a downloaded file, or have none. */
export const listModels: ModelHandler = ({ database, now, query }) => {
  const { downloaded } = downloadedSchema.parse(query);
  const models = database.all(modelRow, "SELECT id, name FROM models ORDER BY rowid");
  const fits = (model: ModelRow): boolean =>
    downloaded === undefined ||
    findFiles(database, model.id).some((file) => isDownloaded(file, now)) === downloaded;
  return { data: models.filter(fits).map((model) => shownModel(database, now, model)) };
};

export const getModel: ModelHandler = ({ database, now, path }) => ({
  data: shownModel(database, now, requireModel(database, path.model_id)),
});

export const listModelFilesByDownload: ModelHandler = ({ database, now, path, query }) => {
  const { downloaded } = downloadedSchema.parse(query);
  const files = findFiles(database, requireModel(database, path.model_id).id).filter(
    (file) => downloaded === undefined || isDownloaded(file, now) === downloaded,
  );
  return { data: files.map((file) => shownFile(file, now)) };
};

/** Starts, pauses, resumes or cancels the download of a file. */
export const changeModelFile: ModelHandler = ({ database, now, path }, body) => {
  const { action } = changeModelFileRequestSchema.parse(body);
  const model = requireModel(database, path.model_id);
  const file = requireFile(database, path.file_id ?? "");
  if (file.model_id !== model.id) throw refusal(404, "INVALID_REQUEST", "the model has no such file");
  const state = downloadStateOf(file, now);
  if (!allowed[action].includes(state)) {
    throw refusal(400, "INVALID_REQUEST", `cannot ${action} a download that is ${state}`);
  }
  if (action === "cancel") cancelDownload(database, file.id);
  else moveDownload(database, now, file.id, action === "pause" ? "pause" : "resume");
  return undefined;
};

type DownloadState = "not started" | "active" | "paused" | "complete";

const allowed: Readonly<
  Record<z.output<typeof changeModelFileRequestSchema>["action"], readonly DownloadState[]>
> = {
  start: ["not started"],
  pause: ["active"],
  resume: ["paused"],
  cancel: ["active", "paused"],
};

function downloadStateOf(file: FileRow, now: number): DownloadState {
  if (isDownloaded(file, now)) return "complete";
  if (file.paused === 1) return "paused";
  return file.resumed_at === null ? "not started" : "active";
}

function requireModel(database: Database, id = ""): ModelRow {
  const model = database.one(modelRow, "SELECT id, name FROM models WHERE id = ?", id);
  if (!model) throw refusal(404, "INVALID_REQUEST", "no such model");
  return model;
}

function shownModel(database: Database, now: number, { id, name }: ModelRow) {
  return { id, name, files: findFiles(database, id).map((file) => shownFile(file, now)) };
}
