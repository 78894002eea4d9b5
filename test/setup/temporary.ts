/** A file of a test's own, in a folder that goes with the test. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** @param content what is in it; without any there is no such file yet. @returns its path */
export function temporaryFile(name: string, content?: string): string {
  const folder = mkdtempSync(join(tmpdir(), "orgseat-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
}
