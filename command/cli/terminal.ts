/** The user at the terminal, if there is one: questions, Ctrl-C. */

import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CodedError } from "../../provider/util/error-codes.ts";
import type { Engine } from "../engine/engine.ts";
import type { TableForm } from "../report/texts/table.ts";
import type { Organization } from "../stacks/organization.ts";
import { printNote, printQuestion, shown } from "./output.ts";

/** How tables look: in columns at a terminal, otherwise separated by tabs. */
export function tableForm(): TableForm {
  return process.stdout.isTTY ? { columns: process.stdout.columns || undefined } : { tsv: true };
}

/** Whether a run asks before it begins. The output for a script has no questions. */
export function canAsk({ yes, json }: { yes?: boolean | undefined; json?: boolean | undefined }): boolean {
  const isInteractive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  return yes !== true && json !== true && isInteractive;
}

/** The error for changes that need a confirmation and cannot get one; the text is that of `pulumi up`. */
export const NEEDS_YES =
  "--yes must be passed in to proceed when running in non-interactive mode (no terminal, or --json). No changes were made";

/** @throws if the user does not confirm, or cannot be asked */
export async function requireConfirmation(
  question: string,
  options: { yes?: boolean | undefined; json?: boolean | undefined },
): Promise<void> {
  if (options.yes === true) return;
  if (!canAsk(options)) throw new CodedError("confirmation-required", NEEDS_YES);
  if (!(await ask(question))) throw new CodedError("cancelled", "Cancelled. No changes were made.");
}

/** Everything but `y` or `yes` is a no. */
export async function ask(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await answerTo(`${question} [y/N] `)).trim());
}

export async function choose<Answer extends string>(
  question: string,
  answers: readonly Answer[],
): Promise<Answer | undefined> {
  const answer = (await answerTo(`${question} [${answers.join("/")}] `)).trim().toLowerCase();
  return answers.find((one) => one === answer);
}

/** The default, if the answer is empty; undefined without both. */
export async function askText(question: string, byDefault?: string): Promise<string | undefined> {
  const answer = await answerTo(byDefault === undefined ? `${question}: ` : `${question} [${byDefault}] `);
  return answer.trim() || byDefault;
}

/** An answer that the terminal does not show. */
export async function askSecret(question: string): Promise<string | undefined> {
  printQuestion(`${question}: `);
  const output = new Writable({ write: (_text, _encoding, done) => done() });
  const answer = await answerTo("", { output, terminal: true });
  printNote("");
  return answer.trim() || undefined;
}

async function answerTo(
  question: string,
  { output = process.stderr, terminal }: { output?: NodeJS.WritableStream; terminal?: boolean } = {},
): Promise<string> {
  const lines = createInterface({ input: process.stdin, output, terminal });
  const interrupted = new AbortController();
  lines.on("SIGINT", () => interrupted.abort());
  try {
    return await lines.question(shown(question), { signal: interrupted.signal });
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    process.exitCode = 130;
    throw new CodedError("cancelled", "Cancelled. Nothing was sent.");
  } finally {
    lines.close();
  }
}

/** A command that is stopped ends before this time, whatever hangs. */
const STOPPED_MS = 9_800;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** npx forwards the Ctrl-C that the terminal sends to its command too. */
const FORWARDED_MS = 500;

interface Interruptible extends Pick<Organization, "stack"> {
  readonly engine: Pick<Engine, "stopWith" | "kill">;
}

/** The signals to one command. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** From now on, requests in progress change something. */
  startsWriting(): void;
  end(): void;
}

/**
 * The first signal aborts, and only a second Ctrl-C exits immediately: a CI system sends SIGTERM a few seconds after
 * SIGINT. A terminal that closes sends SIGHUP.
 * @param organization that of the command
 */
export function stopOnInterrupt({ engine, stack }: Interruptible): Interrupt {
  const stopping = new AbortController();
  engine.stopWith?.(stopping.signal);
  let isWriting = false;
  let pressed: number | undefined;
  let limit: NodeJS.Timeout | undefined;
  const exit = (code: number): void => {
    engine.kill?.();
    process.exit(code);
  };
  const onTooLate = (): void => {
    printNote(isWriting ? unknownResults(stack) : "Interrupted; nothing was changed.");
    exit(1);
  };
  const onSignal = (name: NodeJS.Signals): void => {
    const now = performance.now();
    if (name === "SIGINT" && pressed !== undefined && now - pressed >= FORWARDED_MS) exit(130);
    if (name === "SIGINT") pressed ??= now;
    if (stopping.signal.aborted) return;
    printNote(`\n${isWriting ? WAITING : "Interrupted: nothing was changed."} ${PRESS_AGAIN}`);
    limit = setTimeout(onTooLate, STOPPED_MS).unref();
    stopping.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  const end = (): void => {
    clearTimeout(limit);
    for (const name of SIGNALS) process.off(name, onSignal);
  };
  const startsWriting = (): void => {
    isWriting = true;
  };
  return { signal: stopping.signal, startsWriting, end };
}

const WAITING = "Interrupted: waiting for the requests in progress, to keep their results.";
const PRESS_AGAIN = "Press Ctrl-C again to exit immediately.";

function unknownResults(stack: string): string {
  return `Interrupted; the results of ${stack} are unknown. Run the command again; it resumes where it stopped.`;
}
