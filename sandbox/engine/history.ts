/** The record of a stack's updates, in Pulumi's own files. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Backend, listFolder, type StackName, timeInNanoseconds, writeAtomically } from "./backend.ts";
import type { ResourceChanges } from "./events.ts";

const recordSchema = z.looseObject({
  kind: z.string(),
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

export interface FinishedUpdate {
  kind: "update" | "refresh" | "destroy" | "import";
  startedAt: Date;
  message: string;
  /** How it was run. */
  environment: Record<string, string>;
  config: Record<string, unknown>;
  failed: boolean;
  changes: ResourceChanges;
}

/** Files the record beside a copy of the state it ended with. */
export function recordUpdate(backend: Backend, name: StackName, update: FinishedUpdate): void {
  const base = join(backend.historyFolder(name), `${name.stack}-${timeInNanoseconds()}`);
  const record: UpdateRecord = {
    kind: update.kind,
    startTime: Math.floor(update.startedAt.getTime() / 1000),
    message: update.message,
    environment: update.environment,
    config: update.config,
    version: 0,
    result: update.failed ? "failed" : "succeeded",
    endTime: Math.floor(Date.now() / 1000),
    resourceChanges: { ...update.changes },
  };
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
