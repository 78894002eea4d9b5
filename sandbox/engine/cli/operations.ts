/** `preview`, `up`, `refresh` and `destroy`. */
import type { Command } from "commander";
import type { StackName } from "../backend/backend.ts";
import type { StackConfig } from "../backend/config.ts";
import { recordUpdate, type UpdateRecord } from "../backend/history.ts";
import { type StackLock, takeLock } from "../backend/locks.ts";
import { Recorder } from "../backend/recorder.ts";
import { engineVersion } from "../deployment/checkpoint.ts";
import type { RunResult } from "../deployment/run.ts";
import { pulumiExitCodes, UserError } from "../errors.ts";
import type { EventBus } from "../events.ts";
import type { Interruption } from "../run/operation.ts";
import { setValues } from "./config.ts";
import { listeners } from "./listeners.ts";
import { commonFlags, noLists, type OperationOptions, programFlags, runFlags } from "./operation-flags.ts";
import { checkOptions, deploymentOptions, type OperationKind, protectedUrns } from "./operation-options.ts";
import type { ActionWrapper, Session } from "./session.ts";

export function addOperationCommands(program: Command, act: ActionWrapper): void {
  const operation = (kind: OperationKind, dryRun = false) =>
    act<OperationOptions>((session, options) => execute(session, kind, { ...noLists, ...options }, dryRun));
  const command = (name: string, description: string) =>
    commonFlags(program.command(name).description(description));
  const previewOnly = ["--preview-only", "nothing but the preview"] as const;
  const continueOnError = ["--continue-on-error", "continue with what does not depend on a failure"] as const;
  runFlags(programFlags(command("up", "bring the stack to the state that the program declares")))
    .alias("update")
    .option(...continueOnError)
    .action(operation("update"));
  runFlags(command("destroy", "delete every resource of the stack"))
    .option(...previewOnly)
    .option("-r, --refresh", "read every resource first")
    .option("--exclude-protected", "all but protected resources")
    .option(...continueOnError)
    .action(operation("destroy"));
  programFlags(command("preview", "show what an update would do")).action(operation("update", true));
  runFlags(command("refresh", "read every resource and correct the state"))
    .option(...previewOnly)
    .option("--expect-no-changes", "fail if anything changes")
    .option("--clear-pending-creates", "forget creations that were interrupted")
    .action(operation("refresh"));
}

async function execute(
  session: Session,
  kind: OperationKind,
  given: OperationOptions,
  previewCommand: boolean,
): Promise<void> {
  const options = { ...given, yes: given.yes === true || given.skipPreview === true };
  checkOptions(session, options, previewCommand);
  const name = session.stack();
  setValues(session, name, options.config);
  if (options.excludeProtected && keepProtected(session, name, options)) return;
  if (previewCommand || options.previewOnly) {
    const result = await perform(session, name, kind, options);
    return conclude(result, options, previewCommand ? "preview" : kind);
  }
  const lock = takeLock(session.backend, name, session.warn);
  try {
    await previewThenRun(session, name, kind, options, lock);
  } finally {
    lock.release();
  }
}

/** Excludes protected resources. @returns whether there are no others */
function keepProtected(session: Session, name: StackName, options: OperationOptions): boolean {
  const { urns, others } = protectedUrns(session, name);
  options.exclude = [...options.exclude, ...urns];
  if (others > 0 || urns.length === 0) return false;
  session.line(
    "There were no unprotected resources to destroy. There are still " +
      `${urns.length} protected resources associated with this stack.`,
  );
  return true;
}

async function previewThenRun(
  session: Session,
  name: StackName,
  kind: OperationKind,
  options: OperationOptions,
  lock: StackLock,
): Promise<void> {
  if (!options.skipPreview) {
    const preview = await perform(session, name, kind, options);
    conclude(preview, { ...options, expectNoChanges: false }, kind);
    if (!options.yes) await confirmed(session, kind);
  }
  const result = await perform(session, name, kind, options, lock);
  conclude(result, options, kind);
  if (kind === "destroy") concludeDestroy(session, name, options);
}

/** Asks until the answer is yes; ends the command if it is no. */
async function confirmed(session: Session, kind: OperationKind): Promise<void> {
  const note =
    kind === "refresh"
      ? "\nNo resources will be modified as part of this refresh; just your stack's state will be."
      : "";
  const question = `${session.paint("bold", `Do you want to perform this ${kind}?`)}${note} (yes/no) `;
  for (;;) {
    const answer = await session.ask(question, "non-interactive mode requires --yes flag");
    if (/^\s*y(es)?\s*$/i.test(answer)) return;
    if (/^\s*(no?)?\s*$/i.test(answer))
      session.decline(`confirmation declined, not proceeding with the ${kind}`);
  }
}

