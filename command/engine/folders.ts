/** The folders that orgseat writes beside those of Pulumi. */

import { join } from "node:path";
import { CodedError } from "../../provider/util/error-codes.ts";
import { homeFolder } from "../../provider/util/search-path.ts";

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
