/** Checks the metadata of an action with action-validator; actionlint knows workflows only. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { installedOnDemand } from "../../setup/on-demand.ts";
import { temporaryFile } from "../../setup/temporary.ts";

/** What the linter finds; empty if it finds nothing. */
export async function lintAction(text: string): Promise<string> {
  const command = join(await installedOnDemand("linters"), "@action-validator", "cli", "cli.mjs");
  const file = temporaryFile("action.yml", text);
  return new Promise((resolve) => {
    execFile(process.execPath, [command, file], (error, stdout, stderr) => {
      resolve(error === null ? "" : stdout + stderr);
    });
  });
}