function concludeDestroy(session: Session, name: StackName, options: OperationOptions): void {
  const kept = options.excludeProtected ? (session.state(name)?.resources?.length ?? 0) : 0;
  if (kept > 0) {
    session.line(
      `All unprotected resources were destroyed. There are still ${kept} protected resources associated with this stack.`,
    );
  } else if (options.target.length === 0) {
    session.line(
      "The resources in the stack have been deleted, but the history and configuration associated with the stack " +
        "are still maintained. \nIf you want to remove the stack completely, run `pulumi stack rm " +
        `${session.shown(name)}\`.`,
    );
  }
}

/** Fails the command after a failed operation and after unexpected changes. */
function conclude(result: RunResult, options: OperationOptions, operation: string): void {
  if (result.failed) throw new UserError("");
  const uncounted = ["same", "read", "discard", "read-replacement"];
  const changed = Object.entries(result.changes).some(([op, count]) => !uncounted.includes(op) && count > 0);
  if (options.expectNoChanges && changed) {
    throw new UserError(
      `no changes were expected for ${operation} but changes were proposed`,
      pulumiExitCodes.noChanges,
    );
  }
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}

const executionKinds = ["cli", "auto.local", "auto.inline"];

/** The environment of an operation in the history. */
function environmentOf({ execKind = "cli", execAgent }: OperationOptions): Record<string, string> {
  return {
    "pulumi.version": engineVersion,
    "exec.kind": executionKinds.includes(execKind) ? execKind : "cli",
    ...(execAgent && { "exec.agent": execAgent }),
  };
}

function updateRecord(
  kind: OperationKind,
  options: OperationOptions,
  startedAt: Date,
  config: StackConfig,
  { failed, changes }: RunResult,
): UpdateRecord {
  return {
    kind,
    startTime: seconds(startedAt),
    endTime: seconds(new Date()),
    message: options.message ?? "",
    environment: environmentOf(options),
    config: config.raw(),
    version: 0,
    result: failed ? "failed" : "succeeded",
    resourceChanges: { ...changes },
  };
}

/** Previews; with the stack's lock it makes the changes. */
async function perform(
  session: Session,
  name: StackName,
  kind: OperationKind,
  options: OperationOptions,
  lock?: StackLock,
): Promise<RunResult> {
  const { backend, project, env } = session;
  const dryRun = lock === undefined;
  const startedAt = new Date();
  const display = await listeners(session, name, kind, options, dryRun);
  const interruption = interruptionOf(display.events);
  try {
    const config = session.config(name);
    const secrets = session.secrets(name);
    // The operation reports the failure when it awaits the promise; until then a failure must not end the process.
    secrets.catch(() => {});
    const recorder = lock && new Recorder(backend, name, lock);
    const deployment = deploymentOptions(session, kind, options, dryRun);
    const state = session.state(name);
    if (kind === "refresh" && options.clearPendingCreates && state) state.pending_operations = [];
    display.prelude(config);
    // gRPC takes a tenth of a second to load, and other commands do not need it.
    const { runOperation } = await import("../run/operation.ts");
    const result = await runOperation({
      ...{ project, stack: name.stack, options: deployment, state, secrets, env, interruption },
      config: ({ crypter }) => config.values(() => crypter),
      events: display.events,
      recorder,
      client: options.client,
    });
    const { failed, changes } = result;
    const durationSeconds = (Date.now() - startedAt.getTime()) / 1000;
    display.events.emit({ kind: "summary", planning: dryRun, changes, durationSeconds, failed });
    if (!dryRun) recordUpdate(backend, name, updateRecord(kind, options, startedAt, config, result));
    return result;
  } finally {
    await display.close();
    interruption.release();
  }
}

export function interruptionOf(events: EventBus): Interruption & { release: () => void } {
  const asked = new AbortController();
  const forced = new AbortController();
  const onSignal = () => {
    if (asked.signal.aborted) {
      forced.abort();
      return;
    }
    const message =
      "^C received; cancelling. If you would like to terminate immediately, press ^C again.\n" +
      "Note that terminating immediately may lead to orphaned resources and other inconsistencies.\n";
    events.emit({ kind: "stdout", message });
    asked.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    asked: asked.signal,
    forced: forced.signal,
    release: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
