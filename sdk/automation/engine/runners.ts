/** The runner processes of an engine: one a stack, kept for a moment after a run that went well, because another follows. */
import { type ChildProcess, fork } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { outcomeWithout, type Progress, type StackOutcome } from "./engine.ts";
import { type RunnerEvent, type RunnerRequest, runnerEventSchema, STOP } from "./messages.ts";

const file = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "runner.ts" : "runner.js", import.meta.url),
);

/** How long a runner waits for the next run. */
const IDLE_MS = 5000;
/** How many wait at most: each holds some 100 MB. */
const MOST_IDLE = 4;

interface Runner {
  readonly child: ChildProcess;
  /** The last of what it said on its standard error. */
  readonly words: () => string;
}

export class Runners {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #idle = new Map<string, { readonly runner: Runner; readonly timer: NodeJS.Timeout }>();

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  async run(
    request: RunnerRequest,
    listener: (progress: Progress) => void,
    signal: AbortSignal | undefined,
  ): Promise<StackOutcome> {
    const { stack } = request;
    const runner = this.#take(stack) ?? this.#start(request);
    const { child } = runner;
    const stop = (): void => void (child.connected && child.send(STOP));
    signal?.addEventListener("abort", stop);
    try {
      const ended = outcomeOf(runner, request, listener);
      // It may have been stopped before anybody listened.
      if (signal?.aborted) stop();
      const outcome = await ended;
      // After a failure something of it may still be on its way in that process.
      if (outcome.failure === undefined) this.#keep(stack, runner);
      else release(runner);
      return outcome;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  #start({ stack, workspace }: RunnerRequest): Runner {
    // A group of its own: a terminal's Ctrl-C reaches this process alone, which passes it on once.
    const child = fork(file, {
      cwd: workspace.folder,
      // The audit names the stack by it.
      env: { ...this.#environment, PULUMI_STACK: stack },
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let words = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      words = (words + text).slice(-2000);
    });
    return { child, words: () => words.trim() };
  }

  #take(stack: string): Runner | undefined {
    const kept = this.#idle.get(stack);
    if (kept === undefined) return undefined;
    clearTimeout(kept.timer);
    this.#idle.delete(stack);
    if (!kept.runner.child.connected) return undefined;
    for (const part of partsOf(kept.runner)) part.ref();
    return kept.runner;
  }

  /** Nothing waits for it: when this process ends, so does the runner. */
  #keep(stack: string, runner: Runner): void {
    if (!runner.child.connected || this.#idle.size >= MOST_IDLE) {
      release(runner);
      return;
    }
    for (const part of partsOf(runner)) part.unref();
    const timer = setTimeout(() => {
      this.#idle.delete(stack);
      release(runner);
    }, IDLE_MS).unref();
    this.#idle.set(stack, { runner, timer });
  }
}

/** Whatever of it keeps this process alive. */
function partsOf({ child }: Runner): { ref(): unknown; unref(): unknown }[] {
  const { channel, stderr } = child;
  return [child, ...(channel ? [channel] : []), ...(stderr instanceof Socket ? [stderr] : [])];
}

function release({ child }: Runner): void {
  if (child.connected) child.disconnect();
}

/** What a message leaves out where there is none. */
const noneOf = { id: undefined, olds: undefined, news: undefined, parent: undefined };

function outcomeIn(stack: string, end: Extract<RunnerEvent, { kind: "end" }>): StackOutcome {
  return {
    stack,
    steps: end.steps.map((step) => ({ ...noneOf, ...step })),
    states: new Map(end.states),
    diagnostics: end.messages.map((said) => ({ urn: undefined, ...said })),
    markers: end.markers,
    otherTypes: end.otherTypes,
    failure: end.failure,
  };
}

function outcomeOf(
  { child, words }: Runner,
  request: RunnerRequest,
  listener: (progress: Progress) => void,
): Promise<StackOutcome> {
  const { stack } = request;
  return new Promise((resolve) => {
    const end = (outcome: StackOutcome): void => {
      child.off("message", hear).off("error", fail).off("close", close);
      resolve(outcome);
    };
    const endWith = (text: string): void => end(outcomeWithout(stack, { code: "failed", text }));
    const hear = (message: unknown): void => {
      const parsed = runnerEventSchema.safeParse(message);
      if (!parsed.success) {
        const place = parsed.error.issues[0]?.path.join(".");
        endWith(`the runner of stack ${stack} said what is not understood (${place})`);
      } else if (parsed.data.kind === "progress") {
        listener({ stack, urn: parsed.data.urn, state: parsed.data.state });
      } else {
        end(outcomeIn(stack, parsed.data));
      }
    };
    const fail = (error: Error): void =>
      endWith(`the runner of stack ${stack} cannot be started: ${error.message}`);
    const close = (): void =>
      endWith(`the runner of stack ${stack} ended early: ${words() || "it gave no reason"}`);
    child.on("message", hear).once("error", fail).once("close", close);
    child.send(request);
  });
}
