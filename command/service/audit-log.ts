/** The audit log of `ORGSEAT_AUDIT_LOG`: one line for each write that was sent to the service. */

import { existsSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { type AuditLine, isEffective, parseAuditLines } from "../../provider/api/schemas/audit-lines.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { mapConcurrently } from "../../provider/util/lists.ts";
import { counted } from "../../provider/util/text.ts";
import type { Diagnostic } from "../engine/engine.ts";
import type { Organization, PlacedStacks } from "../stacks/organization.ts";
import { stateOf } from "../stacks/stack-state.ts";
import { isOfStack } from "./lost-users.ts";

export {
  type AuditLine,
  removedUsers,
  revokedUsers,
} from "../../provider/api/schemas/audit-lines.ts";

/** The lines in their order; undefined if there is no such file. @throws as `parseAudit` */
export async function readAudit(file: string): Promise<AuditLine[] | undefined> {
  return existsSync(file) ? parseAudit(await readFile(file, "utf8"), file) : undefined;
}

/** The ids of users, of whom a run of these stacks has written anything. */
export async function managedBefore({
  auditFile,
  roster,
  stacks,
}: Pick<Organization, "auditFile" | "roster" | "stacks">): Promise<ReadonlySet<string>> {
  const lines = (await readAudit(auditFile)) ?? [];
  const ids = lines.filter(isEffective).flatMap(({ id, stack, organizationId }) => {
    const isOurs = organizationId === roster.organizationId && stack !== undefined;
    return isOurs && id && stacks.some((one) => isOfStack({ stack }, one)) ? [id] : [];
  });
  return new Set(ids);
}

/**
 * @param text of one log, or of several one after another
 * @param file where it is from, for the error
 * @throws at the first line that is not valid, with its number, because a report must not leave out a removed person silently.
 *   A full disk cuts off lines; then the provider writes the line again if it can.
 */
export function parseAudit(text: string, file: string): AuditLine[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    const read = parseAuditLines(line);
    if (read.length > 0) return read;
    const later = lines.slice(index + 1);
    if (later.length === 0 || later.some((other) => other.startsWith(line))) return [];
    throw new CodedError(
      "invalid-audit-log",
      `invalid audit log: ${file}, line ${index + 1}: not a valid entry. Restore the file from a copy. Or remove the line, and check in the service what it recorded`,
    );
  });
}

/** The valid lines in the last `bytes` of a log; empty if it cannot be read. */
export async function readAuditTail(file: string, bytes: number): Promise<AuditLine[]> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return [];
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, bytes);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return parseAuditLines(buffer.toString("utf8"));
  } catch {
    return [];
  } finally {
    await handle.close();
  }
}

/** How much of the end of the audit log is read, in bytes. */
const TAIL = 1024 * 1024;

/** Warnings about stacks whose state is older than the last writes that the audit log has of them. */
export async function olderStates(organization: Organization): Promise<Diagnostic[]> {
  const { roster, stacks, savedAt, auditFile, run, openedAt } = organization;
  const lines = (await readAuditTail(auditFile, TAIL)).filter(
    (line) =>
      line.outcome === "done" &&
      line.organizationId === roster.organizationId &&
      line.run !== run.id &&
      Date.parse(line.time) < openedAt,
  );
  const found = await mapConcurrently(stacks, organization.concurrency, async (stack) => {
    const own = lines.filter((line) => line.stack !== undefined && isOfStack({ stack: line.stack }, stack));
    const listed = savedAt.get(stack);
    if (listed === undefined || !own.some(isAfter(listed))) return [];
    const saved = (await writtenAt(organization, stack)) ?? listed;
    const later = own.filter(isAfter(saved));
    const last = later.at(-1);
    return last === undefined ? [] : olderState(stack, saved, { later, last, auditFile });
  });
  return found.flat();
}

function isAfter(saved: string): (line: AuditLine) => boolean {
  return ({ time }) => Date.parse(time) > Date.parse(saved);
}

/** When this machine wrote the state: a backend's list has its own time, in whole seconds. */
async function writtenAt({ engine }: PlacedStacks, stack: string): Promise<string | undefined> {
  const state = await stateOf(engine, stack).catch(() => undefined);
  return state?.deployment.manifest?.time;
}

function olderState(
  stack: string,
  saved: string,
  { later, last, auditFile }: { later: readonly AuditLine[]; last: AuditLine; auditFile: string },
): Diagnostic {
  const names = [...Map.groupBy(later, ({ name }) => name)].map(([name, { length }]) => `${name}: ${length}`);
  const text = `the state of stack ${stack} was written at ${saved}, and ${auditFile} has ${counted(later.length, "write")} after that, the last at ${last.time} (${names.join(", ")}). If this state was restored from a backup, it lacks these writes: people who joined since may be added again, and people who left since may still appear. Restore the newest state, or check these people in the service before you apply changes`;
  return { stack, severity: "warning", urn: undefined, text };
}
