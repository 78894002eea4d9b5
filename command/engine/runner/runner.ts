/**
 * The process that runs a stack through the Automation API until a run fails. It is a separate process, because
 * Pulumi treats an error of one inline program as an error of all programs in the process, and because a terminal sends
 * Ctrl-C to every process of its group, while Pulumi must receive it once.
 */

import {
  ConcurrentUpdateError,
  type EngineEvent,
  LocalWorkspace,
  Stack,
  StackAlreadyExistsError,
} from "@pulumi/pulumi/automation/index.js";
import { InternalError } from "../../../provider/util/error-codes.ts";
import { errorOf, reasonOf } from "../../../provider/util/pulumi-command.ts";
import { messageOf } from "../../../provider/util/text.ts";
import { suspendStackCapture } from "../../../sdk/base/stack-capture.ts";
import type { StackRunFailure } from "../engine.ts";
import { isRunnerRequest, type RunnerEvent, type RunnerRequest, STOP } from "../messages.ts";
import { membersProgram } from "./members-program.ts";
import { StepCollector } from "./step-collector.ts";

async function run(request: RunnerRequest, signal: AbortSignal): Promise<void> {
  const steps = new StepCollector(request.stack);
  const failure = await attempt(request, steps, signal);
  // A failed program can still be active.
  const isReusable = failure === undefined && process.memoryUsage.rss() < MOST_BYTES;
  send({ kind: "end", outcome: steps.outcome(failure), isReusable });
}

/** Pulumi's library retains about 6 MB of a run with 150 people. */
const MOST_BYTES = 256 * 1024 ** 2;

async function attempt(
  request: RunnerRequest,
  steps: StepCollector,
  signal: AbortSignal,
): Promise<StackRunFailure | undefined> {
  const onEvent = (event: EngineEvent): void => {
    const progress = steps.onEvent(event);
    if (progress !== undefined) send({ kind: "progress", progress });
  };
  // A roster has no lines of a program that a stack trace could name.
  const resumeStackCapture = suspendStackCapture();
  try {
    if (stack?.name !== request.stack) stack = await open(request);
    stack.workspace.program = membersProgram(request.program);
    // The audit log names the stack.
    stack.workspace.envVars = { ...request.environment, PULUMI_STACK: request.stack };
    signal.throwIfAborted();
    await operate(stack, request, onEvent, abortAwareSignal(signal));
    return undefined;
  } catch (error) {
    return failureOf(error, steps, signal);
  } finally {
    resumeStackCapture();
  }
}

/** The stack of the last run. */
let stack: Stack | undefined;

async function open({ stack: stackName, isNew, workspace: { folder, secretsProvider } }: RunnerRequest) {
  const workspace = await LocalWorkspace.create({
    workDir: folder,
    ...(secretsProvider !== undefined && { secretsProvider }),
  });
  if (isNew) await workspace.createStack(stackName).catch(ignoreExisting);
  // `pulumi stack select` would change the stack that the user has selected, and take 0.14 s of processor time.
  workspace.selectStack = async () => undefined;
  const opened = await Stack.select(stackName, workspace);
  // Two commands after each `up`, 0.28 s, for outputs that a roster does not have.
  opened.outputs = async () => ({});
  // `pulumi stack history` after each run that writes, 0.29 s, for a summary that the events already gave.
  opened.info = async () => undefined;
  return opened;
}

/** Another run, or an earlier one of this process, created the stack after the stacks were listed. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof StackAlreadyExistsError)) throw error;
}

async function operate(
  stack: Stack,
  { targets }: RunnerRequest,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  // For Pulumi, no targets means all.
  if (targets.length === 0) throw new InternalError("cannot start a run with no targets");
  const color = "never" as const;
  await stack.up({ onEvent, signal, color, target: [...targets], continueOnError: true });
}

/** Pulumi adds its abort listener some moments after the call, and does not check for an earlier abort. */
function abortAwareSignal(signal: AbortSignal): AbortSignal {
  const listen: AbortSignal["addEventListener"] = signal.addEventListener.bind(signal);
  signal.addEventListener = (...[type, listener, options]: Parameters<typeof listen>): void => {
    listen(type, listener, options);
    if (signal.aborted && typeof listener === "function") listener(new Event(type));
  };
  return signal;
}

function failureOf(error: unknown, steps: StepCollector, signal: AbortSignal): StackRunFailure {
  if (signal.aborted) return { code: "cancelled", text: "cancelled" };
  const text = messageOf(error);
  if (error instanceof ConcurrentUpdateError) return { code: "stack-locked", text: describeLock(text) };
  const first = steps.diagnostics.find(({ severity }) => severity === "error");
  // Pulumi's last output repeats all diagnostics.
  const failure = { code: first?.code ?? "pulumi-failed", text: first?.text ?? lastErrorLine(text) } as const;
  return CUT_OFF_LOCK.test(failure.text) ? { code: "stack-locked", text: CUT_OFF } : failure;
}

/** The state has been read before the run, so this is about the file of a lock. */
const CUT_OFF_LOCK = /^unexpected end of JSON input$/;
const CUT_OFF = "another run holds the lock of the stack, or was killed while it wrote the lock";

function describeLock(text: string): string {
  const [, holder, since] = /created by (\S+ \(pid \d+\)) at (\S+)/.exec(text) ?? [];
  return `another run holds the lock of the stack${holder === undefined ? "" : ` (${holder}, since ${since})`}`;
}

/** The library names the whole command line with it. */
const KILLED = /Command was killed with (SIG[A-Z]+)/;

/** Pulumi's own `error:` comes after the text of the library that started it, in what that calls `stderr`. */
function lastErrorLine(text: string): string {
  const [, killedBy] = KILLED.exec(text) ?? [];
  if (killedBy !== undefined)
    return `Pulumi was killed (${killedBy}). The state may lack the last changes; the next run finds them`;
  const [, stderr = text] = /^ stderr: (.*?)^ err\?: /ms.exec(text) ?? [];
  return errorOf(stderr) ?? errorOf(text) ?? reasonOf(stderr);
}

/** If the parent process is gone, the run still continues to its end. */
function send(event: RunnerEvent): void {
  if (process.connected) process.send?.(event, undefined, {}, () => undefined);
}

// Without a reader, a write fails, and Pulumi would report each error with another write, forever.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

let stopping = new AbortController();
let underWay: Promise<void> = Promise.resolve();
// The command interrupts the group of this process if it hangs and reads no message.
process.on("SIGINT", () => undefined);
process.on("message", (message) => {
  if (message === STOP) {
    send({ kind: "stopping" });
    return stopping.abort();
  }
  if (!isRunnerRequest(message)) throw new InternalError("the runner received an invalid request");
  stopping = new AbortController();
  send({ kind: "begun" });
  underWay = run(message, stopping.signal);
});
// With it, Pulumi keeps no facts of a roster in the state.
delete process.env.PULUMI_NODEJS_SKIP_COMPONENT_INPUTS;
// A program can leave handles open that would keep this process alive.
process.once("disconnect", () => void underWay.finally(() => process.exit()));
