// @module-tag ci
/** The metadata of the action, by action-validator; actionlint knows workflows only. */
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runIn } from "../../package/install.ts";
import { installedOnDemand } from "../../setup/on-demand.ts";
import { temporaryFile } from "../../setup/temporary.ts";
import { files } from "./files.ts";

/** What the linter finds; empty if it finds nothing. */
async function lintAction(text: string): Promise<string> {
  const command = join(await installedOnDemand("linters"), "@action-validator", "cli", "cli.mjs");
  const file = temporaryFile("action.yml", text);
  const { code, output } = await runIn(dirname(file), process.execPath, [command, file]);
  return code === 0 ? "" : output;
}

describe("the linter of actions", () => {
  test("finds nothing wrong with action.yml, and a script without its shell in another one", async () => {
    expect(await lintAction(files.action)).toBe("");
    const shell = "      shell: bash\n";
    expect(files.action).toContain(shell);
    expect(await lintAction(files.action.replace(shell, ""))).not.toBe("");
  });
});
