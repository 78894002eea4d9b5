/** Whether an audit log has all its lines, as they were written: each names the line before it by its hash. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { lineHash } from "../../../provider/service/audit.ts";
import { parseJson } from "../../../provider/util/json.ts";

const lineSchema = z.object({
  time: z.string(),
  /** The hash of the line before. Undefined in the first line of a log. */
  previous: z.string().optional(),
  /** The hash of the last line of the same process, where another process wrote the line before. */
  own: z.string().optional(),
});

export interface AuditCheck {
  readonly lines: number;
  /** The first lines of logs: several logs can be one after another in a file. */
  readonly logs: number;
  /** The hash of the last line; undefined for an empty log. Kept elsewhere, it proves later that no line at the end is missing. */
  readonly head: string | undefined;
  /** One sentence each, with the line's number. */
  readonly problems: readonly string[];
}

/** @param expectedHead an earlier `head` of this log @throws if the file cannot be read */
export async function verifyAudit(file: string, expectedHead?: string): Promise<AuditCheck> {
  return checkAudit(await readFile(file, "utf8"), expectedHead);
}

export function checkAudit(text: string, expectedHead?: string): AuditCheck {
  const lines = text.split("\n").map((line, index) => ({ line, number: index + 1 }));
  const hashes = new Set<string>();
  const problems: string[] = [];
  let logs = 0;
  let head: string | undefined;
  for (const { line, number } of lines.filter(({ line: one }) => one.trim() !== "")) {
    const read = lineSchema.safeParse(parseJson(line)).data;
    if (read === undefined) problems.push(`line ${number}: not a valid entry`);
    else if (read.previous === undefined) logs += 1;
    else if (![read.previous, read.own ?? read.previous].every((hash) => hashes.has(hash)))
      problems.push(`line ${number} (${read.time}): a line before it was changed or removed`);
    head = lineHash(line);
    hashes.add(head);
  }
  if (expectedHead !== undefined && !hashes.has(expectedHead))
    problems.push(`no line has the hash ${expectedHead}: the lines up to it were changed or removed`);
  return { lines: hashes.size, logs, head, problems };
}
