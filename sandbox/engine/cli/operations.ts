/** `preview`, `up`, `refresh` and `destroy`. */
import type { Command } from "commander";
import type { RunResult } from "../deployment/run.ts";
import { exitCodes, UserError } from "../errors.ts";
import { recordUpdate } from "../history.ts";
import { takeLock } from "../locks.ts";
import { Recorder } from "../recorder.ts";
import { interruptionOf } from "./interrupt.ts";
import { listeners } from "./listeners.ts";
import {
  collect,
  commonOptions,
  deploymentOptions,
  hidden,
  type Kind,
  type OperationOptions,
  programOptions,
  runOptions,
} from "./operation-options.ts";
import type { Act, Session } from "./session.ts";

export function addOperationCommands(program: Command, act: Act): void {
  const defaults = { target: [], exclude: [], replace: [], targetReplace: [], config: [] };
  const operation = (kind: Kind, dryRun = false) =>
    act<OperationOptions>((session, options) => execute(session, kind, { ...defaults, ...options }, dryRun));
  const preview = programOptions(commonOptions(program.command("preview").alias("pre"))).description(
    "show what an update would do",
  );
  preview.option("--save-plan <file>", "not supported").action(operation("update", true));
  const up = programOptions(runOptions(commonOptions(program.command("up").alias("update"))));
  up.description("bring the stack to what the program says")
    .option("--plan <file>", "not supported")
    .action(operation("update"));
  runOptions(commonOptions(program.command("refresh")))
    .description("read every resource and correct the state")
    .option("--clear-pending-creates", "forget creations that were interrupted")
    .addOption(hidden("--skip-pending-creates"))
    .action(operation("refresh"));
  runOptions(commonOptions(program.command("destroy").alias("down")))
    .description("delete every resource of the stack")
    .option("-r, --refresh [yes]", "read every resource first")
    .option("-c, --config <key=value>", "set configuration first; may be repeated", collect, [])
    .option("--config-path", "the keys are paths")
    .option("--remove", "remove the stack as well")
    .action(operation("destroy"));
}

async function execute(
  session: Session,
  kind: Kind,
  options: OperationOptions,
  previewCommand: boolean,
): Promise<void> {
  if (options.plan ?? options.savePlan)
    throw new UserError("this stand-in for the Pulumi CLI knows no plans");
  const name = session.stack();
  applyConfig(session, options);
  const previewOnly = previewCommand || options.previewOnly === true;
  const asks = !previewOnly && !options.yes && !options.skipPreview;
  if (asks && !session.interactive) {
    throw new UserError(
      "--yes or --skip-preview or --preview-only must be passed in to proceed when running in non-interactive mode",
      exitCodes.usage,
    );
  }
  if (previewOnly || !options.skipPreview) {
    const preview = await perform(session, name, kind, options, true);
    if (preview.failed) throw new UserError("", exitCodeOf(preview));
    if (previewOnly) return checkNoChanges(preview, options);
    if (asks && !(await agreed(session, kind)))
      throw new UserError(`confirmation declined, not proceeding with the ${kind}`, exitCodes.cancelled);
  }
  const result = await perform(session, name, kind, options, false);
  if (result.failed) throw new UserError("", exitCodeOf(result));
  checkNoChanges(result, options);
  if (kind === "destroy" && !options.remove) {
    session.line(
      "The resources in the stack have been deleted, but the history and configuration associated with the stack " +
        `are still maintained.\nIf you want to remove the stack completely, run \`pulumi stack rm ${name.stack}\`.`,
    );
  }
  if (options.remove) {
    session.backend.remove(name);
    session.line(
      `The resources in the stack have been deleted and the stack '${name.stack}' has been removed.`,
    );
  }
}

function exitCodeOf({ cancelled }: RunResult): number {
  return cancelled ? exitCodes.cancelled : exitCodes.error;
}

async function agreed(session: Session, kind: Kind): Promise<boolean> {
  const answer = await session.ask(`Do you want to perform this ${kind}? (yes/no) `);
  return ["yes", "y"].includes(answer.trim().toLowerCase());
}

function applyConfig(session: Session, options: OperationOptions): void {
  if (options.config.length === 0) return;
  const config = session.config(session.stack());
  for (const pair of options.config) {
    const at = pair.indexOf("=");
    config.set(at < 0 ? pair : pair.slice(0, at), at < 0 ? "" : pair.slice(at + 1), {
      path: options.configPath ?? false,
    });
  }
  config.save();
}

function checkNoChanges({ changes }: RunResult, options: OperationOptions): void {
  const changed = Object.entries(changes).some(([op, count]) => op !== "same" && op !== "read" && count > 0);
  if (options.expectNoChanges && changed) {
    throw new UserError("no changes were expected but changes were proposed", exitCodes.noChanges);
  }
}

async function perform(
  session: Session,
  name: ReturnType<Session["stack"]>,
  kind: Kind,
  options: OperationOptions,
  dryRun: boolean,
): Promise<RunResult> {
  const { backend, project, env } = session;
  const lock = dryRun ? undefined : takeLock(backend, name, session.warn);
  const startedAt = new Date();
  const interruption = interruptionOf(session);
  const display = await listeners(session, name, kind, options, dryRun);
  try {
    const config = session.config(name);
    const secrets = session.secrets(name);
    // Whoever awaits it reports the failure; until then it must not end the process.
    secrets.catch(() => {});
    const recorder = lock && new Recorder(backend, name, lock);
    const deployment = deploymentOptions(kind, options, env, dryRun);
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
    const durationSeconds = (Date.now() - startedAt.getTime()) / 1000;
    display.events.emit({
      kind: "summary",
      planning: dryRun,
      changes: result.changes,
      durationSeconds,
      failed: result.failed,
    });
    if (!dryRun) {
      const { message = "", execKind = "cli" } = options;
      const { changes, failed } = result;
      recordUpdate(backend, name, {
        kind,
        startedAt,
        message,
        execKind,
        config: config.raw(),
        failed,
        changes,
      });
    }
    return result;
  } finally {
    await display.close();
    interruption.release();
    lock?.release();
  }
}
