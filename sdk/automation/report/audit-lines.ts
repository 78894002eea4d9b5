/** Reads the audit log of `ORGSEAT_AUDIT`. */
import { z } from "zod";
import type { AuditLine } from "./facts.ts";

const lineSchema = z.object({
  time: z.iso.datetime(),
  call: z.int(),
  organizationId: z.string().optional(),
  id: z.string().optional(),
  status: z.int().optional(),
  outcome: z.enum(["done", "refused", "no answer"]),
}) satisfies z.ZodType<AuditLine>;

/**
 * @param text of one log, or of several one after another
 * @param file where it is from, for the error
 * @throws at the first line that is none, with its number: a report must not leave out silently who left. A full disk
 *   cuts lines off; the provider then writes the line anew, if it goes on at all.
 */
export function parseAudit(text: string, file: string): AuditLine[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const read = parseLine(line);
    if (read !== undefined) return [read];
    const later = lines.slice(index + 1);
    if (later.length === 0 || later.some((other) => other.startsWith(line))) return [];
    throw new Error(
      `${file}, line ${index + 1} is no line of an audit log; take it out, and look at the service for what it said.`,
    );
  });
}

function parseLine(line: string): AuditLine | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
