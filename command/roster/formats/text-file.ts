/** Files that people write: read whole or refused with a sentence, written whole or not at all. */

import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { lstatSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { constants, copyFile, link, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { writeWhole } from "../../../provider/util/json.ts";
import { messageOf, RUN_AGAIN } from "../../../provider/util/text.ts";
import { Lines, RosterError, SPLIT, type ValidationIssue } from "./validation.ts";

const MB = 1_000_000;
/** Of a file, which memory holds several times. */
const MOST_MB = 20;

const BOM = "\uFEFF";
/** The mode of a file that is not there yet. */
const NEW_MODE = 0o644;
/** The mode of a file that names people or holds a token. */
export const PRIVATE_MODE = 0o600;

/**
 * @returns the text, with its byte order mark
 * @throws RosterError for a file that is not there, may not be read, is a folder, is too large, or holds no UTF-8 text
 */
export async function readText(file: string): Promise<string> {
  const refuse = (text: string): never => {
    throw new RosterError(file, [{ line: 0, column: 0, text }]);
  };
  const fail = (error: NodeJS.ErrnoException) => refuse(readErrorText(error));
  const { size } = await stat(file).catch(fail);
  if (size > MOST_MB * MB) refuse(`too large (${Math.ceil(size / MB)} MB, at most ${MOST_MB} MB). ${SPLIT}`);
  const bytes = await readFile(file).catch(fail);
  const issue = encodingIssue(bytes);
  if (issue !== undefined) throw new RosterError(file, [issue]);
  return bytes.toString("utf8");
}

/** The absolute path without links: files that belong to a roster are beside it, and not beside a link to it. */
export function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return resolve(file);
  }
}

/** @returns the text without its byte order mark, and the mark */
export function splitByteOrderMark(text: string): { mark: string; text: string } {
  return text.startsWith(BOM) ? { mark: BOM, text: text.slice(BOM.length) } : { mark: "", text };
}

function readErrorText({ code, message, path }: NodeJS.ErrnoException): string {
  if (code === "ENOENT" && path !== undefined && lstatSync(path, { throwIfNoEntry: false }))
    return "a link to a file that does not exist. Restore that file, or correct the link";
  if (code === "ENOENT") return "no such file. Check the path";
  if (code === "EISDIR") return "is a folder. Pass a file";
  if (code === "EACCES" || code === "EPERM") return "permission denied. Change the permissions of the file";
  return `cannot read the file: ${message}`;
}

function encodingIssue(bytes: Buffer): ValidationIssue | undefined {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    return { line: 1, column: 1, text: "the file is UTF-16. Save it as UTF-8" };
  }
  const text = bytes.toString("utf8");
  const isText = isUtf8(bytes);
  const at = isText ? text.indexOf("\0") : text.search(/[\0\uFFFD]/);
  if (at < 0) return undefined;
  const what =
    isText || text.includes("\0")
      ? "binary file (expected CSV, YAML, or JSON)"
      : "not valid UTF-8. Save the file as UTF-8";
  return { ...new Lines(text).at(at), text: what };
}

/** Writes the file so that it is the old one or the new one at any moment, with the old one's mode. */
export async function writeText(file: string, text: string): Promise<void> {
  const existing = await stat(file).catch(() => undefined);
  const target = await realpath(file).catch(() => file);
  await beside(target, text, existing === undefined ? NEW_MODE : existing.mode & 0o7777, (written) =>
    rename(written, target),
  );
}

/**
 * Writes a text that names people, for this user only: an existing file or link is replaced by a new file. A pipe or a device
 * gets the text.
 * @throws CodedError with the reason
 */
export function writePrivateText(file: string, text: string): void {
  try {
    writePrivately(file, text);
  } catch (error) {
    const isFolderMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const reason = isFolderMissing ? `no such folder: ${dirname(file)}. Create it` : messageOf(error);
    throw new CodedError("file-error", `cannot write ${file}: ${reason}`);
  }
}

function writePrivately(file: string, text: string): void {
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing !== undefined && !existing.isFile()) writeFileSync(file, text);
  else writeWhole(file, text, PRIVATE_MODE);
}

/** A text that replaces the one it was made from. */
export interface Rewriting {
  readonly file: string;
  readonly before: string;
  readonly text: string;
}

/** @throws if one of the files has changed since it was read: then none is written */
export async function rewriteTexts(rewritings: readonly Rewriting[]): Promise<void> {
  for (const { file, before } of rewritings) {
    if ((await readText(file)) === before) continue;
    throw new CodedError(
      "file-changed",
      `${file} changed while the command was running. No changes were made. ${RUN_AGAIN}`,
    );
  }
  for (const { file, before, text } of rewritings) if (text !== before) await writeText(file, text);
}

/** Writes a new file at once. @returns false, without a write, if the file exists */
export async function createText(file: string, text: string, mode = NEW_MODE): Promise<boolean> {
  const isThere = (error: NodeJS.ErrnoException): boolean => error.code === "EEXIST";
  return beside(file, text, mode, async (written) => {
    try {
      // Not every file system has links.
      await link(written, file).catch((error: NodeJS.ErrnoException) => {
        if (isThere(error)) throw error;
        return copyFile(written, file, constants.COPYFILE_EXCL);
      });
      return true;
    } catch (error) {
      if (error instanceof Error && isThere(error)) return false;
      throw error;
    }
  });
}

/** Writes a temporary file in the same folder, which is gone in the end unless `use` has moved it. */
async function beside<Result>(
  file: string,
  text: string,
  mode: number,
  use: (written: string) => Promise<Result>,
): Promise<Result> {
  const written = `${file}.${randomUUID()}.tmp`;
  try {
    const handle = await open(written, "wx", mode);
    try {
      await handle.chmod(mode);
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return await use(written);
  } finally {
    await rm(written, { force: true });
  }
}
