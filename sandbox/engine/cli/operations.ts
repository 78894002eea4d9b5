/** `preview`, `up`, `refresh` and `destroy`. */
import { availableParallelism } from "node:os";
import { type Command, Option } from "commander";
import { qualifiedName } from "../backend.ts";
import { checkpointText } from "../deployment/checkpoint.ts";
import type { DeploymentOptions } from "../deployment/deployment.ts";
import type { RunResult } from "../deployment/run.ts";
import { exitCodes, UserError } from "../errors.ts";
import { recordUpdate } from "../history.ts";
import { lockStack } from "../locks.ts";
import { urnMatcher } from "../urn.ts";
import { interruptionOf } from "./interrupt.ts";
import { listeners } from "./listeners.ts";
import type { Act } from "./program.ts";
import type { GlobalOptions, Session } from "./session.ts";

export interface OperationOptions extends GlobalOptions {
  yes?: boolean;
  skipPreview?: boolean;
  previewOnly?: boolean;
  json?: boolean;
  diff?: boolean;
  parallel?: string;
  refresh?: boolean | string;
  target: string[];
  exclude: string[];
  replace: string[];
  targetReplace: string[];
  targetDependents?: boolean;
  excludeDependents?: boolean;
  expectNoChanges?: boolean;
  continueOnError?: boolean;
  runProgram?: boolean | string;
  showSecrets?: boolean;
  showSames?: boolean;
  suppressOutputs?: boolean;
  message?: string;
  config: string[];
  configPath?: boolean;
  execKind?: string;
  client?: string;
  eventLog?: string;
  remove?: boolean;
  excludeProtected?: boolean;
  clearPendingCreates?: boolean;
  plan?: string;
  savePlan?: string;
  import?: string;
}

type Kind = "update" | "refresh" | "destroy";

function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}

function hidden(flags: string): Option {
  return new Option(flags, "accepted, without effect").hideHelp();
}

function commonOptions(command: Command): Command {
  command
    .option("-s, --stack <name>", "the stack")
    .option("--config-file <path>", "use this file instead of Pulumi.<stack>.yaml")
    .option("-j, --json", "print what happens as JSON")
    .option("--diff", "show every changed property")
    .option("-p, --parallel <n>", "operations at the same time")
    .option("-t, --target <urn>", "only this resource; may be repeated", collect, [])
    .option("--target-dependents", "and what depends on it")
    .option("--exclude <urn>", "all but this resource; may be repeated", collect, [])
    .option("--exclude-dependents", "and but what depends on it")
    .option("--expect-no-changes", "fail if anything would change")
    .option("--run-program [yes]", "run the program, for fresh configuration")
    .option("--show-secrets", "show secrets in the clear")
    .option("--show-sames", "show resources that do not change")
    .option("--suppress-outputs", "do not show the outputs")
    .option("-m, --message <text>", "a message for the history")
    .option("--exec-kind <kind>", "who runs this")
    .option("--client <address>", "the program is hosted at this address")
    .option("--event-log <target>", "write events to a file or to tcp://<address>");
  for (const flags of [
    "--debug",
    "--suppress-progress",
    "--suppress-permalink [value]",
    "--show-config",
    "--show-reads",
    "--show-replacement-steps",
    "--show-full-output [value]",
    "--exec-agent <agent>",
    "--policy-pack <path...>",
    "--attach-debugger [value]",
    "--config-env <name>",
  ]) {
    command.addOption(hidden(flags));
  }
  return command;
}

function programOptions(command: Command): Command {
  return command
    .option("-r, --refresh [yes]", "read every resource first")
    .option("-c, --config <key=value>", "set configuration first; may be repeated", collect, [])
    .option("--config-path", "the keys are paths")
    .option("--replace <urn>", "replace this resource; may be repeated", collect, [])
    .option("--target-replace <urn>", "only this resource, and replace it", collect, []);
}

function runOptions(command: Command): Command {
  return command
    .option("-y, --yes", "do not ask")
    .option("-f, --skip-preview", "no preview before")
    .option("--preview-only", "nothing but the preview")
    .option("--continue-on-error", "go on with what does not depend on a failure")
    .option("--secrets-provider <kind>", "only: passphrase", "passphrase");
}

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

function isOn(value: boolean | string | undefined): boolean {
  return value === true || value === "true" || value === "";
}

function deploymentOptions(
  kind: Kind,
  options: OperationOptions,
  env: NodeJS.ProcessEnv,
  dryRun: boolean,
): DeploymentOptions {
  const runProgram = kind === "update" || isOn(options.runProgram);
  const parallel = Number(options.parallel ?? env.PULUMI_PARALLEL ?? availableParallelism() * 4);
  const targetPatterns = [...options.target, ...options.targetReplace];
  return {
    dryRun,
    parallel: Math.max(1, Number.isFinite(parallel) ? parallel : 1),
    continueOnError: options.continueOnError === true,
    refresh: kind === "refresh" || isOn(options.refresh),
    refreshOnly: kind === "refresh",
    mode:
      kind === "destroy" && runProgram ? "destroy" : kind === "refresh" && runProgram ? "refresh" : "update",
    runProgram,
    targets: urnMatcher(targetPatterns),
    targetPatterns,
    targetDependents: options.targetDependents === true,
    excludes: urnMatcher(options.exclude),
    excludeDependents: options.excludeDependents === true,
    replaceTargets: urnMatcher([...options.replace, ...options.targetReplace]),
  };
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
  const unlock = dryRun ? () => {} : lockStack(backend, name, session.warn);
  const startedAt = new Date();
  const interruption = interruptionOf(session);
  const display = await listeners(session, name, kind, options, dryRun);
  try {
    const config = session.config(name);
    const secrets = session.secrets(name);
    // Whoever awaits it reports the failure; until then it must not end the process.
    secrets.catch(() => {});
    if (!dryRun) backend.backUp(name);
    const save = (deployment: string) =>
      backend.writeCheckpoint(name, checkpointText(qualifiedName(name), deployment));
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
      save: dryRun ? undefined : save,
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
    unlock();
  }
}
