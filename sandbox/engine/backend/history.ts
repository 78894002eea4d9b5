/** The record of a stack's updates, in Pulumi's own files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Backend, listFolder, type StackName, timeInNanoseconds, writeAtomically } from "./backend.ts";

const recordSchema = z.looseObject({
  kind: z.string(),
  /** In seconds since 1970. */
  startTime: z.number(),
  message: z.string(),
  environment: z.record(z.string(), z.string()).nullish(),
  config: z.record(z.string(), z.unknown()).nullish(),
  version: z.number().optional(),
  result: z.string(),
  endTime: z.number(),
  resourceChanges: z.record(z.string(), z.number()).nullish(),
});

export type UpdateRecord = z.infer<typeof recordSchema>;

/** Writes the record, and a copy of the state beside it. */
export function recordUpdate(backend: Backend, name: StackName, record: UpdateRecord): void {
  const base = join(backend.historyFolder(name), `${name.stack}-${timeInNanoseconds()}`);
  writeAtomically(`${base}.history.json`, JSON.stringify(record));
  const checkpoint = backend.readCheckpoint(name);
  if (checkpoint !== undefined) writeAtomically(`${base}.checkpoint.json`, checkpoint);
}

/** The records, newest first. */
export function readHistory(backend: Backend, name: StackName): UpdateRecord[] {
  const folder = backend.historyFolder(name);
  return listFolder(folder)
    .filter((file) => file.endsWith(".history.json"))
    .reverse()
    .map((file) => recordSchema.parse(JSON.parse(readFileSync(join(folder, file), "utf8"))));
}
