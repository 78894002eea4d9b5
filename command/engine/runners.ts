/** The runner process of an engine, kept for a moment after a run that succeeded. */
import { type ChildProcess, fork } from "node:child_process";
import { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { outcomeWithout, type Progress, type StackOutcome, type StackRunFailure } from "./engine.ts";
import { isRunnerEvent, type RunnerRequest } from "./messages.ts";
import { unlockCommand } from "./stack-names.ts";
import { GRACE_MS, killGroup, RunStop } from "./stopping.ts";

const file = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "runner/runner.ts" : "runner/runner.js", import.meta.url),
);

/** The time that a runner waits for its next run. */
const IDLE_MS = 5000;

interface Runner {
  readonly child: ChildProcess;
  /** The end of its standard error output. */
  readonly lastStderr: () => string;
}

interface IdleRunner {
  readonly runner: Runner;
  readonly timer: NodeJS.Timeout;
}

export class Runners {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #children = new Set<ChildProcess>();
  #idle: IdleRunner | undefined;
  /** The stacks that a run has created. */
  readonly #created = new Set<string>();

  constructor(environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
  }

  /** With the Pulumi that they run. */
  kill(): void {
    for (const child of this.#children) killGroup(child);
  }

  async run(
    request: RunnerRequest,
    listener: (progress: Progress) => void,
    signal: AbortSignal | undefined,
  ): Promise<StackOutcome> {
    const { stack, workspace } = request;
    const runner = this.#take() ?? this.#start(workspace);
    const { child } = runner;
    const stop = new RunStop(child);
    const begin = (): void => stop.begin();
    signal?.addEventListener("abort", begin);
    try {
      const isNew = request.isNew === true && !this.#created.has(stack);
      const ended = outcomeOf(runner, { ...request, isNew }, { listener, stop });
      // The signal can be older than the listener.
      if (signal?.aborted) begin();
      const { outcome, isReusable } = await ended;
      if (outcome.failure === undefined) this.#created.add(stack);
      if (isReusable) this.#keep(runner);
      else release(runner);
      return outcome;
    } finally {
      signal?.removeEventListener("abort", begin);
      stop.end();
    }
  }

  #start(workspace: RunnerRequest["workspace"]): Runner {
    // In its own process group, so that Ctrl-C reaches this process only, which forwards it once.
    const child = fork(file, {
      cwd: workspace.folder,
      env: this.#environment,
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      // Preserves maps and undefined properties.
      serialization: "advanced",
    });
    this.#children.add(child);
    child.once("exit", () => this.#children.delete(child));
    // The run reports it.
    child.on("error", () => undefined);
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-2000);
    });
    return { child, lastStderr: () => stderr.trim() };
  }

  #take(): Runner | undefined {
    const kept = this.#idle;
    if (kept === undefined) return undefined;
    this.#forget(kept);
    if (!kept.runner.child.connected) return undefined;
    for (const part of partsOf(kept.runner)) part.ref();
    return kept.runner;
  }

  /** The runner does not keep this process alive, and ends with it. */
  #keep(runner: Runner): void {
    if (!runner.child.connected || this.#idle !== undefined) {
      release(runner);
      return;
    }
    for (const part of partsOf(runner)) part.unref();
    const timer = setTimeout(() => {
      this.#forget(kept);
      release(runner);
    }, IDLE_MS).unref();
    const kept = { runner, timer };
    this.#idle = kept;
  }

  #forget(kept: IdleRunner): void {
    clearTimeout(kept.timer);
    if (this.#idle === kept) this.#idle = undefined;
  }
}

/** The handles of a runner that keep this process alive. */
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
  { listener, stop }: { listener: (progress: Progress) => void; stop: RunStop },
): Promise<{ outcome: StackOutcome; isReusable: boolean }> {
  const { stack, workspace } = request;
  return new Promise((resolve) => {
    const end = (outcome: StackOutcome, isReusable = false): void => {
      child.off("message", onMessage).off("error", onError).off("close", onClose);
      resolve({ outcome, isReusable });
    };
    const failWith = (failure: StackRunFailure): void => end(outcomeWithout(stack, failure));
    const endWith = (text: string): void => failWith({ code: "pulumi-failed", text });
    const onMessage = (message: unknown): void => {
      if (!isRunnerEvent(message)) endWith(`runner of stack ${stack} sent an invalid message`);
      else if (message.kind === "end") end(message.outcome, message.isReusable);
      else if (message.kind === "begun") stop.isBegun = true;
      else if (message.kind === "stopping") stop.isConfirmed = true;
      else listener(message.progress);
    };
    const onError = (error: Error): void =>
      endWith(`cannot start the runner of stack ${stack}: ${error.message}`);
    const onClose = (): void => {
      const text = describeKill(unlockCommand(stack, workspace.folder));
      if (stop.isKilled) failWith({ code: "cancelled", text });
      else endWith(`runner of stack ${stack} ended unexpectedly: ${lastStderr() || "no error output"}`);
    };
    child.on("message", onMessage).once("error", onError).once("close", onClose);
    child.send(request);
  });
}

function describeKill(unlock: string): string {
  const seconds = GRACE_MS / 1000;
  return `interrupted: Pulumi or the program did not stop within ${seconds} s, so orgseat ended them. The state may lack the last changes; the next run finds them. If it reports the lock of this run, remove it with \`${unlock}\``;
}
