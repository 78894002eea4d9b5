/** `stack ...`: creating, selecting, listing and removing stacks, their outputs and their history. */
import { rmSync } from "node:fs";
import type { Command } from "commander";
import { qualifiedName, type StackName } from "../../backend/backend.ts";
import { readValue } from "../../backend/config.ts";
import { readHistory, type UpdateRecord } from "../../backend/history.ts";
import { readCurrentCheckpoint, takeLock } from "../../backend/locks.ts";
import { checkpointText, type DeploymentJson, readSnapshot } from "../../deployment/checkpoint.ts";
import { table } from "../../display/table.ts";
import { pulumiExitCodes, UserError } from "../../errors.ts";
import { maskedConfig, maskedState } from "../../secrets.ts";
import { stackType } from "../../urn.ts";
import { type Crypter, toDisplay } from "../../values.ts";
import { valueJson } from "../config.ts";
import { jsonFlag, parseInteger, showSecretsFlag, stackFlag, yesFlag } from "../flags.ts";
import type { ActionWrapper, GlobalOptions, Session } from "../session.ts";
import { addExportCommands } from "./stack-state.ts";
import { addTagCommands } from "./stack-tags.ts";

interface InitOptions extends GlobalOptions {
  secretsProvider: string;
  select: boolean;
}

interface JsonOptions extends GlobalOptions {
  json?: boolean;
}

interface OutputOptions extends JsonOptions {
  showSecrets?: boolean;
}

interface HistoryOptions extends OutputOptions {
  pageSize: number;
  page: number;
}

interface RemovalOptions extends GlobalOptions {
  yes?: boolean;
  force?: boolean;
  preserveConfig?: boolean;
}

export function addStackCommands(program: Command, act: ActionWrapper): void {
  const stack = program.command("stack").description("manage stacks, and show what is in them");
  stack
    .command("init [name]")
    .description("create a stack and select it")
    .option("--secrets-provider <kind>", "only: passphrase", "default")
    .option("--no-select", "do not select it")
    .action(act<InitOptions>(initStack));
  stack
    .command("select [name]")
    .description("select the stack for the commands that follow")
    .option(...stackFlag)
    .action(act(selectStack));
  addExportCommands(stack, act);
  addTagCommands(stack, act);
  stack
    .command("ls")
    .description("list the project's stacks")
    .option(...jsonFlag)
    .action(act<JsonOptions>(listStacks));
  stack
    .command("output [property]")
    .description("show what the program exported, or one property of it")
    .option(...stackFlag)
    .option(...jsonFlag)
    .option(...showSecretsFlag)
    .action(act<OutputOptions>(printOutputs));
  stack
    .command("history")
    .description("list the updates as JSON, newest first")
    .option(...stackFlag)
    .requiredOption(...jsonFlag)
    .option(...showSecretsFlag)
    .option("--page-size <n>", "updates a page", parseInteger, 10)
    .option("--page <n>", "which page", parseInteger, 1)
    .action(act<HistoryOptions>(printHistory));
  stack
    .command("rm [name]")
    .description("remove a stack and its configuration")
    .option(...stackFlag)
    .option(...yesFlag)
    .option("-f, --force", "even if it still has resources, which stay where they are")
    .option("--preserve-config", "keep Pulumi.<stack>.yaml")
    .action(act<RemovalOptions>(removeStack));
}

async function initStack(session: Session, options: InitOptions, [named]: string[]): Promise<void> {
  const { secretsProvider: kind } = options;
  if (kind !== "passphrase" && kind !== "default")
    throw new UserError(
      `this emulator for the Pulumi CLI has the secrets provider passphrase only, not "${kind}"`,
    );
  const text = named ?? (await session.ask("Please enter your desired stack name: ", "missing stack name"));
  const name = session.parseStackName(text);
  if (name.project !== session.project.name)
    throw new UserError(
      `could not create stack: provided project name "${name.project}" doesn't match Pulumi.yaml`,
    );
  if (session.backend.exists(name)) throw new UserError(`stack '${qualifiedName(name)}' already exists`);
  const { SnapshotManager } = await import("../../deployment/snapshots.ts");
  const save = (state: string) =>
    session.backend.writeCheckpoint(name, checkpointText(qualifiedName(name), state));
  const nothing = { resources: [], pendingOperations: [], metadata: {} };
  new SnapshotManager(nothing, await session.secrets(name), save).close();
  session.streams.err(`Created stack '${session.shown(name)}'\n`);
  if (options.select) session.selection.set(qualifiedName(name));
}

function selectStack(session: Session, { stack }: GlobalOptions, [named = stack]: string[]): void {
  if (named === undefined) {
    throw new UserError(
      "no stack selected; specify a stack name with --stack",
      pulumiExitCodes.stackNotFound,
    );
  }
  const name = session.parseStackName(named);
  if (!session.backend.exists(name))
    throw new UserError(`no stack named '${session.shown(name)}' found`, pulumiExitCodes.stackNotFound);
  session.selection.set(qualifiedName(name));
}

