/** `stack export` and `stack import`: the whole state, out and in. */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { qualifiedName, type StackName } from "../backend.ts";
import {
  checkpointText,
  type DeploymentJson,
  exportText,
  parseExport,
  readSnapshot,
  saltOf,
  withPlaintext,
} from "../deployment/checkpoint.ts";
import { messageOf, UserError } from "../errors.ts";
import { lockStack } from "../locks.ts";
import { type Refusals, refuseFlags, stackFlag } from "./flags.ts";
import type { Action, GlobalOptions, Session } from "./session.ts";

interface FileOptions extends GlobalOptions {
  file?: string;
  force?: boolean;
  showSecrets?: boolean;
}

const refused: Refusals = {
  "--version":
    "a file backend has no earlier states to export; copies of them lie in its folder .pulumi/backups",
};

export function addExportCommands(stack: Command, act: Action): void {
  const exporting = stack
    .command("export")
    .description("print the stack's state, to keep or to edit it")
    .option(...stackFlag)
    .option("--file <path>", "write it to a file")
    .option("--show-secrets", "secrets in the clear")
    .action(act<FileOptions>(exportState));
  refuseFlags(exporting, refused);
  stack
    .command("import")
    .description("replace the stack's state by an exported one, from the standard input")
    .option(...stackFlag)
    .option("--file <path>", "read it from a file")
    .option("-f, --force", "even if it is another stack's")
    .action(act<FileOptions>(importState));
}

async function exportState(session: Session, { file, showSecrets }: FileOptions): Promise<void> {
  const name = session.stack();
  const state = session.state(name);
  const shown = state && showSecrets ? withPlaintext(state, (await session.secrets(name)).crypter) : state;
  if (file === undefined) session.line(exportText(shown));
  else writeFileSync(resolve(session.cwd, file), `${exportText(shown)}\n`, { mode: 0o600 });
}

function readInput(session: Session, file: string | undefined): string {
  try {
    return readFileSync(file === undefined ? 0 : resolve(session.cwd, file), "utf8");
  } catch (error) {
    throw new UserError(`could not open file: ${messageOf(error)}`);
  }
}

async function importState(session: Session, options: FileOptions): Promise<void> {
  const name = session.stack();
  const deployment = parseExport(readInput(session, options.file));
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
