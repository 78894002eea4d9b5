/** `stack output`, `stack export` and `stack import`: what the state holds. */
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
import { changedKeys } from "../diffs.ts";
import { UserError } from "../errors.ts";
import { lockStack } from "../locks.ts";
import { stackType } from "../urn.ts";
import { containsSecrets, type PropertyMap, toDisplay } from "../values.ts";
import type { Act, GlobalOptions, Session } from "./session.ts";

interface StackOptions extends GlobalOptions {
  json?: boolean;
  showSecrets?: boolean;
  force?: boolean;
}

export function addStateCommands(stack: Command, act: Act): void {
  stack
    .command("output [property]")
    .description("print the outputs")
    .option("-s, --stack <name>", "the stack")
    .option("-j, --json", "as JSON")
    .option("--show-secrets", "in the clear")
    .action(act<StackOptions>(printOutputs));
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
