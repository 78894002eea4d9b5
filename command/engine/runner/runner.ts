/**
 * The process that runs stacks through the Automation API, one at a time, until a run fails. It is a separate process, because
 * Pulumi treats an error of one inline program as an error of all programs in the process, and because a terminal sends
 * Ctrl-C to every process of its group, while Pulumi must receive it once.
 */

import { recover } from "@pulumi/pulumi";
import {
  ConcurrentUpdateError,
  type EngineEvent,
  LocalWorkspace,
  type PulumiFn,
  Stack,
  StackAlreadyExistsError,
} from "@pulumi/pulumi/automation/index.js";
import { Redactor } from "../../../provider/api/client/redact.ts";
import { CodedError, InternalError } from "../../../provider/util/error-codes.ts";
import { errorOf, reasonOf } from "../../../provider/util/pulumi-command.ts";
import { messageOf } from "../../../provider/util/text.ts";
import { suspendStackCapture } from "../../../sdk/base/stack-capture.ts";
import type { Deliver } from "../../roster/program/deliver.ts";
import { rosterProgram } from "../../roster/program/program.ts";
import type { Undelivered } from "../../roster/roster.ts";
import type { StackRunFailure } from "../engine.ts";
import { withTexts } from "../masked.ts";
import { isRunnerRequest, type RunnerEvent, type RunnerRequest, STOP } from "../messages.ts";
import { loadDeliver } from "./load-deliver.ts";
import { StepCollector } from "./step-collector.ts";

async function run(request: RunnerRequest, signal: AbortSignal): Promise<void> {
  const steps = new StepCollector(request.stack);
  const failure = await attempt(request, steps, signal);
  const outcome = steps.outcome(failure);
  const masked = hasModule(request) ? withTexts(outcome, (text) => delivered.redactWhole(text)) : outcome;
  send({ kind: "end", outcome: masked, isReusable: failure === undefined && isReusable(request) });
}

/** Pulumi's library retains about 6 MB of a run with 150 people. */
const MOST_BYTES = 256 * 1024 ** 2;

/** A failed program can still be active. Node loads a module once, and what it made at its top level belongs to that run. */
function isReusable(request: RunnerRequest): boolean {
  return !hasModule(request) && process.memoryUsage.rss() < MOST_BYTES;
}

function hasModule({ program }: RunnerRequest): boolean {
  return program.roster.deliver !== undefined;
}

/** The tokens that the module of a roster got: the state of a killed run need not have them. */
const delivered = new Redactor();

function learning(deliver: Deliver): Deliver {
  return (member) => {
    const token = member.member.token?.value;
    if (token)
      recover(
        token.apply((value) => delivered.add(value)),
        () => undefined,
      );
    return deliver(member);
  };
}

async function attempt(
  request: RunnerRequest,
  steps: StepCollector,
  signal: AbortSignal,
): Promise<StackRunFailure | undefined> {
  const onEvent = (event: EngineEvent): void => {
    const progress = steps.onEvent(event);
    if (progress !== undefined) send({ kind: "progress", progress });
  };
  // A roster without a module has no lines of a program that a stack trace could name.
  const resumeStackCapture = hasModule(request) ? () => undefined : suspendStackCapture();
  try {
    if (stack?.name !== request.stack) stack = await open(request);
    stack.workspace.program = programOf(request, (found) => steps.undelivered.push(...found));
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

function programOf(
  { program, operation, targets }: RunnerRequest,
  onUndelivered: (undelivered: readonly Undelivered[]) => void,
): PulumiFn {
  // With targets and in a preview, Pulumi deletes nothing that the plan does not have.
  const isWhole = operation === "up" && targets === undefined;
  return rosterWithModule(program, (undelivered) => {
    onUndelivered(undelivered);
    if (isWhole) throw new CodedError("deliver-failed", undelivered.map(({ text }) => text).join("\n"));
  });
}

/** The module is loaded inside the program, so that it can create providers at its top level. */
function rosterWithModule(
  { roster, offboarded, facts, now }: RunnerRequest["program"],
  onUndelivered: (undelivered: readonly Undelivered[]) => void,
): PulumiFn {
  return async () => {
    const isCalled = roster.deliver !== undefined && roster.people.length > 0;
    const deliver = isCalled ? learning(loadDeliver(roster.deliver, facts?.deliver)) : undefined;
    return rosterProgram(
      { ...roster, deliver: undefined },
      { offboarded, now, facts, deliver, onUndelivered },
    )();
  };
}

async function operate(
  stack: Stack,
  { operation, targets, refresh, continueOnError }: RunnerRequest,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  // For Pulumi, no targets means all.
  if (targets?.length === 0) throw new InternalError("cannot start a run with no targets");
  const options = {
    onEvent,
    signal,
    color: "never" as const,
    ...(targets !== undefined && { target: [...targets] }),
    ...(refresh !== undefined && { refresh }),
  };
  if (operation === "preview") await stack.preview(options);
  else if (operation === "refresh") await stack.refresh({ onEvent, signal, color: "never" });
  else await stack.up({ ...options, ...(continueOnError !== undefined && { continueOnError }) });
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
  return { code: first?.code ?? "pulumi-failed", text: first?.text ?? lastErrorLine(text) };
}

function describeLock(text: string): string {
  const [, holder, since] = /created by (\S+ \(pid \d+\)) at (\S+)/.exec(text) ?? [];
  return `another run holds the lock of the stack${holder === undefined ? "" : ` (${holder}, since ${since})`}`;
}

/** Pulumi's own `error:` comes after the text of the library that started it, in what that calls `stderr`. */
function lastErrorLine(text: string): string {
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
// The command interrupts the group of this process if a program in a loop does not let it read a message.
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
