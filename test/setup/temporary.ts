/** Folders and files of a test's own, which go with it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "orgseat-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** @param content what is in it; without any there is no such file yet. @returns its path */
export function temporaryFile(name: string, content?: string | Buffer): string {
  const file = join(temporaryFolder(), name);
  if (content !== undefined) writeFileSync(file, content);
  return file;
}