function listStacks(session: Session, { json }: JsonOptions): void {
  const current = session.currentStack();
  const stacks = session.backend.list(session.project.name).map((name) => {
    const state = session.state(name);
    return {
      name: session.shown(name),
      current: current !== undefined && qualifiedName(name) === qualifiedName(current),
      ...(state && {
        lastUpdate: new Date(state.manifest.time).toISOString(),
        resourceCount: state.resources?.length ?? 0,
      }),
    };
  });
  stacks.sort((a, b) => (a.name < b.name ? -1 : 1));
  const rows = stacks.map(({ name, current: isCurrent, resourceCount = "n/a" }) => [
    `${name}${isCurrent ? "*" : ""}`,
    String(resourceCount),
  ]);
  session.line(json ? JSON.stringify(stacks, null, 2) : table(["NAME", "RESOURCE COUNT"], rows));
}

type Outputs = Record<string, unknown>;

/** The stack's outputs by name. It needs the passphrase only to show secrets. */
async function outputsOf(session: Session, name: StackName, showSecrets: boolean): Promise<Outputs> {
  const state = session.state(name);
  const root = state?.resources?.find(({ type }) => type === stackType);
  if (!state || !root) return {};
  const only: DeploymentJson = { ...state, resources: [root], pending_operations: [] };
  const crypter = showSecrets ? (await session.secrets(name)).crypter : maskedState;
  const outputs = readSnapshot(only, crypter).resources[0]?.outputs ?? {};
  const shown = Object.entries(toDisplay(outputs, showSecrets));
  return Object.fromEntries(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function printOutputs(
  session: Session,
  { json, showSecrets }: OutputOptions,
  [property]: string[],
): Promise<void> {
  const all = await outputsOf(session, session.stack(), showSecrets === true);
  if (property !== undefined && !Object.hasOwn(all, property))
    throw new UserError(`current stack does not have output property '${property}'`);
  const chosen = property === undefined ? all : all[property];
  if (json) return session.line(JSON.stringify(chosen, null, 2));
  if (property !== undefined) return session.line(asText(chosen));
  const rows = Object.entries(all).map(([name, value]) => [name, asText(value)]);
  session.line(`Current stack outputs (${rows.length}):`);
  session.line(
    rows.length > 0
      ? table(["OUTPUT", "VALUE"], rows, "    ")
      : "    No output values currently in this stack",
  );
}

async function printHistory(session: Session, options: HistoryOptions): Promise<void> {
  const name = session.stack();
  // The journal of a killed run is merged first.
  readCurrentCheckpoint(session.backend, name, session.warn);
  const all = readHistory(session.backend, name);
  const page = Math.max(1, options.page);
  // A page size of 0 means all updates.
  const size = options.pageSize > 0 ? options.pageSize : Math.max(1, all.length);
  const records = all.slice((page - 1) * size, page * size);
  const crypter = options.showSecrets ? (await session.secrets(name)).crypter : undefined;
  session.line(
    JSON.stringify(
      records.map((record) => updateJson(record, crypter)),
      null,
      2,
    ),
  );
}

function updateJson(record: UpdateRecord, crypter: Crypter | undefined) {
  const config = Object.entries(record.config ?? {}).map(([key, raw]) => {
    const value = readValue(raw, () => crypter ?? maskedConfig);
    return [key, valueJson(value, value.secret && !crypter)];
  });
  const instant = (seconds: number) => new Date(seconds * 1000).toISOString();
  return {
    version: record.version ?? 0,
    kind: record.kind,
    startTime: instant(record.startTime),
    message: record.message,
    environment: record.environment ?? {},
    config: Object.fromEntries(config),
    result: record.result,
    endTime: instant(record.endTime),
    resourceChanges: record.resourceChanges ?? {},
  };
}

async function removeStack(session: Session, options: RemovalOptions, [named]: string[]): Promise<void> {
  const name = session.stack(named);
  const shown = session.shown(name);
  if (!options.yes) await session.confirm(`This will permanently remove the '${shown}' stack!`, shown);
  const lock = takeLock(session.backend, name, session.warn);
  try {
    removeIfEmpty(session, name, options);
  } finally {
    lock.release();
  }
  session.line(`Stack '${shown}' has been removed!`);
}

/** Removes the stack with its history, its configuration and the selection. The caller holds the lock. */
function removeIfEmpty(session: Session, name: StackName, options: RemovalOptions): void {
  const shown = session.shown(name);
  const resources = session.state(name)?.resources ?? [];
  if (!resources.every(({ type }) => type === stackType) && !options.force) {
    throw new UserError(
      `'${shown}' still has resources; removal rejected. Possible actions:\n` +
        `- Make sure that '${shown}' is the stack that you want to destroy\n` +
        "- Run `pulumi destroy` to delete the resources, then run `pulumi stack rm`\n" +
        "- Run `pulumi stack rm --force` to override this error",
    );
  }
  session.backend.remove(name);
  if (!options.preserveConfig && session.project.name === name.project)
    rmSync(session.config(name).file, { force: true });
  // The Pulumi CLI, too, clears the selection of any stack.
  session.selection.set(undefined);
}
