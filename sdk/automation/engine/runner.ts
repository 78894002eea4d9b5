/**
 * The process in which one stack is run by the Automation API, again and again as long as all goes well. Each has one of
 * its own, because Pulumi takes what goes wrong in one inline program for a failure of all programs of its process; and
 * because Ctrl-C, which a terminal sends to everybody it started, is to reach Pulumi once.
 */
import {
  ConcurrentUpdateError,
  type EngineEvent,
  LocalWorkspace,
  type PulumiFn,
  type Stack,
} from "@pulumi/pulumi/automation/index.js";
import { errorOf, reasonOf } from "../../../provider/pulumi-command.ts";
import { rosterProgram } from "../roster/program.ts";
import type { StackRunFailure } from "./engine.ts";
import { type RunnerEvent, type RunnerRequest, requestSchema, STOP } from "./messages.ts";
import { StepCollector } from "./step-collector.ts";

async function run(request: RunnerRequest, signal: AbortSignal): Promise<void> {
  const told = new StepCollector(request.stack);
  const failure = await attempt(request, told, signal);
  const end: RunnerEvent = {
    kind: "end",
    steps: told.steps(),
    states: [...told.states],
    messages: told.messages,
    markers: told.markers(),
    otherTypes: told.otherTypes(),
    failure,
  };
  if (process.connected) process.send?.(end);
}

async function attempt(
  request: RunnerRequest,
  told: StepCollector,
  signal: AbortSignal,
): Promise<StackRunFailure | undefined> {
  const onEvent = (event: EngineEvent): void => {
    const urn = told.hear(event);
    const state = urn === undefined ? undefined : told.states.get(urn);
    if (urn !== undefined && state !== undefined) tell({ kind: "progress", urn, state });
  };
  try {
    stack ??= await open(request);
    stack.workspace.program = await programOf(request.program);
    stack.workspace.envVars = { ...request.environment };
    signal.throwIfAborted();
    await operate(stack, request, onEvent, heardLate(signal));
    return undefined;
  } catch (error) {
    return failureOf(error, told, signal);
  }
}

/** The one of this process, from its first run on. */
let stack: Stack | undefined;

async function open({ stack: stackName, workspace }: RunnerRequest): Promise<Stack> {
  const { folder, secretsProvider } = workspace;
  return LocalWorkspace.createOrSelectStack(
    // The project's name stands in the folder's Pulumi.yaml; the program is set for each run.
    { stackName, projectName: "", program: async () => undefined },
    { workDir: folder, ...(secretsProvider !== undefined && { secretsProvider }) },
  );
}

async function programOf(program: RunnerRequest["program"]): Promise<PulumiFn> {
  if (program.kind === "roster") return rosterProgram(program.roster, { leavers: program.leavers });
  const loaded: { default?: unknown } = await import(program.url);
  const { default: made } = loaded;
  if (typeof made !== "function") {
    throw new Error(
      `${program.url} has no function as its default export: export default async () => { ... }`,
    );
  }
  return async () => made();
}

async function operate(
  stack: Stack,
  { operation, targets, refresh, continueOnError }: RunnerRequest,
  onEvent: (event: EngineEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  // Pulumi takes no targets for everything.
  if (targets?.length === 0) throw new Error("a run of no targets was asked for, and is not begun");
  const options = {
    onEvent,
    signal,
    color: "never" as const,
    ...(targets !== undefined && { target: [...targets] }),
    ...(refresh !== undefined && { refresh }),
  };
  if (operation === "preview") await stack.preview(options);
  else await stack.up({ ...options, ...(continueOnError !== undefined && { continueOnError }) });
}

/** Pulumi listens for an abort, some moments after it was called, and does not look whether one has been. */
function heardLate(signal: AbortSignal): AbortSignal {
  const listen: AbortSignal["addEventListener"] = signal.addEventListener.bind(signal);
  signal.addEventListener = (...[type, listener, options]: Parameters<typeof listen>): void => {
    listen(type, listener, options);
    if (signal.aborted && typeof listener === "function") listener(new Event(type));
  };
  return signal;
}

function failureOf(error: unknown, told: StepCollector, signal: AbortSignal): StackRunFailure {
  if (signal.aborted) return { code: "cancelled", text: "stopped on request" };
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof ConcurrentUpdateError) return { code: "locked", text: lockInWords(text) };
  const said = told.messages.filter(({ severity }) => severity === "error");
  // What Pulumi prints at its end repeats everything; the messages say it once.
  return { code: "failed", text: said.at(0)?.text ?? lastWords(text) };
}

function lockInWords(text: string): string {
  const [, who, since] = /created by (\S+ \(pid \d+\)) at (\S+)/.exec(text) ?? [];
  return `another run holds the stack${who === undefined ? "" : `, ${who} since ${since}`}`;
}

/** Pulumi's own `error:` comes after the words of the library that started it, in what that calls `stderr`. */
function lastWords(text: string): string {
  const [, stderr = text] = /^ stderr: (.*?)^ err\?: /ms.exec(text) ?? [];
  return errorOf(stderr) ?? errorOf(text) ?? reasonOf(stderr);
}

/** Where the script is gone nobody hears it, and the run goes on to its end. */
function tell(news: RunnerEvent): void {
  if (process.connected) process.send?.(news);
}

let stopping = new AbortController();
let underWay: Promise<void> = Promise.resolve();
process.on("message", (message) => {
  if (message === STOP) return stopping.abort();
  stopping = new AbortController();
  underWay = run(requestSchema.parse(message), stopping.signal);
});
// A program may leave something open that would keep this process for ever.
process.once("disconnect", () => void underWay.finally(() => process.exit()));
