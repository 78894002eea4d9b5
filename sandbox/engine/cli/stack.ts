/** `stack ...`: making, choosing, reading and removing stacks. */
import { rmSync } from "node:fs";
import type { Command } from "commander";
import { parseStackName, qualifiedName, type StackName } from "../backend.ts";
import { checkpointText } from "../deployment/checkpoint.ts";
import { exitCodes, UserError } from "../errors.ts";
import { lockStack } from "../locks.ts";
import { parseTime, printHistory } from "./history.ts";
import type { Act, GlobalOptions, Session } from "./session.ts";
import { addStateCommands } from "./stack-state.ts";

interface StackOptions extends GlobalOptions {
  json?: boolean;
  showSecrets?: boolean;
  yes?: boolean;
  force?: boolean;
}

export function addStackCommands(program: Command, act: Act): void {
  const stack = program
    .command("stack")
    .description("manage stacks")
    .option("-s, --stack <name>", "the stack")
    .option("--show-secrets", "show outputs in the clear")
    .option("--show-name", "print the name only")
    .action(act<StackOptions & { showName?: boolean }>(describeStack));
  stack
    .command("init [name]")
    .description("create a stack and select it")
    .option("-s, --stack <name>", "the stack")
    .option("--secrets-provider <kind>", "only: passphrase", "passphrase")
    .option("--no-select", "leave the selection as it is")
    .action(act<StackOptions & { secretsProvider: string; select: boolean }>(initStack));
  stack
    .command("select [name]")
    .description("choose the stack that commands are about")
    .option("-s, --stack <name>", "the stack")
    .option("-c, --create", "create it if it does not exist")
    .option("--secrets-provider <kind>", "only: passphrase", "passphrase")
    .action(act<StackOptions & { create?: boolean; secretsProvider: string }>(selectStack));
  stack
    .command("ls")
    .description("list the stacks")
    .option("-j, --json", "as JSON")
    .option("-a, --all", "of every project")
    .action(act<StackOptions & { all?: boolean }>(listStacks));
  addStateCommands(stack, act);
  stack
    .command("rm [name]")
    .description("remove a stack and its configuration")
    .option("-s, --stack <name>", "the stack")
    .option("-y, --yes", "do not ask")
    .option("-f, --force", "even if it still has resources")
    .option("--preserve-config", "keep Pulumi.<stack>.yaml")
    .option("--remove-backups", "accepted, without effect")
    .action(act<StackOptions & { preserveConfig?: boolean }>(removeStack));
  for (const parent of [stack, program]) {
    parent
      .command("history")
      .description("list the updates")
      .option("-s, --stack <name>", "the stack")
      .option("-j, --json", "as JSON")
      .option("--show-secrets", "configuration in the clear")
      .option("--full-dates", "accepted, without effect")
      .option("--page-size <n>", "updates a page", "10")
      .option("--page <n>", "which page", "1")
      .action(act<StackOptions & { pageSize: string; page: string }>(printHistory));
  }
}

function requirePassphrase(kind: string): void {
  if (kind !== "passphrase" && kind !== "default") {
    throw new UserError(`this stand-in knows the passphrase secrets provider only, not "${kind}"`);
  }
}

async function createStack(session: Session, name: StackName): Promise<void> {
  if (session.backend.exists(name)) throw new UserError(`stack '${qualifiedName(name)}' already exists`);
  const { SnapshotManager } = await import("../deployment/snapshots.ts");
  const save = (text: string) =>
    session.backend.writeCheckpoint(name, checkpointText(qualifiedName(name), text));
  const nothing = { resources: [], pendingOperations: [], metadata: {} };
  new SnapshotManager(nothing, await session.secrets(name), save).close();
  session.streams.err(`Created stack '${name.stack}'\n`);
}

