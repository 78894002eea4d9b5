/**
 * Records of creations of managed users. No call finds a managed user, and two may share names: a creation whose
 * response was lost, with the provider process or with the state, would be repeated. So each creation is recorded in a
 * file before it is sent. The record is removed when the service refuses, or when a later run finds the user in the state.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { idSchema } from "./api/schemas.ts";
import type { ManagedUser } from "./resources/creations.ts";
import { parseJson } from "./util/json.ts";

const VERSION = 1;
const SUFFIX = ".json";

/** The shape of a file, JSON. It contains no secret. */
const recordSchema = z.strictObject({
  version: z.literal(VERSION),
  organizationId: idSchema,
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  /** When the creation was sent, an instant. */
  time: z.string(),
  /** Of `orgseat` the run, else the provider process. */
  run: z.string(),
  /** The stack, where the environment names it. */
  stack: z.string().optional(),
  /** The user that the service answered; undefined where no answer is recorded. */
  userId: idSchema.optional(),
});
type Content = z.output<typeof recordSchema>;

/** A record with the file that it is in. */
export interface CreationRecord extends Omit<Content, "version"> {
  readonly file: string;
}

/**
 * All records of a folder, those with a response first, then by age. Managed users of the same names take them in this
 * order, in a preview as in the run. None where there is no folder.
 * @throws where one cannot be read
 */
export function readCreations(folder: string): CreationRecord[] {
  return namesIn(folder)
    .flatMap((name) => readRecord(join(folder, name)) ?? [])
    .toSorted((a, b) => Number(isOpen(a)) - Number(isOpen(b)) || (a.time < b.time ? -1 : 1));
}

/** Writes a record completely and synchronizes it to disk. @returns its file */
export function writeCreation(folder: string, record: Omit<CreationRecord, "file">, file?: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const target = file ?? join(folder, `${randomUUID()}${SUFFIX}`);
  const draft = `${target}.new`;
  const content: Content = { version: VERSION, ...record };
  const descriptor = openSync(draft, "w", 0o600);
  try {
    writeSync(descriptor, `${JSON.stringify(content)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, target);
  // A new record must survive a crash of the machine; for a lost answer, a person decides.
  if (file === undefined) synchronize(folder);
  return target;
}

export function removeCreation(file: string): void {
  rmSync(file, { force: true });
}

/** Whether both have the same organization and names: nothing else distinguishes managed users. */
export function isSameUser(one: ManagedUser, other: ManagedUser): boolean {
  return (
    one.organizationId === other.organizationId &&
    one.firstName === other.firstName &&
    one.lastName === other.lastName
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** Undefined where another process has removed it. */
function readRecord(file: string): CreationRecord | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const parsed = recordSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new Error(
      `cannot read ${file}, the record of an earlier creation of a managed user. Check in the service whether that user exists, then delete the file.`,
    );
  }
  const { version: _version, ...record } = parsed.data;
  return { ...record, file };
}

function synchronize(folder: string): void {
  // Windows opens no folders.
  if (process.platform === "win32") return;
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Whether no response is recorded. */
export function isOpen({ userId }: CreationRecord): boolean {
  return userId === undefined;
}
