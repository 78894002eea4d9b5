/** Reads the audit log: one JSON line a write that was sent. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { AuditLine } from "./report/index.ts";

const lineSchema = z.object({
  time: z.string(),
  call: z.number(),
  organizationId: z.string().optional(),
  id: z.string().optional(),
  outcome: z.enum(["done", "refused", "no answer"]),
});

/** The lines in their order; undefined where there is no such file. A line that is none was cut off, and is left out. */
export async function readAudit(file: string): Promise<AuditLine[] | undefined> {
  if (!existsSync(file)) return undefined;
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "");
  return lines.flatMap((line) => {
    const parsed = lineSchema.safeParse(jsonOf(line));
    return parsed.success ? [parsed.data] : [];
  });
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
