/** Reads, downloads and deletes model files. */

import type { FilePath, Identified } from "../../api/calls/models.ts";
import type { Deleted } from "../../api/calls/organization.ts";
import type { DescribedFile, DownloadAction } from "../../api/schemas/anaconda-model-schemas.ts";
import { CodedError } from "../../util/error-codes.ts";
import { RUN_AGAIN, THEN_RUN_AGAIN } from "../../util/text.ts";
import { isAbsent, isRefused, mayHaveSucceeded, withNextStep } from "../failures.ts";
import { endOfWait, growingPauses, LONG_WORK, provenDeletion } from "../pauses.ts";
import { downloadMove } from "../planned-writes.ts";
import type { CallContext, ModelAccess } from "../resource.ts";

/** A file with the state of its download: `not_started`, `in_progress`, `paused`, or `completed`. */
export interface KnownFile {
  readonly file: Identified<Partial<DescribedFile>>;
  readonly downloadStatus: string;
}

/** The file of a declared or recorded resource. */
export type FileOwner = FilePath & ModelAccess;

/** @returns undefined if the service confirms that there is no such model or file */
export async function readFile(owner: FileOwner, context: CallContext): Promise<KnownFile | undefined> {
  try {
    const file = await context.models(owner).getModelFile(owner, context.operation);
    return { file, downloadStatus: await statusOf(file, owner, context) };
  } catch (error) {
    if (!isAbsent(error)) throw error;
    return (await isFileListed(owner, context)) ? Promise.reject(error) : undefined;
  }
}

/** Whether the lists show the file, although the service answers that there is none. */
async function isFileListed(owner: FileOwner, context: CallContext): Promise<boolean> {
  const api = context.models(owner);
  try {
    return (await api.listModelFiles(owner.modelId, context.operation)).some(({ id }) => id === owner.fileId);
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const models = await api.listModels(undefined, context.operation);
    return models.some(({ id }) => id === owner.modelId);
  }
}

/** Deletes the download; the file stays in the list of the model. */
export async function deleteFile(owner: FileOwner, context: CallContext): Promise<Deleted> {
  const isListed = async (): Promise<boolean> => {
    const known = await readFile(owner, context);
    return known !== undefined && known.downloadStatus !== "not_started";
  };
  const answer = await context.models(owner).deleteModelFile(owner, context.operation);
  return provenDeletion(answer, { what: `model file ${labelOf(owner)}`, isListed }, context);
}

/** A service that returns neither status nor progress shows by its filter which files are downloaded. */
async function statusOf(
  { isDownloaded, downloadStatus }: KnownFile["file"],
  owner: FileOwner,
  context: CallContext,
): Promise<string> {
  if (isDownloaded) return "completed";
  const { status, progress } = downloadStatus ?? {};
  if (typeof status === "string") return status;
  if (progress?.paused) return "paused";
  if (progress && progress.transferredBytes > 0) return "in_progress";
  if (isDownloaded === false) return "not_started";
  const files = await context.models(owner).listModelFiles(owner.modelId, context.operation, true);
  return files.some(({ id }) => id === owner.fileId) ? "completed" : "not_started";
}

/** A message about the progress for each tenth of the file. */
const STEPS = 10;

/** The desired state of a download. */
interface Wish {
  readonly paused: boolean;
  /** Whether this run may start, pause or resume it: the preview has shown it. */
  readonly isPlanned: boolean;
}

/**
 * Starts, pauses, or resumes the download if needed, and waits until the file is downloaded, or the download paused.
 * @throws NotDownloaded if it does not get there in the time of the operation
 */
export async function settleFile(
  first: KnownFile,
  { paused, isPlanned }: Wish,
  owner: FileOwner,
  context: CallContext,
): Promise<KnownFile> {
  let known = first;
  let isSent = false;
  let reported = 0;
  const pauses = growingPauses(context, LONG_WORK);
  for (;;) {
    const { downloadStatus: status } = known;
    const move = downloadMove(status, paused);
    if (paused ? move === undefined : status === "completed") return known;
    if (move !== undefined && !isPlanned)
      throw new NotDownloaded(known, `the download is ${status}, which the preview did not expect`);
    // After a start the service can still show the file as it was.
    if (isSent && status === "paused")
      throw new NotDownloaded(known, "the download was paused in the service");
    if (move !== undefined && !isSent) {
      known = await send(move, known, owner, context);
      isSent = true;
      // A download that has just begun has made no progress yet.
      pauses.lengthen();
      continue;
    }
    reported = report(known, reported, context);
    if (!(await pauses.wait())) throw new NotDownloaded(known, tooLate(known, context));
    known = await required(owner, context);
  }
}

function tooLate(known: KnownFile, context: CallContext): string {
  return `${percentOf(known)} ${endOfWait(context)}; the download continues in the service`;
}

async function send(
  action: DownloadAction,
  known: KnownFile,
  owner: FileOwner,
  context: CallContext,
): Promise<KnownFile> {
  try {
    const state = await context.models(owner).changeModelFile(owner, action, context.operation);
    const downloadStatus = state?.status ?? (action === "pause" ? "paused" : "in_progress");
    return { file: { ...known.file, downloadStatus: state }, downloadStatus };
  } catch (error) {
    // A 400 can mean that the download is there already, by a lost request or by someone else.
    if (!isRefused(error, 400) && !mayHaveSucceeded(error)) throw error;
    const now = await required(owner, context);
    if (downloadMove(now.downloadStatus, action === "pause") !== action) return now;
    // A file that shows nothing of its download may be paused, or on its way.
    if (!showsDownload(now)) {
      return action === "start"
        ? send("resume", known, owner, context)
        : { ...now, downloadStatus: "in_progress" };
    }
    throw withNextStep(error, `Check the download in the service, ${THEN_RUN_AGAIN}.`, "outcome-unknown");
  }
}

function showsDownload({ file: { isDownloaded, downloadStatus } }: KnownFile): boolean {
  return (
    typeof isDownloaded === "boolean" ||
    typeof downloadStatus?.status === "string" ||
    !!downloadStatus?.progress
  );
}

async function required(owner: FileOwner, context: CallContext): Promise<KnownFile> {
  const known = await readFile(owner, context);
  if (known) return known;
  throw new CodedError("not-found", `model file ${labelOf(owner)} no longer exists. ${RUN_AGAIN}.`);
}

/** @returns the last tenth that was reported */
function report(known: KnownFile, reported: number, context: CallContext): number {
  const ratio = known.file.downloadStatus?.progress?.downloadedRatio;
  if (ratio === undefined) return reported;
  const step = Math.floor(ratio * STEPS);
  if (step > reported) context.info(`ModelFile ${nameOf(known)}: ${Math.floor(ratio * 100)}% downloaded.`);
  return Math.max(step, reported);
}

function nameOf({ file }: KnownFile): string {
  return file.name ?? file.id;
}

function percentOf({ file }: KnownFile): string {
  const ratio = file.downloadStatus?.progress?.downloadedRatio;
  return ratio === undefined ? "it is not complete" : `it is at ${Math.floor(ratio * 100)}%`;
}

export function labelOf({ modelId, fileId }: FilePath): string {
  return `${fileId} of model ${modelId}`;
}

/** A file that is not downloaded, as it was last seen. */
export class NotDownloaded extends CodedError {
  readonly known: KnownFile;

  constructor(known: KnownFile, why: string) {
    super(
      "not-ready",
      `cannot download ${nameOf(known)}: ${why}. Run \`pulumi up\` again, which waits for it.`,
    );
    this.known = known;
  }
}
