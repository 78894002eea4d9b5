/** `stack export` and `stack import`: the whole state. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { qualifiedName, type StackName } from "../../backend/backend.ts";
import { takeLock } from "../../backend/locks.ts";
import {
  checkpointText,
  type DeploymentJson,
  exportText,
  parseExport,
  readSnapshot,
  saltOf,
  withPlaintext,
} from "../../deployment/checkpoint.ts";
import { messageOf, UserError } from "../../errors.ts";
import { showSecretsFlag, stackFlag } from "../flags.ts";
import type { ActionWrapper, GlobalOptions, Session } from "../session.ts";

interface ExportOptions extends GlobalOptions {
  showSecrets?: boolean;
}

interface ImportOptions extends GlobalOptions {
  file?: string;
}

export function addExportCommands(stack: Command, act: ActionWrapper): void {
  stack
    .command("export")
    .description("print the stack's state, to keep or to edit it")
    .option(...stackFlag)
    .option(...showSecretsFlag)
    .action(act<ExportOptions>(exportState));
  stack
    .command("import")
    .description("replace the stack's state by an exported one, from the standard input")
    .option(...stackFlag)
    .option("--file <path>", "read it from a file")
    .action(act<ImportOptions>(importState));
}

async function exportState(session: Session, { showSecrets }: ExportOptions): Promise<void> {
  const name = session.stack();
  const state = session.state(name);
  const shown = state && showSecrets ? withPlaintext(state, (await session.secrets(name)).crypter) : state;
  session.line(exportText(shown));
}

function readInput(session: Session, file: string | undefined): string {
  try {
    return readFileSync(file === undefined ? 0 : resolve(session.cwd, file), "utf8");
  } catch (error) {
    throw new UserError(`could not open file: ${messageOf(error)}`);
  }
}

async function importState(session: Session, options: ImportOptions): Promise<void> {
  const name = session.stack();
  const deployment = parseExport(readInput(session, options.file));
  const foreign = deployment?.resources?.find(
    ({ urn }) => !urn.startsWith(`urn:pulumi:${name.stack}::${name.project}::`),
  );
  if (foreign) {
    throw new UserError(
      `cannot import the state: resource '${foreign.urn}' belongs to another stack. Name that stack with --stack`,
    );
  }
  const lock = takeLock(session.backend, name, session.warn);
  try {
    const stored = deployment && (await encrypted(session, name, deployment));
    session.backend.backUp(name);
    session.backend.writeCheckpoint(name, checkpointText(qualifiedName(name), stored));
  } finally {
    lock.release();
  }
  session.line("Import complete.");
}

/** The state with all secrets encrypted with this stack's key: an export may have plain ones, or another salt. */
async function encrypted(session: Session, name: StackName, deployment: DeploymentJson): Promise<string> {
  const [{ openSecrets }, { SnapshotManager }] = await Promise.all([
    import("../../secrets.ts"),
    import("../../deployment/snapshots.ts"),
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
