/** Tools with their own lock file, which the root's `npm ci` leaves out. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { makeUnlessThere } from "./once.ts";

/**
 * Installs `test/<name>` below `.orgseat`, once for all runs. Install scripts do not run.
 * @returns the folder of its packages
 */
export async function installedOnDemand(name: string): Promise<string> {
  const own = join(packageRoot, "test", name);
  const lock = readFileSync(join(own, "package-lock.json"));
  const installs = join(packageRoot, ".orgseat", name);
  mkdirSync(installs, { recursive: true });
  const version = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const folder = await makeUnlessThere(join(installs, version), async (empty) => {
    for (const file of ["package.json", "package-lock.json"]) cpSync(join(own, file), join(empty, file));
    const options = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await promisify(execFile)("npm", options, { cwd: empty });
  });
  return join(folder, "node_modules");
}
