/** The person in front of the command, if there is one: questions, progress, Ctrl-C. */
import { createInterface } from "node:readline/promises";
import ora, { type Ora } from "ora";
import { grouped } from "../../provider/util/plural.ts";
import type { Progress } from "../automation/engine/engine.ts";

/** Whether somebody can be asked. */
function isAttended(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** Whether a run asks before it begins. What a script reads is not mixed with questions. */
export function canAsk({ yes, json }: { yes?: boolean | undefined; json?: boolean | undefined }): boolean {
  return yes !== true && json !== true && isAttended();
}

/** Said where changes wait and nobody can be asked; in the words of `pulumi up`. */
export const NEEDS_YES =
  "--yes must be passed in to proceed when running in non-interactive mode (no terminal, or --json). No changes were made";

/** @throws where the person at the terminal does not agree, or nobody is there to be asked */
export async function requireConfirmation(
  question: string,
  options: { yes?: boolean | undefined; json?: boolean | undefined },
): Promise<void> {
  if (options.yes === true) return;
  if (!canAsk(options)) throw new Error(NEEDS_YES);
  if (!(await ask(question))) throw new Error("Cancelled. No changes were made.");
}

/** Anything but `yes` or `y` is a no. */
export async function ask(question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await answerTo(`${question} [yes/no] `)).trim());
}

export async function choose(question: string, answers: readonly string[]): Promise<string | undefined> {
  const answer = (await answerTo(`${question} [${answers.join("/")}] `)).trim().toLowerCase();
  return answers.find((one) => one === answer);
}

async function answerTo(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** The first Ctrl-C stops in an orderly way, the second leaves at once. */
export function stopOnInterrupt(): { readonly signal: AbortSignal; end(): void } {
  const stopping = new AbortController();
  const hear = (): void => {
    if (stopping.signal.aborted) process.exit(130);
    console.error(
      "\nStopping: what has been sent is waited for and kept. Press Ctrl-C once more to leave it to itself.",
    );
    stopping.abort();
  };
  process.on("SIGINT", hear).on("SIGTERM", hear);
  const end = (): void => void process.off("SIGINT", hear).off("SIGTERM", hear);
  return { signal: stopping.signal, end };
}

/** `verb: 1,240 of 5,000, 3 failed`, in one line of a terminal; elsewhere a line now and then. */
export class ProgressLine {
  readonly #verb: string;
  readonly #spinner: Ora | undefined;
  readonly #begun = performance.now();
  readonly #states = new Map<string, Progress["state"]>();
  #total = 0;
  #told = 0;

  constructor(verb: string, quiet: boolean) {
    this.#verb = verb;
    this.#told = quiet ? Number.POSITIVE_INFINITY : 0;
    // Raw input would swallow Ctrl-C; and where a terminal has no width a line cannot be taken back.
    if (!quiet && process.stderr.isTTY && process.stderr.columns > 0) {
      this.#spinner = ora({ text: verb, stream: process.stderr, discardStdin: false }).start();
    }
  }

  /** How many resources will change. */
  expect(total: number): void {
    this.#total = total;
  }

  readonly hear = ({ stack, urn, state }: Progress): void => {
    this.#states.set(`${stack} ${urn}`, state);
    if (this.#spinner) {
      this.#spinner.text = this.#text();
      return;
    }
    // Ten lines a run: enough to see that it goes on, few enough for a log.
    const step = Math.max(25, Math.ceil(this.#total / 10));
    const ended = this.#count("succeeded") + this.#count("failed");
    if (this.#total === 0 || ended < this.#told + step) return;
    this.#told = ended;
    console.error(this.#text());
  };

  end(): void {
    this.#spinner?.stop();
  }

  #count(state: Progress["state"]): number {
    return [...this.#states.values()].filter((one) => one === state).length;
  }

  #text(): string {
    const seconds = Math.round((performance.now() - this.#begun) / 1000);
    if (this.#total === 0) return `${this.#verb}: ${grouped(this.#states.size)} changes found, ${seconds} s`;
    const failed = this.#count("failed");
    const parts = [
      `${grouped(this.#count("succeeded"))} of ${grouped(this.#total)}`,
      ...(failed === 0 ? [] : [`${grouped(failed)} failed`]),
      `${seconds} s`,
    ];
    return `${this.#verb}: ${parts.join(", ")}`;
  }
}
