/** `stack ...`: making, choosing, listing and removing stacks. */
import { rmSync } from "node:fs";
import type { Command } from "commander";
import { qualifiedName, type StackName } from "../backend.ts";
import { checkpointText } from "../deployment/checkpoint.ts";
import { ago, table } from "../display/table.ts";
import { exitCodes, UserError } from "../errors.ts";
import { lockStack } from "../locks.ts";
import { copyConfig } from "./config-edit.ts";
import {
  outputFlags,
  type Refusals,
  refuseFlags,
  stackFlag,
  wantsJson,
  wholeNumber,
  yesFlag,
} from "./flags.ts";
import { type HistoryOptions, printHistory } from "./history.ts";
import type { Action, GlobalOptions, Session } from "./session.ts";
import { type OutputOptions, printOutputs } from "./stack-outputs.ts";
import { renameStack } from "./stack-rename.ts";
import { type DescribeOptions, describeStack } from "./stack-show.ts";
import { addExportCommands } from "./stack-state.ts";

interface ChoiceOptions extends GlobalOptions {
  create?: boolean;
  secretsProvider: string;
  copyConfigFrom?: string;
  select?: boolean;
}

interface ListOptions extends GlobalOptions {
  all?: boolean;
  project?: string;
  json?: boolean;
  output?: string;
}

interface RemovalOptions extends GlobalOptions {
  yes?: boolean;
  force?: boolean;
  preserveConfig?: boolean;
  removeBackups?: boolean;
}

const cloudFlags: Refusals = {
  "--organization": "a file backend knows no organizations",
  "--remote-config": "configuration lies in Pulumi.<stack>.yaml",
  "--tag": "stacks have no tags here",
  "--teams": "a file backend knows no teams",
};

export function addStackCommands(program: Command, act: Action): void {
  const stack = program.command("stack").description("manage stacks, and show what is in them");
  stack
    .option(...stackFlag)
    .option("-i, --show-ids", "show each resource's id")
    .option("-u, --show-urns", "show each resource's URN")
    .option("--show-name", "show the stack's name, and nothing else")
    .option("--show-secrets", "show outputs in the clear");
  outputFlags(stack).action(act<DescribeOptions>(describeStack));
  addChoices(stack, act);
  addExportCommands(stack, act);
  const list = stack.command("ls").alias("list").description("list the project's stacks");
  list.option("-a, --all", "of every project").option("-p, --project <name>", "of this project");
  outputFlags(list).action(act<ListOptions>(listStacks));
  stack
    .command("output [property]")
    .description("show what the program exported, or one property of it")
    .option(...stackFlag)
    .option("-j, --json", "as JSON")
    .option("--shell", "as a shell script that sets variables")
    .option("--show-secrets", "secrets in the clear")
    .action(act<OutputOptions>(printOutputs));
  const history = stack.command("history").alias("hist").description("list the updates, newest first");
  history
    .option(...stackFlag)
    .option("--show-secrets", "configuration in the clear")
    .option("--full-dates", "dates instead of how long ago it was")
    .option("--page-size <n>", "updates a page", wholeNumber, 10)
    .option("--page <n>", "which page", wholeNumber, 1);
  outputFlags(history).action(act<HistoryOptions>(printHistory));
  stack
    .command("rename <new-name>")
    .description("rename the stack: its state, its configuration and its history")
    .option(...stackFlag)
    .action(act(renameStack));
  stack
    .command("rm [name]")
    .aliases(["remove", "delete"])
    .description("remove a stack and its configuration")
    .option(...stackFlag)
    .option(...yesFlag)
    .option("-f, --force", "even if it still has resources, which stay where they are")
    .option("--preserve-config", "keep Pulumi.<stack>.yaml")
    .option("--remove-backups", "remove the copies of its state too")
    .action(act<RemovalOptions>(removeStack));
  for (const command of stack.commands) refuseFlags(command, cloudFlags);
}

function addChoices(stack: Command, act: Action): void {
  const secretsProvider = ["--secrets-provider <kind>", "only: passphrase", "default"] as const;
  stack
    .command("init [name]")
    .aliases(["new", "create", "setup"])
    .description("create a stack and select it")
    .option("-s, --stack <name>", "the same as naming it without a flag")
    .option(...secretsProvider)
    .option("--copy-config-from <stack>", "take over another stack's configuration")
    .option("--no-select", "leave the selection as it is")
    .option(...yesFlag)
    .action(act<ChoiceOptions>(initStack));
  stack
    .command("select [name]")
    .description("choose the stack that commands are about")
    .option("-s, --stack <name>", "the same as naming it without a flag")
    .option("-c, --create", "create it if it does not exist")
    .option(...secretsProvider)
    .action(act<ChoiceOptions>(selectStack));
  stack
    .command("unselect")
    .description("choose no stack: commands need --stack then")
    .action(
      act((session) => {
        if (session.selection.get() === undefined) return;
        session.selection.set(undefined);
        session.streams.err("Stack was unselected\n");
      }),
    );
}

