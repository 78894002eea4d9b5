/** The folders that orgseat writes beside those of Pulumi, and what it repairs in them. */

import { existsSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { CodedError } from "../../provider/util/error-codes.ts";
import { writeWhole } from "../../provider/util/json.ts";
import { homeFolder } from "../../provider/util/search-path.ts";
import { configFileOf, OWN_PROJECT, projectFolderOf } from "./stack-names.ts";

/** The project for a folder without one. */
const PROJECT = `name: ${OWN_PROJECT}
description: created by orgseat for a roster without a Pulumi project
runtime:
  name: nodejs
  options:
    typescript: false
`;

/** The error for a folder that orgseat needs and cannot write. @param cause the error of the file system */
export function unwritable(folder: string, cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  const step =
    code === "ENOSPC"
      ? "The disk is full: free some space, then run the command again"
      : "Make the folder of the roster writable, or copy the roster to a folder that is";
  return new CodedError("file-error", `cannot write ${folder} (${code}). ${step}`);
}

/** For what orgseat keeps only to be faster: you can delete it at any time. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  return join(environment.XDG_CACHE_HOME || join(homeFolder(environment), ".cache"), "orgseat");
}

/** Creates a project in a separate folder if the roster's folder has none. */
export function projectFolder(folder: string): string {
  const own = projectFolderOf(folder);
  if (own === folder) return folder;
  const file = join(own, "Pulumi.yaml");
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    // Pulumi reads nothing of a project whose file is cut off.
    if (!existsSync(file)) writeWhole(file, PROJECT, 0o644);
  } catch (error) {
    throw unwritable(own, error);
  }
  return own;
}

const SALT_KEY = "encryptionsalt:";
/** As Pulumi writes it: the Base64 of a salt ends with two pads. */
const WHOLE_SALT = /==$/;

/**
 * Removes a salt that a kill or a full disk has cut off in the settings of a stack: Pulumi would call every passphrase
 * incorrect. Without a salt there, it takes that of the state.
 */
export function removeCutOffSalt(folder: string, stack: string): void {
  const file = configFileOf(folder, stack);
  if (file === undefined) return;
  const text = readFileSync(file, "utf8");
  const last = text.slice(text.lastIndexOf("\n") + 1);
  const isPart = last.startsWith(SALT_KEY) ? !WHOLE_SALT.test(last) : SALT_KEY.startsWith(last);
  if (last !== "" && isPart) truncateSync(file, Buffer.byteLength(text) - Buffer.byteLength(last));
}
