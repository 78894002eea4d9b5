/** `config ...`: reading Pulumi.<stack>.yaml. */
import type { Command } from "commander";
import { type ConfigValue, configKey, keyPath } from "../config.ts";
import { table } from "../display/table.ts";
import { UserError } from "../errors.ts";
import { maskedConfig } from "../secrets.ts";
import { addConfigEdits } from "./config-edit.ts";
import { configFileFlag, type Refusals, refuseFlags, stackFlag } from "./flags.ts";
import type { Action, GlobalOptions, Session } from "./session.ts";

interface ReadOptions extends GlobalOptions {
  json?: boolean;
  path?: boolean;
  showSecrets?: boolean;
}

const refused: Refusals = {
  "--open": "environments belong to Pulumi Cloud, and the stack has none",
};

export function addConfigCommands(program: Command, act: Action): void {
  const config = program
    .command("config")
    .description("show the stack's configuration, and set it")
    .option(...stackFlag)
    .option(...configFileFlag)
    .option("-j, --json", "as JSON")
    .option("--show-secrets", "secrets in the clear")
    .action(act<ReadOptions>(listConfig));
  const get = config
    .command("get <key>")
    .description("print one value, a secret one too")
    .option(...stackFlag)
    .option(...configFileFlag)
    .option("--path", "the key is a path into an object or list, as in outer.inner or names[0]")
    .option("-j, --json", "as JSON")
    .action(act<ReadOptions>(getConfig));
  for (const command of [config, get]) refuseFlags(command, refused);
  addConfigEdits(config, act);
}

/** The values. Secrets are opened only if they are to be shown and there are any. */
async function readValues(session: Session, showSecrets: boolean): Promise<Map<string, ConfigValue>> {
  const name = session.stack();
  const config = session.config(name);
  if (!showSecrets || !config.hasSecrets()) return config.values(() => maskedConfig);
  const { crypter } = await session.secrets(name);
  return config.values(() => crypter);
}

/** A value as JSON shows it; `hidden` leaves out all but the fact that there is one. */
export function valueJson({ value, secret, object }: ConfigValue, hidden: boolean) {
  return { ...(!hidden && { value, ...(object !== undefined && { objectValue: object }) }), secret };
}

function prettyKey(key: string, project: string): string {
  return key.startsWith(`${project}:`) ? key.slice(project.length + 1) : key;
}

async function listConfig(session: Session, { json, showSecrets }: ReadOptions): Promise<void> {
  const values = await readValues(session, showSecrets === true);
  if (json) {
    const entries = [...values].map(([key, value]) => [key, valueJson(value, value.secret && !showSecrets)]);
    return session.line(JSON.stringify(Object.fromEntries(entries), null, 2));
  }
  const rows = [...values].map(([key, { value }]) => [prettyKey(key, session.project.name), value]);
  session.line(table(["KEY", "VALUE"], rows));
}

async function getConfig(session: Session, options: ReadOptions, [key = ""]: string[]): Promise<void> {
  const { project } = session;
  const values = await readValues(session, true);
  const [first, ...path] = options.path ? keyPath(key, project.name) : [configKey(key, project.name)];
  const found = lookUp(values.get(first), path);
  if (!found) {
    const shown = session.shown(session.stack());
    throw new UserError(`configuration key '${prettyKey(key, project.name)}' not found for stack '${shown}'`);
  }
  session.line(options.json ? JSON.stringify(valueJson(found, false), null, 2) : found.value);
}

function lookUp(found: ConfigValue | undefined, path: (string | number)[]): ConfigValue | undefined {
  if (!found || path.length === 0) return found;
  const value = path.reduce<unknown>(
    (at, part) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, part) ? Reflect.get(at, part) : undefined,
    found.object,
  );
  if (value === undefined) return undefined;
  const isObject = typeof value === "object" && value !== null;
  return {
    value: isObject ? JSON.stringify(value) : String(value),
    secret: found.secret,
    ...(isObject && { object: value }),
  };
}
