/** The state of the stack of an organization. */
import { codeOf, type ErrorCode } from "../../provider/util/error-codes.ts";
import { messageOf } from "../../provider/util/text.ts";
import type { Engine } from "../engine/engine.ts";
import { isSecret } from "../engine/masked.ts";
import { entriesOf, readState, type State } from "../members/state.ts";

/** The stack of an organization. */
export interface Stack {
  readonly engine: Engine;
  /** Short, or with organization and project. */
  readonly stack: string;
  /** Whether it did not exist when the command began. */
  readonly isNew: boolean;
  /** The last write of its state before this command, a timestamp; undefined if it is not known. */
  readonly savedAt?: string | undefined;
  /** Settles when the state has been read with its secrets, if that has begun. */
  readonly secretsRead?: Promise<unknown> | undefined;
  /** The first caller gets what the opening has read; then it reads the state again. @throws CodedError if it cannot be read */
  readonly state: () => Promise<State | undefined>;
}

/**
 * Reads the state of a stack, or that there is none.
 * @param acceptsUnreadable whether one that cannot be read counts as existing
 * @returns with the state, if there is one that can be read
 */
export async function openStack(
  engine: Engine,
  stack: string,
  acceptsUnreadable: boolean,
): Promise<Stack & { readonly opened: State | undefined }> {
  const read = () => stateOf(engine, stack);
  const opened = await read().then(
    (state) => ({ state }),
    (error: unknown) => {
      if (acceptsUnreadable) return undefined;
      throw error;
    },
  );
  let first = opened;
  return {
    ...{ engine, stack, opened: opened?.state },
    isNew: opened !== undefined && opened.state === undefined,
    savedAt: opened?.state?.deployment.manifest?.time,
    state: async () => {
      const known = first;
      first = undefined;
      return known === undefined ? read() : known.state;
    },
  };
}

/** Undefined if the stack does not exist. Needs no lock. @throws CodedError if it cannot be read */
export async function stateOf(engine: Engine, stack: string): Promise<State | undefined> {
  const exported = await engine.exportStack(stack);
  return exported === undefined ? undefined : readState(stack, exported);
}

/** A state that cannot be read, and why. */
export interface UnreadState {
  readonly stack: string;
  readonly code: ErrorCode;
  readonly text: string;
}

/** The state, or why it cannot be read. */
export async function readableStateOf(
  engine: Engine,
  stack: string,
): Promise<{ readonly state: State | undefined; readonly unread: readonly UnreadState[] }> {
  try {
    return { state: await stateOf(engine, stack), unread: [] };
  } catch (error) {
    const unread = { stack, code: codeOf(error) ?? ("pulumi-failed" as const), text: messageOf(error) };
    return { state: undefined, unread: [unread] };
  }
}

/** No run of Pulumi says so before something is due. @throws CodedError if the passphrase or key is wrong, or empty for a new stack */
export async function requireReadableSecrets(
  { engine, stack, secretsRead }: Pick<Stack, "engine" | "stack" | "secretsRead">,
  state: State | undefined,
): Promise<void> {
  const isNeeded =
    state === undefined || entriesOf(state).some(({ outputs = {} }) => Object.values(outputs).some(isSecret));
  if (isNeeded) await (secretsRead ?? engine.exportWithSecrets(stack));
}
