/** `config ...`: reading and writing Pulumi.<stack>.yaml. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { type ConfigValue, configKey } from "../config.ts";
import { parsePath } from "../diffs.ts";
import { UserError } from "../errors.ts";
import type { Crypter } from "../values.ts";
import type { Act, GlobalOptions, Session } from "./session.ts";

interface ConfigOptions extends GlobalOptions {
  json?: boolean;
  path?: boolean;
  secret?: boolean | string[];
  plaintext?: boolean | string[];
  showSecrets?: boolean;
}

export function addConfigCommands(program: Command, act: Act): void {
  const config = program
    .command("config")
    .description("manage the stack's configuration")
    .option("-s, --stack <name>", "the stack")
    .option("--config-file <path>", "use this file instead of Pulumi.<stack>.yaml")
    .option("-j, --json", "as JSON")
    .option("--show-secrets", "secrets in the clear")
    .action(act<ConfigOptions>(listConfig));
  const sub = (name: string, description: string) =>
    config
      .command(name)
      .description(description)
      .option("-s, --stack <name>", "the stack")
      .option("--config-file <path>", "use this file instead of Pulumi.<stack>.yaml")
      .option("--path", "the key is a path into an object or list");
  sub("get <key>", "print one value").option("-j, --json", "as JSON").action(act<ConfigOptions>(getConfig));
  sub("set <key> [value]", "set one value; without one it is read from the standard input")
    .option("--secret", "encrypt it")
    .option("--plaintext", "store it in the clear")
    .option("--type <type>", "string, bool, int or float")
    .action(act<ConfigOptions & { type?: string }>(setConfig));
  sub("set-all", "set several values")
    .option("--secret <key=value>", "an encrypted value", collect, [])
    .option("--plaintext <key=value>", "a value in the clear", collect, [])
    .option("--json <json>", "values as `config --json` prints them")
    .action(act<ConfigOptions>(setAll));
  sub("rm <key>", "remove one value").action(
    act<ConfigOptions>((session, options, keys) => remove(session, options, keys.slice(0, 1))),
  );
  sub("rm-all <keys...>", "remove several values").action(act<ConfigOptions>(remove));
}

function collect(value: string, previous: string[]): string[] {
  return [...previous, value];
}

/** The values, with the secrets opened only where there are any. */
async function readValues(session: Session): Promise<Map<string, ConfigValue>> {
  const name = session.stack();
  const config = session.config(name);
  const secrets = config.hasSecrets() ? await session.secrets(name) : undefined;
  return config.values(() => {
    if (!secrets) throw new Error("the configuration holds a secret, but was read as if it held none");
    return secrets.crypter;
  });
}

async function listConfig(session: Session, options: ConfigOptions): Promise<void> {
  const values = await readValues(session);
  if (options.json) {
    const entries = [...values].map(([key, { value, secret, object }]) => {
      const shown = !secret || options.showSecrets;
      return [
        key,
        { ...(shown && { value }), ...(shown && object !== undefined && { objectValue: object }), secret },
      ];
    });
    return session.line(JSON.stringify(Object.fromEntries(entries), null, 2));
  }
  const prefix = `${session.project.name}:`;
  const rows = [...values].map(([key, { value, secret }]) => ({
    key: key.startsWith(prefix) ? key.slice(prefix.length) : key,
    value: secret && !options.showSecrets ? "[secret]" : value,
  }));
  const width = Math.max("KEY".length, ...rows.map(({ key }) => key.length));
  session.line(`${"KEY".padEnd(width)}  VALUE`);
  for (const { key, value } of rows) session.line(`${key.padEnd(width)}  ${value}`);
}

async function getConfig(session: Session, options: ConfigOptions, [key = ""]: string[]): Promise<void> {
  const values = await readValues(session);
  const found = options.path
    ? lookUp(values, key, session.project.name)
    : values.get(configKey(key, session.project.name));
  if (!found)
    throw new UserError(`configuration key '${key}' not found for stack '${session.stack().stack}'`);
  if (!options.json) return session.line(found.value);
  const { value, secret, object } = found;
  session.line(
    JSON.stringify({ value, ...(object !== undefined && { objectValue: object }), secret }, null, 2),
  );
}

function lookUp(values: Map<string, ConfigValue>, key: string, project: string): ConfigValue | undefined {
  const colon = key.indexOf(":");
  const [first, ...rest] = parsePath(colon < 0 ? key : key.slice(colon + 1));
  const found = values.get(`${colon < 0 ? project : key.slice(0, colon)}:${first ?? ""}`);
  if (!found || rest.length === 0) return found;
  const value = rest.reduce<unknown>(
    (at, part) => (typeof at === "object" && at !== null ? Reflect.get(at, part) : undefined),
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

/** A value given by path is a number or a truth value where it looks like one, as in Pulumi's own. */
function typed(value: string, type: string | undefined, path: boolean): unknown {
  if (type === "string") return value;
  if (type === "bool") return value === "true";
  if (type === "int" || type === "float") return Number(value);
  if (!path) return value;
  if (value === "true" || value === "false") return value === "true";
  return /^(0|-?[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
}

async function setConfig(
  session: Session,
  options: ConfigOptions & { type?: string },
  [key = "", given]: string[],
) {
  const name = session.stack();
  const value = given ?? readFileSync(0, "utf8").replace(/\r?\n$/, "");
  const crypter = options.secret ? (await session.secrets(name)).crypter : undefined;
  const config = session.config(name);
  const path = options.path ?? false;
  config.set(key, crypter ? { secure: crypter.encrypt(value) } : typed(value, options.type, path), { path });
  config.save();
}

const listOf = (value: boolean | string[] | undefined) => (Array.isArray(value) ? value : []);

async function setAll(session: Session, options: ConfigOptions): Promise<void> {
  const name = session.stack();
  const secretPairs = listOf(options.secret);
  const crypter: Crypter | undefined =
    secretPairs.length > 0 ? (await session.secrets(name)).crypter : undefined;
  const config = session.config(name);
  const path = options.path ?? false;
  for (const [pairs, secret] of [
    [listOf(options.plaintext), false],
    [secretPairs, true],
  ] as const) {
    for (const pair of pairs) {
      const at = pair.indexOf("=");
      if (at < 0) throw new UserError(`config value not in the form <key>=<value>: ${pair.slice(0, 20)}`);
      const value = pair.slice(at + 1);
      const stored = secret && crypter ? { secure: crypter.encrypt(value) } : typed(value, undefined, path);
      config.set(pair.slice(0, at), stored, { path });
    }
  }
  config.save();
}

function remove(session: Session, options: ConfigOptions, keys: string[]): void {
  const config = session.config(session.stack());
  for (const key of keys) config.remove(key, { path: options.path ?? false });
  config.save();
}
