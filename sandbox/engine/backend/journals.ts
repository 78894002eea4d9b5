/** The journals of a stack: finds them and merges them into the checkpoint. */
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { checkpointText, parseCheckpoint } from "../deployment/checkpoint.ts";
import { type JournalContent, readJournal, sealJournal } from "../deployment/journal.ts";
import { journaledOperations, replay } from "../deployment/replay.ts";
import { UserError } from "../errors.ts";
import { type Backend, listFolder, qualifiedName, type StackName } from "./backend.ts";
import { describeOwner } from "./owner.ts";

const suffix = ".jsonl";

/** The journal of the run that holds the lock of this id. */
export function journalFile(backend: Backend, name: StackName, lock: string): string {
  return join(backend.journalFolder(name), `${lock}${suffix}`);
}

export function checkpointHash(checkpoint: string): string {
  return createHash("sha256").update(checkpoint).digest("hex");
}

/** The journals of a stack, by the id of their run's lock. */
export function readJournals(backend: Backend, name: StackName): Map<string, JournalContent> {
  const found = new Map<string, JournalContent>();
  for (const entry of listFolder(backend.journalFolder(name))) {
    if (!entry.endsWith(suffix)) continue;
    const journal = readJournal(join(backend.journalFolder(name), entry));
    if (journal) found.set(entry.slice(0, -suffix.length), journal);
  }
  return found;
}

/** The stack's checkpoint with all its journals applied. */
export function currentCheckpoint(backend: Backend, name: StackName): string | undefined {
  for (let again = true; ; again = false) {
    const journals = [...readJournals(backend, name).values()];
    const text = backend.readCheckpoint(name);
    const [mismatch, merged] = mergeAll(backend, name, text, journals);
    if (!mismatch) return merged;
    // A run may have written its checkpoint between the two reads.
    if (!again) throw mismatchError(backend, name, mismatch);
  }
}

function mergeAll(
  backend: Backend,
  name: StackName,
  text: string | undefined,
  journals: readonly JournalContent[],
): [mismatch: JournalContent | undefined, text: string | undefined] {
  let current = text;
  for (const journal of journals) {
    const merged = merge(backend, name, current ?? "", journal);
    if (merged === undefined) return [journal, current];
    current = merged;
  }
  return [undefined, current];
}

/** The checkpoint with the journal applied; undefined if they do not fit together. */
function merge(
  backend: Backend,
  name: StackName,
  checkpoint: string,
  { start, lines }: JournalContent,
): string | undefined {
  const hash = checkpointHash(checkpoint);
  if (lines.some(({ sealed }) => sealed === hash)) return checkpoint;
  if (start.base !== hash) return undefined;
  return checkpointText(
    qualifiedName(name),
    replay(parseCheckpoint(checkpoint, backend.checkpointFile(name)), start, lines),
  );
}

/** Merges a journal into the stack's checkpoint, with a backup, and deletes it. @returns its operations, for messages */
export function mergeJournal(backend: Backend, name: StackName, journal: JournalContent): string {
  const checkpoint = backend.readCheckpoint(name) ?? "";
  const merged = merge(backend, name, checkpoint, journal);
  if (merged === undefined) throw mismatchError(backend, name, journal);
  if (merged !== checkpoint) {
    sealJournal(journal, checkpointHash(merged));
    backend.backUp(name);
    backend.writeCheckpoint(name, merged);
  }
  rmSync(journal.file, { force: true });
  return operationSummary(journal);
}

function operationSummary({ lines }: JournalContent): string {
  const operations = journaledOperations(lines);
  const unfinished = operations.filter(({ finished }) => !finished);
  const count = operations.length === 1 ? "1 operation" : `${operations.length} operations`;
  return unfinished.length === 0 ? count : `${count}, ${unfinished.length} of them unfinished`;
}

function mismatchError(backend: Backend, name: StackName, journal: JournalContent): UserError {
  const { file, start, lines } = journal;
  const operations = journaledOperations(lines).map(
    ({ urn, type, finished }) => `\n  * ${type} ${urn}${finished ? "" : ", not finished"}`,
  );
  return new UserError(
    `the journal of an interrupted run does not fit the stack's state, which has changed since then: ${file}\n` +
      `It was written by ${describeOwner(start.owner)} and holds ${operationSummary(journal)}${operations.length > 0 ? ":" : "."}` +
      `${operations.join("")}\nNothing was changed. Choose one:\n` +
      "  - To keep the state: check that it has these operations, then delete the journal.\n" +
      `  - To keep the journal: copy ${start.backup} to ${backend.checkpointFile(name)}; ` +
      "the next command of this emulator merges the journal into it.",
  );
}
