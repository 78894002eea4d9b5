/** Reads the audit log, where there is one. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type AuditLine, parseAudit } from "./report/index.ts";

/** The lines in their order; undefined where there is no such file. */
export async function readAudit(file: string): Promise<AuditLine[] | undefined> {
  return existsSync(file) ? parseAudit(await readFile(file, "utf8"), file) : undefined;
}
