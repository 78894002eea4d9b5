/** Applies a journal to the checkpoint at the start of its run. */
import { UserError } from "../errors.ts";
import type { Crypter } from "../values.ts";
import { toState } from "../values.ts";
import { type DeploymentJson, type OperationType, readSnapshot } from "./checkpoint.ts";
import type { JournalLine, JournalStart } from "./journal.ts";
import { type ResourceJson, type ResourceState, readResource, writeResource } from "./state.ts";
import { StateBuilder } from "./state-builder.ts";

/** Keeps ciphertexts, so that it needs no passphrase. */
const carrier: Crypter = {
  decrypt: (ciphertext) => JSON.stringify(ciphertext),
  encrypt: () => {
    throw new UserError("the state holds a secret in the clear: import it again with `pulumi stack import`");
  },
};

/** The deployment after the last of the lines, as JSON. */
export function replay(
  base: DeploymentJson | undefined,
  start: JournalStart,
  lines: readonly JournalLine[],
): string {
  const before = { ...base, pending_operations: start.pending_operations };
  const snapshot = readSnapshot({ manifest: unwritten, ...before }, carrier);
  const builder = new StateBuilder(snapshot);
  const states = new Map(snapshot.resources.map((state, index) => [index, state]));
  for (const line of lines) replayLine(builder, states, line);
  return builder.text(textOf, start.secrets_providers);
}

/** For a stack without a state. */
const unwritten = { time: "", magic: "", version: "" };

function replayLine(builder: StateBuilder, states: Map<number, ResourceState>, line: JournalLine): void {
  for (const [key, json] of Object.entries(line.states ?? {})) set(states, Number(key), json);
  const all = (keys: readonly number[]) => keys.flatMap((key) => states.get(key) ?? []);
  if (line.refreshed) builder.refreshed = true;
  if (line.begin) for (const state of all([line.begin.key])) builder.begin(state, line.begin.type);
  if (line.end) {
    const { operation, done, news, inPlace = false } = line.end;
    const [ended] = operation === undefined ? [] : all([operation]);
    builder.end({ ...(ended && { operation: ended }), done: all(done), news: all(news), inPlace });
  }
}

/** Changes a known resource in place: the state builder compares identities. */
function set(states: Map<number, ResourceState>, key: number, json: ResourceJson): void {
  const fresh = readResource(json, carrier);
  const known = states.get(key);
  if (known) Object.assign(known, fresh);
  else states.set(key, fresh);
}

function textOf(state: ResourceState): string {
  return JSON.stringify(writeResource(state, (properties) => toState(properties, carrier)));
}

/** An operation in a journal. */
interface JournaledOperation {
  urn: string;
  type: OperationType;
  finished: boolean;
}

/** The operations of a journal in the order in which they began. */
export function journaledOperations(lines: readonly JournalLine[]): JournaledOperation[] {
  const operations: JournaledOperation[] = [];
  const open = new Map<number, JournaledOperation>();
  for (const { begin, end } of lines) {
    if (begin) {
      const operation = { urn: begin.urn, type: begin.type, finished: false };
      operations.push(operation);
      open.set(begin.key, operation);
    }
    const ended = end?.operation === undefined ? undefined : open.get(end.operation);
    if (ended) ended.finished = true;
  }
  return operations;
}
