/** `config ...`: reading and writing Pulumi.<stack>.yaml. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { StackName } from "../backend/backend.ts";
import { type ConfigValue, configKey, hasSecure, recrypted } from "../backend/config.ts";
import { table } from "../display/table.ts";
import { pulumiExitCodes, UserError } from "../errors.ts";
import { maskedConfig } from "../secrets.ts";
import { collect, configFileFlag, jsonFlag, showSecretsFlag, stackFlag } from "./flags.ts";
import type { ActionWrapper, GlobalOptions, Session } from "./session.ts";

interface ReadOptions extends GlobalOptions {
  json?: boolean;
  showSecrets?: boolean;
}

interface SetOptions extends GlobalOptions {
  secret?: boolean;
  plaintext?: boolean;
}

interface SetAllOptions extends GlobalOptions {
  secret?: string[];
  plaintext?: string[];
}

export function addConfigCommands(program: Command, act: ActionWrapper): void {
  const config = program.command("config").description("show the stack's configuration, and set it");
  const withFlags = (command: Command) => command.option(...stackFlag).option(...configFileFlag);
  const sub = (usage: string, description: string) =>
    withFlags(config.command(usage).description(description));
  withFlags(config)
    .option(...jsonFlag)
    .option(...showSecretsFlag)
    .action(act<ReadOptions>(listConfig));
  sub("get <key>", "print one value, secret or not")
    .option(...jsonFlag)
    .action(act<ReadOptions>(getConfig));
  sub("set <key> [value]", "set one value; without <value> it asks, or reads the standard input")
    .option("--secret", "encrypt it")
    .option("--plaintext", "store it as plain text, even if it looks like a secret")
    .action(act<SetOptions>(setConfig));
  sub("set-all", "set several values")
    .option("--secret <key=value>", "an encrypted value; may be repeated", collect)
    .option("--plaintext <key=value>", "a value in plain text; may be repeated", collect)
    .action(act<SetAllOptions>(setAll));
  for (const usage of ["rm <key>", "rm-all <keys...>"])
    sub(usage, "remove values").action(act<GlobalOptions>(remove));
  sub("cp", "copy all values to another stack")
    .requiredOption("-d, --dest <stack>", "the other stack")
    .action(act<GlobalOptions & { dest: string }>(copyConfig));
}

/** The values. Decrypts secrets only if there are any and `showSecrets` is set. */
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

async function getConfig(session: Session, { json }: ReadOptions, [key = ""]: string[]): Promise<void> {
  const { project } = session;
  const found = (await readValues(session, true)).get(configKey(key, project.name));
  if (!found) {
    const shown = session.shown(session.stack());
    throw new UserError(`configuration key '${prettyKey(key, project.name)}' not found for stack '${shown}'`);
  }
  session.line(json ? JSON.stringify(valueJson(found, false), null, 2) : found.value);
}

async function valueFor(session: Session, secret: boolean): Promise<string> {
  if (!session.streams.terminal) return readFileSync(0, "utf8").replace(/\r?\n$/, "");
  return session.ask("value: ", "config value must be specified in non-interactive mode", secret);
}

async function setConfig(session: Session, options: SetOptions, [key = "", given]: string[]): Promise<void> {
  const { secret = false, plaintext } = options;
  if (secret && plaintext) throw new UserError("only one of --secret and --plaintext may be set");
  const name = session.stack();
  const value = given ?? (await valueFor(session, secret));
  if (!secret && !plaintext && looksLikeSecret(key, value)) {
    throw new UserError(
      `config value for '${configKey(key, session.project.name)}' looks like a secret; rerun with --secret to encrypt ` +
        "it, or --plaintext if you meant to store in plaintext",
    );
  }
  const crypter = secret ? (await session.secrets(name)).crypter : undefined;
  const config = session.config(name);
  config.set(key, crypter ? { secure: crypter.encrypt(value) } : value);
  config.save();
}

/** A guess, as the Pulumi CLI makes it: a key that sounds like a secret, and a value that no word explains. */
function looksLikeSecret(key: string, value: string): boolean {
  if (!/passwd|pass|password|pwd|secret|token/i.test(key)) return false;
  const start = value.slice(0, 16);
  const alphabet = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/].map((kind) => kind.test(start));
  const size = [26, 26, 10, 33].reduce((sum, count, index) => sum + (alphabet[index] ? count : 0), 0);
  const words = start.match(/[a-zA-Z]{4,}/g) ?? [];
  const rest = start.length - words.join("").length;
  const bits = 12 * words.length + rest * Math.log2(Math.max(size, 2));
  return bits >= 80 || (bits >= 40 && bits / start.length >= 3);
}

/** Splits `key=value`. Quotes around the key allow a `=` in it. */
function readPair(pair: string): [string, string] {
  const [, , quoted, plain, value] = /^(?:(["'])(.*?)\1|([^=]*))=(.*)$/s.exec(pair) ?? [];
  const key = quoted ?? plain;
  if (key === undefined || value === undefined)
    throw new UserError("config value must be in the form [key]=[value]");
  return [key, value];
}

async function setAll(session: Session, options: SetAllOptions): Promise<void> {
  const { secret = [], plaintext = [] } = options;
  const name = session.stack();
  const crypter = secret.length > 0 ? (await session.secrets(name)).crypter : undefined;
  const config = session.config(name);
  for (const [key, value] of secret.map(readPair)) config.set(key, { secure: crypter?.encrypt(value) });
  config.save();
  setValues(session, name, plaintext);
}

/** Stores `key=value` pairs as plain text. */
export function setValues(session: Session, name: StackName, pairs: readonly string[]): void {
  if (pairs.length === 0) return;
  const config = session.config(name);
  for (const [key, value] of pairs.map(readPair)) config.set(key, value);
  config.save();
}

function remove(session: Session, _options: GlobalOptions, keys: string[]): void {
  const config = session.config(session.stack());
  for (const key of keys) config.remove(key);
  config.save();
}

/** Copies all values to the other stack and encrypts secrets with the other's key. */
async function copyConfig(session: Session, { dest }: { dest: string }): Promise<void> {
  const source = session.stack();
  const target = session.parseStackName(dest);
  if (target.stack === source.stack && target.project === source.project)
    throw new UserError("current stack and destination stack are the same");
  if (!session.backend.exists(target))
    throw new UserError(`no stack named '${dest}' found`, pulumiExitCodes.stackNotFound);
  const values = Object.entries(session.config(source).own());
  const [from, to] = hasSecure(values)
    ? await Promise.all([session.secrets(source), session.secrets(target)])
    : [undefined, undefined];
  const config = session.config(target);
  for (const [key, value] of values)
    config.set(key, from && to ? recrypted(value, from.crypter, to.crypter) : value);
  config.save();
}
