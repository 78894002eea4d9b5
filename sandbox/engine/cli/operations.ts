/** `preview`, `up`, `refresh` and `destroy`. */
import type { Command } from "commander";
import { qualifiedName, type StackName } from "../backend.ts";
import { checkConfig, hasSchema } from "../config-schema.ts";
import type { RunResult } from "../deployment/run.ts";
import { exitCodes, UserError } from "../errors.ts";
import { recordUpdate } from "../history.ts";
import { type StackLock, takeLock } from "../locks.ts";
import { Recorder } from "../recorder.ts";
import { applyConfig } from "./config-edit.ts";
import { interruptionOf } from "./interrupt.ts";
import { listeners } from "./listeners.ts";
import {
  commonFlags,
  noLists,
  type OperationOptions,
  previewOnlyFlag,
  programFlags,
  refuseOthers,
  runFlags,
} from "./operation-flags.ts";
import { checkOptions, deploymentOptions, type Kind, protectedUrns } from "./operation-options.ts";
import { agreed, environmentOf } from "./operation-person.ts";
import type { Action, Session } from "./session.ts";
import { removeIfEmpty } from "./stack.ts";

export function addOperationCommands(program: Command, act: Action): void {
  const operation = (kind: Kind, dryRun = false) =>
    act<OperationOptions>((session, options) => execute(session, kind, { ...noLists, ...options }, dryRun));
  const command = (name: string, description: string) =>
    commonFlags(program.command(name).description(description));
  const up = runFlags(programFlags(command("up", "bring the stack to what the program says")));
  up.alias("update").option("--continue-on-error", "go on with what does not depend on a failure");
  const destroy = previewOnlyFlag(runFlags(command("destroy", "delete every resource of the stack")));
  destroy
    .aliases(["down", "dn"])
    .option("-r, --refresh", "read every resource first")
    .option("--exclude-protected", "all but protected resources")
    .option("--ignore-protect", "delete protected resources too")
    .option("--show-config", "show the configuration first")
    .option("--show-full-output", "show long values whole")
    .option("--continue-on-error", "go on with what does not depend on a failure")
    .option("--remove", "remove the stack and its configuration as well");
  const preview = programFlags(command("preview", "show what an update would do")).alias("pre");
  const refresh = command("refresh", "read every resource and correct the state");
  previewOnlyFlag(runFlags(refresh))
    .option("--expect-no-changes", "fail if anything changes")
    .option("--clear-pending-creates", "forget creations that were interrupted");
  refuseOthers(up).action(operation("update"));
  refuseOthers(destroy).action(operation("destroy"));
  refuseOthers(preview).action(operation("update", true));
  refuseOthers(refresh).action(operation("refresh"));
}

async function execute(
  session: Session,
  kind: Kind,
  given: OperationOptions,
  previewCommand: boolean,
): Promise<void> {
  // Without a project nothing else is worth a word.
  void session.project;
  const skipped = session.env.PULUMI_SKIP_CONFIRMATIONS !== undefined;
  const options = { ...given, yes: given.yes === true || given.skipPreview === true || skipped };
  if (given.previewOnly && !given.yes) options.yes = false;
  checkOptions(session, options, previewCommand);
  // A stack's name without a project would be blamed for there being none.
  session.requireProject();
  const name = session.stack();
  session.log.write(1, `${kind} of ${qualifiedName(name)} in ${session.backend.url}`);
  applyConfig(session, name, options.config, options.configPath === true);
  await validateConfig(session, name, kind, options);
  if (options.excludeProtected && keepProtected(session, name, options)) return;
  if (previewCommand || options.previewOnly) {
    const preview = await perform(session, name, kind, options);
    return conclude(preview.result, options, previewCommand ? "preview" : kind);
  }
  const lock = takeLock(session.backend, name, session.warn);
  try {
    await previewThenRun(session, name, kind, options, lock);
  } finally {
    lock.release();
  }
}