async function initStack(
  session: Session,
  options: StackOptions & { secretsProvider: string; select: boolean },
  [named]: string[],
): Promise<void> {
  requirePassphrase(options.secretsProvider);
  const text =
    named ?? options.stack ?? (session.interactive ? await session.ask("stack name: ") : undefined);
  if (!text) throw new UserError("missing stack name");
  await createStack(session, parseStackName(text, session.project.name));
  if (options.select) session.selection.set(text);
}

async function selectStack(
  session: Session,
  options: StackOptions & { create?: boolean; secretsProvider: string },
  [named]: string[],
): Promise<void> {
  const text =
    named ?? options.stack ?? (session.interactive ? await session.ask("stack name: ") : undefined);
  if (!text)
    throw new UserError("no stack was named; in non-interactive mode `pulumi stack select` needs a name");
  const name = parseStackName(text, session.project.name);
  if (!session.backend.exists(name)) {
    if (!options.create) throw new UserError(`no stack named '${name.stack}' found`, exitCodes.stackNotFound);
    requirePassphrase(options.secretsProvider);
    await createStack(session, name);
  }
  session.selection.set(text);
}

function describeStack(session: Session, options: StackOptions & { showName?: boolean }): void {
  const name = session.stack();
  if (options.showName) {
    session.line(name.stack);
    return;
  }
  const resources = session.state(name)?.resources ?? [];
  session.line(`Current stack is ${name.stack}:`);
  session.line(`    Kept in ${session.backend.url}`);
  session.line(`Current stack resources (${resources.length}):`);
  for (const { type, urn } of resources) session.line(`    ${type.padEnd(48)}  ${urn.split("::").at(-1)}`);
}

function listStacks(session: Session, options: StackOptions & { all?: boolean }): void {
  const current = session.projectIfAny ? session.selection.get() : undefined;
  const stacks = session.backend.list(options.all ? undefined : session.projectIfAny?.name);
  const rows = stacks.map((name) => {
    const state = session.state(name);
    return {
      name: name.project === session.projectIfAny?.name ? name.stack : qualifiedName(name),
      current: name.stack === current && name.project === session.projectIfAny?.name,
      ...(state && {
        lastUpdate: parseTime(state.manifest.time),
        resourceCount: state.resources?.length ?? 0,
      }),
      updateInProgress: false,
    };
  });
  if (options.json) {
    session.line(JSON.stringify(rows, null, 2));
    return;
  }
  session.line("NAME                LAST UPDATE               RESOURCE COUNT");
  for (const row of rows) {
    const count = row.resourceCount ?? "n/a";
    session.line(
      `${`${row.name}${row.current ? "*" : ""}`.padEnd(18)}  ${(row.lastUpdate ?? "n/a").padEnd(24)}  ${count}`,
    );
  }
}

async function removeStack(
  session: Session,
  options: StackOptions & { preserveConfig?: boolean },
  [named]: string[],
) {
  const name = session.stack(named);
  const resources = session.state(name)?.resources?.length ?? 0;
  if (resources > 0 && !options.force) {
    throw new UserError(
      `'${name.stack}' still has resources; removal rejected. Possible actions:\n` +
        `- Make sure that '${name.stack}' is the stack that you want to destroy\n` +
        "- Run `pulumi destroy` to delete the resources, then run `pulumi stack rm`\n" +
        "- Run `pulumi stack rm --force` to override this error",
    );
  }
  if (!options.yes) {
    if (!session.interactive)
      throw new UserError("--yes must be passed in to proceed when running in non-interactive mode");
    await session.confirm(
      `This will permanently remove the '${name.stack}' stack! Type its name to confirm:`,
      name.stack,
    );
  }
  const unlock = lockStack(session.backend, name, session.warn);
  try {
    session.backend.remove(name);
    if (!options.preserveConfig) rmSync(session.config(name).file, { force: true });
    if (session.selection.get() === name.stack) session.selection.set(undefined);
  } finally {
    unlock();
  }
  session.line(`Stack '${name.stack}' has been removed!`);
}
