/** The folders that orgseat writes beside those of Pulumi. */
import { homedir } from "node:os";
import { join } from "node:path";

/** The error for a folder that orgseat needs and cannot write. @param cause the error of the file system */
export function unwritable(folder: string, cause: unknown): Error {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  return new Error(
    `cannot write ${folder} (${code}). Make the folder of the roster writable, or copy the roster to a folder that is`,
  );
}

/** Of what orgseat keeps only to be faster: anybody may delete it. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "orgseat");
}
