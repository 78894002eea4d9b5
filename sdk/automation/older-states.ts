/** Notices a state that is older than what was sent for it, as after a restored backup: the audit log remembers more. */
import { open } from "node:fs/promises";
import { z } from "zod";
import { counted } from "../../provider/util/plural.ts";
import type { Diagnostic } from "./engine/engine.ts";
import type { Organization } from "./organization.ts";

/** How much older a state has to be, in milliseconds: what was under way when a run was killed is told elsewhere. */
const TOLERANCE_MS = 60_000;
/** How much of the end of the audit log is read, in bytes. */
const TAIL = 1024 * 1024;

const lineSchema = z.object({
  time: z.iso.datetime(),
  name: z.string(),
  outcome: z.literal("done"),
  organizationId: z.string(),
  stack: z.string(),
  run: z.string().optional(),
});
type Line = z.output<typeof lineSchema>;

/** Warnings about stacks whose state was written before the last writes that the audit log has of them. */
export async function olderStates(organization: Organization): Promise<Diagnostic[]> {
  const { roster, stacks, savedAt, auditFile, run, openedAt } = organization;
  const lines = (await tailOf(auditFile)).filter(
    (line) =>
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
    const text = `the state of stack ${stack} was written at ${saved}, and ${auditFile} has ${counted(later.length, "write")} after that, the last at ${last.time} (${callsOf(later)}). If somebody restored an older state, it does not have what these writes did: people who joined since may be added again, and those who left may appear to be there. Restore the newest state, or check these people at the service before you apply changes`;
    return { stack, severity: "warning", urn: undefined, text };
  });
}

function callsOf(lines: readonly Line[]): string {
  const groups = Map.groupBy(lines, ({ name }) => name);
  return [...groups].map(([name, mine]) => `${name}: ${mine.length}`).join(", ");
}

/** A log that cannot be read warns of nothing; the run that writes to it says so. */
async function tailOf(file: string): Promise<Line[]> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return [];
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL);
    const { buffer } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer
      .toString("utf8")
      .split("\n")
      .flatMap((line) => lineIn(line) ?? []);
  } catch {
    return [];
  } finally {
    await handle.close();
  }
}

function lineIn(text: string): Line | undefined {
  try {
    return lineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
