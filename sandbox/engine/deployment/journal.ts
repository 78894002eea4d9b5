/**
 * The journal of a run: a file of JSON lines, the first about the run, each other one about an operation that began or
 * ended. Together with the checkpoint at the start of the run it contains the state at any moment.
 */
import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { z } from "zod";
import { isMissing, writeAtomically } from "../backend/backend.ts";
import { ownerSchema } from "../backend/owner.ts";
import { UserError } from "../errors.ts";
import { operationTypeSchema, pendingOperationSchema } from "./checkpoint.ts";
import { resourceSchema } from "./state.ts";

const formatVersion = 1;

const startSchema = z.object({
  owner: ownerSchema,
  /** SHA-256 of the checkpoint at the start of the run. */
  base: z.string(),
  /** The path of a copy of that checkpoint. */
  backup: z.string(),
  secrets_providers: z.unknown(),
  pending_operations: z.array(pendingOperationSchema),
});

export type JournalStart = z.infer<typeof startSchema>;

const keys = z.array(z.number());

const lineSchema = z.object({
  begin: z.object({ key: z.number(), type: operationTypeSchema, urn: z.string() }).optional(),
  end: z
    .object({ operation: z.number().optional(), done: keys, news: keys, inPlace: z.boolean().optional() })
    .optional(),
  refreshed: z.boolean().optional(),
  /** Resources that are new or have changed, by key. */
  states: z.record(z.string(), resourceSchema).optional(),
  /** The run is over; SHA-256 of the checkpoint that it is about to write. */
  sealed: z.string().optional(),
});

export type JournalLine = z.infer<typeof lineSchema>;

/** The content of a journal file. */
export interface JournalContent {
  file: string;
  start: JournalStart;
  lines: JournalLine[];
  /** The bytes of all whole lines. */
  length: number;
}

/** @param states by key, as JSON already */
export function lineText(what: Omit<JournalLine, "states">, states: ReadonlyMap<number, string>): string {
  const text = JSON.stringify(what);
  if (states.size === 0) return text;
  const entries = [...states].map(([key, state]) => `"${key}":${state}`);
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"states":{${entries.join(",")}}}`;
}

/** Writes a journal, line by line. */
export class JournalWriter {
  readonly #file: string;
  readonly #descriptor: number;
  #length: number;

  /** @param start the first line's JSON, without its version */
  constructor(file: string, start: string) {
    const first = `{"version":${formatVersion},${start.slice(1)}\n`;
    writeAtomically(file, first);
    this.#file = file;
    this.#descriptor = openSync(file, "a");
    this.#length = Buffer.byteLength(first);
  }

  append(lines: readonly string[]): void {
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    } catch (error) {
      // After a full disk, for example: removes the part of these lines that was written.
      ftruncateSync(this.#descriptor, this.#length);
      throw error;
    }
    this.#length += bytes.length;
  }

  seal(hash: string): void {
    this.append([JSON.stringify({ sealed: hash })]);
  }

  remove(): void {
    closeSync(this.#descriptor);
    rmSync(this.#file, { force: true });
  }
}

/** Records in a journal the checkpoint into which the caller is about to merge it. */
export function sealJournal({ file, length }: JournalContent, hash: string): void {
  truncateSync(file, length);
  appendFileSync(file, `${JSON.stringify({ sealed: hash })}\n`);
}

/** Reads a journal without an incomplete last line. */
export function readJournal(file: string): JournalContent | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const length = bytes.lastIndexOf("\n") + 1;
  const [first = "", ...rest] = bytes.toString("utf8", 0, length).split("\n").slice(0, -1);
  return {
    file,
    start: readStart(file, first),
    lines: rest.map((line, index) => parseLine(file, index + 2, line, lineSchema)),
    length,
  };
}

function readStart(file: string, line: string): JournalStart {
  const { version } = parseLine(file, 1, line, z.object({ version: z.number() }));
  if (version !== formatVersion) {
    throw new UserError(
      `the journal ${file} has format version ${version}, this emulator reads version ${formatVersion}: ` +
        "let the version that wrote it go on with this stack",
    );
  }
  return parseLine(file, 1, line, startSchema);
}

function parseLine<Parsed>(file: string, number: number, text: string, schema: z.ZodType<Parsed>): Parsed {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new UserError(
      `the journal of an interrupted run is damaged in line ${number}: ${file}\n` +
        "It says what the run has done since the stack's state was written, and it cannot be read any more. Compare the " +
        "state with what exists, then delete this file: the state counts as it is, and `pulumi refresh` corrects what " +
        "is in it.",
    );
  }
}
