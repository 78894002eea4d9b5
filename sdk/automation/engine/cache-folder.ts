/** The folder of what orgseat keeps only to be faster: anybody may delete it. */
import { homedir } from "node:os";
import { join } from "node:path";

export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), ".cache"), "orgseat");
}
