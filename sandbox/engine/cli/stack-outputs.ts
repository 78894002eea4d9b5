/** `stack output`: what the program exported. */
import type { StackName } from "../backend.ts";
import { type DeploymentJson, readSnapshot } from "../deployment/checkpoint.ts";
import { table } from "../display/table.ts";
import { UserError } from "../errors.ts";
import { maskedState } from "../secrets.ts";
import { stackType } from "../urn.ts";
import { toDisplay } from "../values.ts";
import type { GlobalOptions, Session } from "./session.ts";

export interface OutputOptions extends GlobalOptions {
  json?: boolean;
  shell?: boolean;
  showSecrets?: boolean;
}

type Outputs = Record<string, unknown>;

/** The stack's outputs for people; the passphrase is only asked for where secrets are to be shown. */
export async function shownOutputs(
  session: Session,
  name: StackName,
  showSecrets: boolean,
): Promise<Outputs> {
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

export function outputLines(outputs: Outputs): string {
  const rows = Object.entries(outputs).map(([name, value]) => [name, asText(value)]);
  const lines =
    rows.length > 0
      ? table(["OUTPUT", "VALUE"], rows, "    ")
      : "    No output values currently in this stack";
  return `Current stack outputs (${rows.length}):\n${lines}`;
}

/** A line of a shell script that sets the variable. */
function shellLine([name, value]: [string, unknown]): string {
  return `${name}='${asText(value).replaceAll("'", "'\\''")}'`;
}

export async function printOutputs(
  session: Session,
  options: OutputOptions,
  [property]: string[],
): Promise<void> {
  if (options.json && options.shell) throw new UserError("only one of --json and --shell may be set");
  const all = await shownOutputs(session, session.stack(), options.showSecrets === true);
  if (property !== undefined && !Object.hasOwn(all, property))
    throw new UserError(`current stack does not have output property '${property}'`);
  const outputs = property === undefined ? all : { [property]: all[property] };
  if (options.shell) for (const entry of Object.entries(outputs)) session.line(shellLine(entry));
  else if (options.json) session.line(JSON.stringify(property === undefined ? all : all[property], null, 2));
  else session.line(property === undefined ? outputLines(all) : asText(all[property]));
}