/** Only where the program runs: a stack whose configuration is no longer right can be destroyed. */
async function validateConfig(
  session: Session,
  name: StackName,
  kind: Kind,
  options: OperationOptions,
): Promise<void> {
  const { project } = session;
  const { runProgram } = deploymentOptions(session, kind, options, true);
  if (!runProgram || options.skipConfigValidation || !hasSchema(project)) return;
  const { crypter } = await session.secrets(name);
  checkConfig(
    project,
    name.stack,
    session.config(name).values(() => crypter),
  );
}

/** Leaves protected resources out. Returns whether nothing else is there. */
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
  kind: Kind,
  options: OperationOptions,
  lock: StackLock,
): Promise<void> {
  if (!options.skipPreview) {
    const preview = await perform(session, name, kind, options);
    conclude(preview.result, { ...options, expectNoChanges: false }, kind);
    if (!options.yes) await agreed(session, kind, preview.details);
  }
  const { result } = await perform(session, name, kind, options, lock);
  conclude(result, options, kind);
  if (kind === "destroy") concludeDestroy(session, name, options);
}

function concludeDestroy(session: Session, name: StackName, options: OperationOptions): void {
  const say = (text: string) => options.json || session.line(text);
  const kept = options.excludeProtected ? (session.state(name)?.resources?.length ?? 0) : 0;
  if (kept > 0) {
    say(
      `All unprotected resources were destroyed. There are still ${kept} protected resources associated with this stack.`,
    );
  } else if (options.target.length > 0) return;
  else if (options.remove) {
    removeIfEmpty(session, name, {});
    say("The resources in the stack have been deleted, and the history and configuration removed.");
  } else {
    say(
      "The resources in the stack have been deleted, but the history and configuration associated with the stack " +
        "are still maintained. \nIf you want to remove the stack completely, run `pulumi stack rm " +
        `${session.shown(name)}\`.`,
    );
  }
}

/** Fails where the operation failed, or did what was not expected. */
function conclude(result: RunResult, options: OperationOptions, operation: string): void {
  if (result.failed) throw new UserError("");
  const uncounted = ["same", "read", "discard", "read-replacement"];
  const changed = Object.entries(result.changes).some(([op, count]) => !uncounted.includes(op) && count > 0);
  if (options.expectNoChanges && changed) {
    throw new UserError(
      `no changes were expected for ${operation} but changes were proposed`,
      exitCodes.noChanges,
    );
  }
}

/** As with Pulumi's own, the flag without a value shows the link that it would suppress. */
function tellWhereStateLies(
  { backend, streams }: Session,
  name: StackName,
  { json }: OperationOptions,
): void {
  if (!json) streams.out(`Permalink: file://${backend.checkpointFile(name)}\n`);
}

interface Performed {
  result: RunResult;
  /** What a preview found, for whoever is to decide. */
  details: () => string;
}

/** Previews, or with the stack's lock changes. */
async function perform(
  session: Session,
  name: StackName,
  kind: Kind,
  options: OperationOptions,
  lock?: StackLock,
): Promise<Performed> {
  const { backend, project, env } = session;
  const dryRun = lock === undefined;
  const startedAt = new Date();
  const display = await listeners(session, name, kind, options, dryRun);
  const interruption = interruptionOf(display.events);
  try {
    const config = session.config(name);
    const secrets = session.secrets(name);
    // Whoever awaits it reports the failure; until then it must not end the process.
    secrets.catch(() => {});
    const recorder = lock && new Recorder(backend, name, lock);
    const deployment = deploymentOptions(session, kind, options, dryRun);
    const state = session.state(name);
    if (kind === "refresh" && options.clearPendingCreates && state) state.pending_operations = [];
    display.prelude(config);
    // gRPC and the protocols are a tenth of a second that other commands need not wait for.
    const { runOperation } = await import("../operation.ts");
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
    if (!dryRun) {
      recordUpdate(backend, name, {
        ...{ kind, startedAt, failed, changes },
        message: options.message ?? "",
        environment: environmentOf(session, options),
        config: config.raw(),
      });
    }
    if (options.suppressPermalink === "false" || options.suppressPermalink === true)
      tellWhereStateLies(session, name, options);
    return { result, details: display.details };
  } finally {
    await display.close();
    interruption.release();
  }
}