function requirePassphrase(kind: string): void {
  if (kind !== "passphrase" && kind !== "default") {
    throw new UserError(
      `this stand-in for the Pulumi CLI knows the secrets provider passphrase only, not "${kind}"`,
    );
  }
}

async function nameOf(session: Session, named: string | undefined, missing: UserError): Promise<StackName> {
  const { stack } = session.options;
  if (named !== undefined && stack !== undefined)
    throw new UserError("only one of --stack or argument stack name may be specified, not both");
  const text = named ?? stack ?? (session.terminal && (await session.terminal.ask("stack name: ")).trim());
  if (!text) throw missing;
  return session.parseStackName(text);
}

async function createStack(session: Session, name: StackName): Promise<void> {
  if (name.project !== session.project.name)
    throw new UserError(
      `could not create stack: provided project name "${name.project}" doesn't match Pulumi.yaml`,
    );
  if (session.backend.exists(name)) throw new UserError(`stack '${qualifiedName(name)}' already exists`);
  const { SnapshotManager } = await import("../deployment/snapshots.ts");
  const save = (text: string) =>
    session.backend.writeCheckpoint(name, checkpointText(qualifiedName(name), text));
  const nothing = { resources: [], pendingOperations: [], metadata: {} };
  new SnapshotManager(nothing, await session.secrets(name), save).close();
  session.streams.err(`Created stack '${session.shown(name)}'\n`);
}

async function initStack(session: Session, options: ChoiceOptions, [named]: string[]): Promise<void> {
  requirePassphrase(options.secretsProvider);
  const name = await nameOf(session, named, new UserError("missing stack name"));
  const source =
    options.copyConfigFrom === undefined ? undefined : session.parseStackName(options.copyConfigFrom);
  if (source && !session.backend.exists(source))
    throw new UserError(`no stack named '${options.copyConfigFrom}' found`, exitCodes.stackNotFound);
  await createStack(session, name);
  if (options.select) session.selection.set(qualifiedName(name));
  if (source) await copyConfig(session, source, name);
}

async function selectStack(session: Session, options: ChoiceOptions, [named]: string[]): Promise<void> {
  const missing = new UserError(
    "no stack selected; specify a stack name with --stack",
    exitCodes.stackNotFound,
  );
  const name = await nameOf(session, named, missing);
  if (!session.backend.exists(name)) {
    if (!options.create)
      throw new UserError(`no stack named '${session.shown(name)}' found`, exitCodes.stackNotFound);
    requirePassphrase(options.secretsProvider);
    await createStack(session, name);
  }
  session.selection.set(qualifiedName(name));
}

function listStacks(session: Session, options: ListOptions): void {
  const project = options.project ?? (options.all ? undefined : session.project.name);
  const current = session.projectIfAny && session.currentStack();
  const rows = session.backend.list(project).map((name) => {
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
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (wantsJson(options)) {
    session.line(JSON.stringify(rows, null, 2));
    return;
  }
  const lines = rows.map(({ name, current: isCurrent, lastUpdate, resourceCount = "n/a" }) => [
    `${name}${isCurrent ? "*" : ""}`,
    lastUpdate === undefined ? "n/a" : ago(new Date(lastUpdate), new Date()),
    String(resourceCount),
  ]);
  session.line(table(["NAME", "LAST UPDATE", "RESOURCE COUNT"], lines));
}

async function removeStack(session: Session, options: RemovalOptions, [named]: string[]): Promise<void> {
  const name = session.stack(named);
  const shown = session.shown(name);
  if (!options.yes && !session.env.PULUMI_SKIP_CONFIRMATIONS)
    await session.confirm(`This will permanently remove the '${shown}' stack!`, shown);
  const unlock = lockStack(session.backend, name, session.warn);
  try {
    removeIfEmpty(session, name, options);
  } finally {
    unlock();
  }
  session.line(`Stack '${shown}' has been removed!`);
}

/** Removes the stack with its history, its configuration and its selection. Whoever calls it holds the lock. */
export function removeIfEmpty(session: Session, name: StackName, options: RemovalOptions): void {
  const shown = session.shown(name);
  const resources = session.state(name)?.resources ?? [];
  const isEmpty = resources.every(({ type }) => type === "pulumi:pulumi:Stack");
  if (!isEmpty && !options.force) {
    throw new UserError(
      `'${shown}' still has resources; removal rejected. Possible actions:\n` +
        `- Make sure that '${shown}' is the stack that you want to destroy\n` +
        "- Run `pulumi destroy` to delete the resources, then run `pulumi stack rm`\n" +
        "- Run `pulumi stack rm --force` to override this error",
    );
  }
  session.backend.remove(name);
  if (options.removeBackups) session.backend.removeBackups(name);
  if (!session.projectIfAny) return;
  if (!options.preserveConfig && session.project.name === name.project)
    rmSync(session.config(name).file, { force: true });
  // Whichever stack was selected, none is now, as with Pulumi's own.
  session.selection.set(undefined);
}
