/**
 * ModelFile: a file of a model, downloaded by the service (get, download and delete model file). Id: the ids of model and
 * file. A changed id replaces it. The creation waits until the file is downloaded; with `paused` it starts nothing. Removal
 * deletes what was downloaded, or keeps it, according to `onDelete`; the model stays.
 */

import { z } from "zod";
import { modelIdSchema } from "../../api/schemas/model-schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { changedKeys, inputIssue } from "../changes.ts";
import { keepIfFailed } from "../failures.ts";
import { claimObject, isOwnedByAnother, newInstance, ownershipOutputs } from "../ownership.ts";
import { downloadMove } from "../planned-writes.ts";
import {
  apiKeyCredentialsSchema,
  type CallContext,
  commonOutputs,
  type ResourceDefinition,
} from "../resource.ts";
import { STATE_VERSION } from "../resource-types.ts";
import { known } from "../unknown.ts";
import {
  deleteFile,
  type FileOwner,
  type KnownFile,
  labelOf,
  NotDownloaded,
  readFile,
  settleFile,
} from "./file-calls.ts";

const inputs = {
  modelId: modelIdSchema,
  fileId: modelIdSchema,
  paused: z.boolean().optional(),
  onDelete: z.enum(
    ["delete", "retain"],
    'set what happens to the file on removal: "delete" deletes the download, "retain" leaves it',
  ),
  credentials: apiKeyCredentialsSchema.optional(),
};
const text = z.string().nullable();
const serviceFields = {
  name: text,
  downloadUrl: text,
  sizeBytes: z.number().nullable(),
  sha256checksum: text,
  quantization: text,
  format: text,
  maxRamUsage: z.number().nullable(),
  localPath: text,
  downloadStatus: z.string(),
};
const outputs = z.object({ ...inputs, ...commonOutputs, ...ownershipOutputs, ...serviceFields });
const inputsSchema = z.object(inputs);
type ModelFileInputs = z.output<typeof inputsSchema>;
type ModelFileOutputs = z.output<typeof outputs>;
type Declared = ModelFileInputs & Pick<ModelFileOutputs, "instance">;

const identity = ["modelId", "fileId"] as const;

export const modelFileDefinition: ResourceDefinition<ModelFileInputs, ModelFileOutputs> = {
  name: "ModelFile",
  area: "model",
  inputs,
  outputs,
  secretInputs: ["credentials"],
  secretOutputs: [],
  stableOutputs: [
    "name",
    "downloadUrl",
    "sizeBytes",
    "sha256checksum",
    "quantization",
    "format",
    "maxRamUsage",
  ],
  identity,

  complete: (news) => news,

  check: (_news, _olds, { can }) =>
    can.canDownloadFiles
      ? []
      : [
          inputIssue(
            "",
            "this service (orgseat:platform) cannot download model files. Remove the ModelFile, and download the file in the service",
          ),
        ],

  diff(id, olds, news, context) {
    const replaces = changedKeys(olds, news, identity);
    if (replaces.length === 0) claimObject(context, "ModelFile", id, olds);
    const rest = changedKeys(olds, news, ["paused", "onDelete", "credentials"]);
    const isMoved = downloadMove(olds.downloadStatus, known(news.paused) ?? false) !== undefined;
    return { changes: replaces.length + rest.length > 0 || isMoved, replaces, deleteBeforeReplace: false };
  },

  async create(news, context) {
    const id = idOf(news);
    const found = await readFile(news, context);
    if (found === undefined) {
      throw new CodedError(
        "not-found",
        `cannot download model file ${labelOf(news)}: the service does not have this file. Correct \`modelId\` and \`fileId\`; \`getModelFiles\` lists the files of a model.`,
      );
    }
    const declared = { ...news, instance: newInstance() };
    claimObject(context, "ModelFile", id, declared);
    return { id, outs: await settle(found, declared, context, true) };
  },

  async find(id, given, context) {
    const split = id.lastIndexOf("/");
    const path = { modelId: id.slice(0, split), fileId: id.slice(split + 1) };
    if (split < 1)
      throw new CodedError(
        "cannot-adopt",
        `cannot import ModelFile ${id}: the id must be <model id>/<file id>`,
      );
    const found = await readFile({ ...given, ...path }, context);
    const declared = { onDelete: "retain" as const, ...given, ...path, instance: newInstance() };
    return found && outsOf(declared, found);
  },

  async read(_id, outs, context) {
    const found = await readFile(outs, context);
    return found && outsOf(outs, found);
  },

  async update(_id, olds, news, context) {
    const declared = { ...news, instance: olds.instance };
    const isPlanned = downloadMove(olds.downloadStatus, news.paused ?? false) !== undefined;
    const isThere = !isPlanned && (news.paused || olds.downloadStatus === "completed");
    if (isThere) return { ...olds, ...declared, paused: news.paused, credentials: news.credentials };
    const found = await readFile(news, context);
    if (found) return settle(found, declared, context, isPlanned);
    throw new CodedError(
      "not-found",
      `cannot download model file ${labelOf(news)}: the service no longer has this file. Run \`pulumi up --refresh\`.`,
    );
  },

  updateWrites({ downloadStatus }, { paused = false }) {
    const move = downloadMove(downloadStatus, paused);
    return move === undefined ? [] : [`${move} download`];
  },

  async delete(id, outs, context) {
    if (isOwnedByAnother(context, "ModelFile", id, outs)) return "kept";
    if (outs.onDelete === "delete") return deleteFile(outs, context);
    context.warn(`ModelFile ${outs.name ?? id} is retained: the download stays in the service.`);
    return "kept";
  },
};

function idOf({ modelId, fileId }: Pick<FileOwner, "modelId" | "fileId">): string {
  return `${modelId}/${fileId}`;
}

/** Brings the download to the declared state. If it does not get there, the state keeps it as it was last seen. */
async function settle(
  found: KnownFile,
  declared: Declared,
  context: CallContext,
  isPlanned: boolean,
): Promise<ModelFileOutputs> {
  const wish = { paused: declared.paused ?? false, isPlanned };
  return keepIfFailed(
    idOf(declared),
    async () => outsOf(declared, await settleFile(found, wish, declared, context)),
    (failure) => outsOf(declared, failure instanceof NotDownloaded ? failure.known : found),
  );
}

function outsOf(declared: Declared, { file, downloadStatus }: KnownFile): ModelFileOutputs {
  const { modelId, fileId, paused, onDelete, credentials, instance } = declared;
  return {
    ...{ modelId, fileId, paused, onDelete, credentials },
    name: file.name ?? null,
    downloadUrl: file.downloadUrl ?? null,
    sizeBytes: file.sizeBytes ?? null,
    sha256checksum: file.sha256checksum ?? null,
    quantization: file.quantization ?? null,
    format: file.format ?? null,
    maxRamUsage: file.maxRamUsage ?? null,
    localPath: file.localPath ?? file.downloadStatus?.localPath ?? null,
    downloadStatus,
    instance,
    stateVersion: STATE_VERSION,
  };
}
