/** The runner processes of an engine: one a stack, started before its first run, and kept for a moment after a run that succeeded. */
import { type ChildProcess, fork } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { outcomeWithout, type Progress, type StackOutcome } from "./engine.ts";
import { isRunnerEvent, type RunnerRequest, STOP } from "./messages.ts";

const file = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "runner.ts" : "runner.js", import.meta.url),
);

/** How long a runner waits for the next run. */
const IDLE_MS = 5000;
/** How many wait at most: each holds some 100 MB. */
const MOST_IDLE = 4;

/** The default young generation takes 130 MB more for the same time. */
const MEMORY = ["--max-semi-space-size=4"];

interface Runner {
  readonly child: ChildProcess;
  /** The end of its standard error. */
  readonly lastStderr: () => string;
}

export class Runners {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #idle = new Map<string, { readonly runner: Runner; readonly timer: NodeJS.Timeout }>();

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** Starts the runner of a stack before its run is known, because loading Pulumi's library takes a while. */
  prepare(stack: string, workspace: RunnerRequest["workspace"]): void {
    if (!this.#idle.has(stack)) this.#keep(stack, this.#start(stack, workspace));
  }

  async run(
    request: RunnerRequest,
    listener: (progress: Progress) => void,
    signal: AbortSignal | undefined,
  ): Promise<StackOutcome> {
    const { stack, workspace } = request;
    const runner = this.#take(stack) ?? this.#start(stack, workspace);
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

  #start(stack: string, workspace: RunnerRequest["workspace"]): Runner {
    // A group of its own: a terminal's Ctrl-C reaches this process alone, which passes it on once.
    const child = fork(file, {
      cwd: workspace.folder,
      // The audit names the stack by it.
      env: { ...this.#environment, PULUMI_STACK: stack },
      execArgv: [...process.execArgv, ...MEMORY],
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // Keeps maps, and properties that are undefined.
      serialization: "advanced",
    });
    // Told by the run that wants it.
    child.on("error", () => undefined);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-2000);
    });
    return { child, lastStderr: () => stderr.trim() };
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

function outcomeOf(
  { child, lastStderr }: Runner,
  request: RunnerRequest,
  listener: (progress: Progress) => void,
): Promise<StackOutcome> {
  const { stack } = request;
  return new Promise((resolve) => {
    const end = (outcome: StackOutcome): void => {
      child.off("message", onMessage).off("error", onError).off("close", onClose);
      resolve(outcome);
    };
    const endWith = (text: string): void => end(outcomeWithout(stack, { code: "failed", text }));
    const onMessage = (message: unknown): void => {
      if (!isRunnerEvent(message)) endWith(`runner of stack ${stack} sent an invalid message`);
      else if (message.kind === "progress") listener(message.progress);
      else end(message.outcome);
    };
    const onError = (error: Error): void =>
      endWith(`cannot start the runner of stack ${stack}: ${error.message}`);
    const onClose = (): void =>
      endWith(`runner of stack ${stack} ended unexpectedly: ${lastStderr() || "no error output"}`);
    child.on("message", onMessage).once("error", onError).once("close", onClose);
    child.send(request);
  });
}
