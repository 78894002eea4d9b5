/** `stack ...`: making, choosing, reading and removing stacks. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { parseStackName, qualifiedName, type StackName } from "../backend.ts";
import {
  checkpointText,
  type DeploymentJson,
  exportText,
  parseExport,
  readSnapshot,
  saltOf,
  withPlaintext,
} from "../deployment/checkpoint.ts";
import { changedKeys } from "../diffs.ts";
import { exitCodes, UserError } from "../errors.ts";
import { lockStack } from "../locks.ts";
import { stackType } from "../urn.ts";
import { containsSecrets, type PropertyMap, toDisplay } from "../values.ts";
import { parseTime, printHistory } from "./history.ts";
import type { Act } from "./program.ts";
import type { GlobalOptions, Session } from "./session.ts";

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
  stack
    .command("output [property]")
    .description("print the outputs")
    .option("-s, --stack <name>", "the stack")
    .option("-j, --json", "as JSON")
    .option("--show-secrets", "in the clear")
    .action(act<StackOptions>(printOutputs));
  addTransfer(stack, act);
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

function addTransfer(stack: Command, act: Act): void {
  stack
    .command("export")
    .description("print the state")
    .option("-s, --stack <name>", "the stack")
    .option("--file <path>", "write it to a file")
    .option("--show-secrets", "secrets in the clear")
    .action(
      act<StackOptions & { file?: string }>(async (session, { file, showSecrets }) => {
        const name = session.stack();
        const state = session.state(name);
        const shown =
          state && showSecrets ? withPlaintext(state, (await session.secrets(name)).crypter) : state;
        if (file === undefined) session.line(exportText(shown));
        else writeFileSync(resolve(session.cwd, file), `${exportText(shown)}\n`);
      }),
    );
  stack
    .command("import")
    .description("replace the state by an exported one")
    .option("-s, --stack <name>", "the stack")
    .option("--file <path>", "read it from a file")
    .option("-f, --force", "even if it is another stack's")
    .action(act<StackOptions & { file?: string }>(importState));
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

/** The outputs of the stack, its secrets opened only where it has any. */
async function stackOutputs(session: Session, name: StackName): Promise<PropertyMap> {
  const state = session.state(name);
  const root = state?.resources?.find(({ type }) => type === stackType);
  if (!state || !root) return {};
  const { crypter } = await session.secrets(name);
  const only: DeploymentJson = { ...state, resources: [root], pending_operations: [] };
  return readSnapshot(only, crypter).resources[0]?.outputs ?? {};
}

async function printOutputs(session: Session, options: StackOptions, [property]: string[]): Promise<void> {
  const outputs = await stackOutputs(session, session.stack());
  const shown = toDisplay(outputs, options.showSecrets);
  if (property !== undefined) {
    if (!(property in shown))
      throw new UserError(`current stack does not have output property '${property}'`);
    const value = shown[property];
    const text = options.json || typeof value !== "string" ? JSON.stringify(value, null, 2) : value;
    return session.line(text);
  }
  if (options.json) return session.line(JSON.stringify(shown, null, 2));
  const names = [...changedKeys({}, outputs).keys()];
  if (names.length === 0)
    return session.line("Current stack outputs (0):\n    No output values currently in this stack");
  session.line(`Current stack outputs (${names.length}):`);
  const width = Math.max("OUTPUT".length, ...names.map((name) => name.length));
  session.line(`    ${"OUTPUT".padEnd(width)}  VALUE`);
  for (const name of names) {
    const value = shown[name];
    session.line(`    ${name.padEnd(width)}  ${typeof value === "string" ? value : JSON.stringify(value)}`);
  }
  if (!options.showSecrets && Object.values(outputs).some(containsSecrets)) {
    session.streams.err("(secrets are masked; --show-secrets shows them)\n");
  }
}

async function importState(session: Session, options: StackOptions & { file?: string }): Promise<void> {
  const name = session.stack();
  const text = readFileSync(options.file === undefined ? 0 : resolve(session.cwd, options.file), "utf8");
  const deployment = parseExport(text);
  const foreign = deployment?.resources?.find(
    ({ urn }) => !urn.startsWith(`urn:pulumi:${name.stack}::${name.project}::`),
  );
  if (foreign && !options.force) {
    throw new UserError(
      `resource '${foreign.urn}' belongs to another stack; --force imports it nevertheless`,
    );
  }
  const unlock = lockStack(session.backend, name, session.warn);
  try {
    const stored = deployment && (await encrypted(session, name, deployment));
    session.backend.backUp(name);
    session.backend.writeCheckpoint(name, checkpointText(qualifiedName(name), stored));
  } finally {
    unlock();
  }
  session.line("Import complete.");
}

/** An import may hold secrets in the clear, or another stack's salt: it is written with this stack's key. */
async function encrypted(session: Session, name: StackName, deployment: DeploymentJson): Promise<string> {
  const [{ openSecrets }, { SnapshotManager }] = await Promise.all([
    import("../secrets.ts"),
    import("../deployment/snapshots.ts"),
  ]);
  const own = await session.secrets(name);
  const salt = saltOf(deployment);
  const source =
    salt === undefined || salt === own.salt ? own : await openSecrets(salt, await session.passphrase());
  let text = "";
  const keep = (saved: string) => {
    text = saved;
  };
  new SnapshotManager(readSnapshot(deployment, source.crypter), own, keep).close();
  return text;
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
