import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** A folder that all test files of a run share. */
    readonly runFolder: string;
  }
}

/** Makes the folder of the run. @returns what removes it */
export default function makeRunFolder(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "orgseat-run-"));
  project.provide("runFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
