/** Notices a state that is older than the writes sent for it, as after a restored backup: the audit log has more. */
import { counted } from "../../provider/util/plural.ts";
import { readAuditTail } from "./audit-log.ts";
import type { Diagnostic } from "./engine/engine.ts";
import type { Organization } from "./organization.ts";

/** How much older a state has to be, in milliseconds. The provider reports what a killed run left unfinished. */
const TOLERANCE_MS = 60_000;
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
  return stacks.flatMap((stack) => {
    const saved = savedAt.get(stack);
    if (saved === undefined) return [];
    const after = Date.parse(saved) + TOLERANCE_MS;
    const later = lines.filter((line) => line.stack === stack && Date.parse(line.time) > after);
    const last = later.at(-1);
    if (last === undefined) return [];
    const names = [...Map.groupBy(later, ({ name }) => name)].map(
      ([name, { length }]) => `${name}: ${length}`,
    );
    const text = `the state of stack ${stack} was written at ${saved}, and ${auditFile} has ${counted(later.length, "write")} after that, the last at ${last.time} (${names.join(", ")}). If somebody restored an older state, it does not have what these writes did: people who joined since may be added again, and those who left may appear to be there. Restore the newest state, or check these people at the service before you apply changes`;
    return { stack, severity: "warning", urn: undefined, text };
  });
}
