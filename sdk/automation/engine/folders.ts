/** The folders that orgseat writes beside those of Pulumi. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, realpathSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CodedError } from "../../../provider/util/error-codes.ts";
import { searchPath } from "../../../provider/util/search-path.ts";

/** The error for a folder that orgseat needs and cannot write. @param cause the error of the file system */
export function unwritable(folder: string, cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  return new CodedError(
    "file-error",
    `cannot write ${folder} (${code}). Make the folder of the roster writable, or copy the roster to a folder that is`,
  );
}

/** For what orgseat keeps only to be faster: you can delete it at any time. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "orgseat");
}

/**
 * A folder for the front of the PATH, whose only program is the Node of this process: Pulumi runs providers with the first
 * `node`. Undefined if that is this one already, on Windows, and if the folder cannot be written.
 */
export function nodeFolder(environment: NodeJS.ProcessEnv): string | undefined {
  if (process.platform === "win32") return undefined;
  const first = searchPath(environment)
    .map((folder) => join(folder, "node"))
    .find((file) => existsSync(file));
  if (first !== undefined && realpathSync(first) === realpathSync(process.execPath)) return undefined;
  const name = createHash("sha256").update(process.execPath).digest("hex").slice(0, 12);
  const folder = join(cacheFolder(environment), "node", name);
  const file = join(folder, "node");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!existsSync(file)) symlinkSync(process.execPath, file);
  } catch {
    // Another process can have made it at this moment.
  }
  return existsSync(file) ? folder : undefined;
}
