/** The files of creation journals: their lines, and the creations that ended runs left open. */
import { readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { idSchema } from "./api/schemas.ts";
import type { CreationSubject } from "./resources/journal.ts";
import { parseJson } from "./util/json.ts";
import { isPidInUse } from "./util/running-process.ts";

export const SUFFIX = ".jsonl";

/** The first line of a file. */
const headSchema = z.strictObject({
  version: z.literal(1),
  host: z.string(),
  pid: z.int(),
  /** The stack, where the environment names it. */
  stack: z.string().optional(),
});
const lineSchema = z.union([
  z.strictObject({
    begin: z.string(),
    kind: z.enum(["user", "seat", "token", "account"]),
    organizationId: idSchema,
    key: z.string(),
    before: z.array(idSchema),
    time: z.string(),
  }),
  z.strictObject({ succeed: z.string(), id: idSchema }),
  z.strictObject({ close: z.string() }),
]);
export type Line = z.output<typeof lineSchema>;

/** A creation that is not closed. */
export interface Entry extends CreationSubject {
  readonly file: string;
  readonly name: string;
  readonly time: string;
  readonly before: readonly string[];
  id: string | undefined;
}

/** The files of journals in use in this process. */
export const inUse = new Set<string>();

/** The first line of a file of this process. */
export function headOf(stack: string | undefined): z.output<typeof headSchema> {
  return { version: 1, host: hostname(), pid: process.pid, ...(stack === undefined ? {} : { stack }) };
}

/** The open creations of a file; undefined where it is of another stack, or of a process that still runs. */
export function readEntries(file: string, stack: string | undefined): Entry[] | undefined {
  const [first, ...rest] = linesOf(file);
  if (first === undefined) return undefined;
  const head = headSchema.safeParse(first);
  if (!head.success) throw unreadable(file);
  if (head.data.stack !== stack) return undefined;
  // The lock of a named stack says that its earlier runs have ended.
  if (stack === undefined && isRunning(file, head.data)) return undefined;
  const open = new Map<string, Entry>();
  for (const value of rest) {
    const parsed = lineSchema.safeParse(value);
    if (!parsed.success) throw unreadable(file);
    const line = parsed.data;
    if ("begin" in line) {
      const { begin: name, kind, organizationId, key, before, time } = line;
      open.set(name, { file, name, kind, organizationId, key, before, time, id: undefined });
    } else if ("succeed" in line) {
      const entry = open.get(line.succeed);
      if (entry) entry.id = line.id;
    } else open.delete(line.close);
  }
  return [...open.values()];
}

/** The complete lines. A killed process may leave a partial one, whose request it has not sent. */
function linesOf(file: string): unknown[] {
  const text = unlessMissing(() => readFileSync(file, "utf8")) ?? "";
  return text.split("\n").flatMap((line) => parseJson(line) ?? []);
}

function unreadable(file: string): Error {
  return new Error(
    `cannot read ${file}, a journal of earlier creations. Upgrade orgseat if a newer release wrote it; otherwise run \`pulumi refresh\`, compare the organization with the state, and delete the file`,
  );
}

/** Whether the process of a file may still write to it. One of another machine counts as ended. */
function isRunning(file: string, { host, pid }: z.output<typeof headSchema>): boolean {
  if (pid === process.pid) return inUse.has(file);
  if (host !== hostname()) return false;
  return isPidInUse(pid);
}

export function filesIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  return unlessMissing(() => readdirSync(folder)) ?? [];
}

/** Undefined where the folder does not exist, or another process has removed the file. */
function unlessMissing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
