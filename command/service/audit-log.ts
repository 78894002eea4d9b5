/** The audit log of `ORGSEAT_AUDIT_LOG`: one line for each write that was sent to the service. */

import { existsSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import {
  type AuditLine,
  type AuditText,
  isEffective,
  readAuditText,
} from "../../provider/api/schemas/audit-lines.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { counted, visible } from "../../provider/util/text.ts";
import type { Organization } from "../stacks/organization.ts";
import { isOfStack } from "./interrupted.ts";

export {
  type AuditLine,
  auditLinesIn,
  removedUsers,
  revokedUsers,
} from "../../provider/api/schemas/audit-lines.ts";

/** Undefined if there is no such file. @throws as `parseAudit` */
export async function readAudit(file: string): Promise<AuditText | undefined> {
  return existsSync(file) ? parseAudit(await readFile(file, "utf8"), file) : undefined;
}

/** Of the lines that a kill cut off. @returns sentences */
export function describeCut(file: string, { cut }: Pick<AuditText, "cut">): string[] {
  return cut.map(
    (line) =>
      `a line of the audit log ${file} is cut off (\`${visible(line.slice(0, SHOWN))}\`): a run was killed while it wrote the line, or the disk was full. orgseat ignores the line. Check in the service what that run did last, then delete the line`,
  );
}

/** The characters of a line that identify it. */
const SHOWN = 60;

/** The ids of users, of whom a run of this stack has written anything. */
export async function managedBefore({
  auditFile,
  roster,
  stack: own,
}: Pick<Organization, "auditFile" | "roster" | "stack">): Promise<ReadonlySet<string>> {
  const { lines = [] } = (await readAudit(auditFile)) ?? {};
  const ids = lines.filter(isEffective).flatMap(({ id, stack, organizationId }) => {
    const isOurs = organizationId === roster.organizationId && stack !== undefined;
    return isOurs && id && isOfStack(stack, own) ? [id] : [];
  });
  return new Set(ids);
}

/**
 * @param text of one log, or of several one after another
 * @param file where it is from, for the error
 * @throws at the first line that is not valid, with its number, because a report must not leave out a removed person silently
 */
export function parseAudit(text: string, file: string): AuditText {
  const read = readAuditText(text);
  const [number] = read.invalid;
  if (number === undefined) return read;
  throw new CodedError(
    "invalid-audit-log",
    `invalid audit log: ${file}, line ${number}: not a valid entry. Restore the file from a copy. Or remove the line, and check in the service what it recorded`,
  );
}

/** How much of the end of the audit log is read, in bytes. */
const TAIL = 1024 * 1024;

const NOTHING: AuditText = { lines: [], cut: [], invalid: [] };

/** The tail of a log; nothing if it cannot be read. */
async function readAuditTail(file: string): Promise<AuditText> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return NOTHING;
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    const text = buffer.toString("utf8");
    return readAuditText(size === length ? text : text.slice(text.indexOf("\n") + 1));
  } catch {
    return NOTHING;
  } finally {
    await handle.close();
  }
}

/** About the audit log at a preview: an unknown commit, lines that are cut off, and a state that is older. @returns sentences */
export async function auditWarnings(organization: Organization): Promise<string[]> {
  const { auditFile, run } = organization;
  const read = await readAuditTail(auditFile);
  const unknown = run.warning === undefined ? [] : [run.warning];
  return [...unknown, ...describeCut(auditFile, read), ...olderState(organization, read.lines)];
}

/** A warning about a state that is older than the last writes that the audit log has of it. */
function olderState(organization: Organization, all: readonly AuditLine[]): string[] {
  const { roster, stack, savedAt: saved, auditFile, run, openedAt } = organization;
  if (saved === undefined) return [];
  const later = all.filter(
    (line) =>
      line.outcome === "done" &&
      line.organizationId === roster.organizationId &&
      line.run !== run.id &&
      Date.parse(line.time) < openedAt &&
      Date.parse(line.time) > Date.parse(saved) &&
      line.stack !== undefined &&
      isOfStack(line.stack, stack),
  );
  const last = later.at(-1);
  if (last === undefined) return [];
  const names = [...Map.groupBy(later, ({ name }) => name)].map(([name, { length }]) => `${name}: ${length}`);
  return [
    `the state of stack ${stack} was written at ${saved}, and ${auditFile} has ${counted(later.length, "write")} after that, the last at ${last.time} (${names.join(", ")}). If this state was restored from a backup, it lacks these writes: people who joined since may be added again, and people who left since may still appear. Restore the newest state, or check these people in the service before you apply changes`,
  ];
}
