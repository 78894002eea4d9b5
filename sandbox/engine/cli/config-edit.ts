/** `config set`, `set-all`, `rm`, `cp` and `refresh`: writing Pulumi.<stack>.yaml. */
import { existsSync, readFileSync, renameSync } from "node:fs";
import type { Command } from "commander";
import { z } from "zod";
import type { StackName } from "../backend.ts";
import { configKey, keyPath, recrypted } from "../config.ts";
import { saltOf } from "../deployment/checkpoint.ts";
import { exitCodes, UserError } from "../errors.ts";
import { readHistory } from "../history.ts";
import { collect, configFileFlag, stackFlag, truth } from "./flags.ts";
import type { Action, GlobalOptions, Session } from "./session.ts";

interface SetOptions extends GlobalOptions {
  path?: boolean;
  secret?: boolean;
  plaintext?: boolean;
  raw?: boolean;
  type?: string;
}

interface SetAllOptions extends GlobalOptions {
  path?: boolean;
  secret?: string[];
  plaintext?: string[];
  json?: string;
}

interface CopyOptions extends GlobalOptions {
  path?: boolean;
  dest?: string;
}

export function addConfigEdits(config: Command, act: Action): void {
  const sub = (usage: string, description: string) =>
    config
      .command(usage)
      .description(description)
      .option(...stackFlag)
      .option(...configFileFlag);
  const path = ["--path", "keys are paths into an object or list, as in outer.inner or names[0]"] as const;
  sub("set <key> [value]", "set one value; without one it is asked for, or read from the standard input")
    .option(...path)
    .option("--secret", "encrypt it")
    .option("--plaintext", "store it in the clear, even if it looks like a secret")
    .option("--type <type>", "string, bool, int or float")
    .option("--raw", "keep the newline at the end of the standard input")
    .action(act<SetOptions>(setConfig));
  sub("set-all", "set several values")
    .option(...path)
    .option("--secret <key=value>", "an encrypted value; may be repeated", collect)
    .option("--plaintext <key=value>", "a value in the clear; may be repeated", collect)
    .option("--json <json>", "values as `pulumi config --json --show-secrets` prints them")
    .action(act<SetAllOptions>(setAll));
  sub("rm <key>", "remove one value")
    .aliases(["remove", "delete"])
    .option(...path)
    .action(act<SetOptions>(remove));
  sub("rm-all <keys...>", "remove several values")
    .aliases(["remove-all", "delete-all"])
    .option(...path)
    .action(act<SetOptions>(remove));
  sub("cp [key]", "copy one value, or all, to another stack")
    .alias("copy")
    .option(...path)
    .option("-d, --dest <stack>", "the other stack")
    .action(act<CopyOptions>(copyToStack));
  sub("refresh", "take over the configuration of the last update")
    .option("-f, --force", "keep no copy of the file")
    .action(act<GlobalOptions & { force?: boolean }>(refreshConfig));
}

/** What `--type` makes of a value; anything but a truth value is false, as with Pulumi's own. */
function ofType(value: string, type: string): unknown {
  if (type === "string") return value;
  if (type === "bool") return truth(value) === true;
  if (type !== "int" && type !== "float")
    throw new UserError(`invalid type "${type}"; must be one of string, int, bool, or float`);
  const valid = type === "int" ? /^[+-]?\d+$/.test(value) : Number.isFinite(Number(value || "x"));
  if (!valid) throw new UserError(`the value is no ${type}`);
  return Number(value);
}

/**
 * A value as it is written: at the top of the file always a text; further in a number or truth value where it is
 * said or looks to be one.
 */
function typed(key: string, value: string, type: string | undefined, path: boolean): unknown {
  const nested = path && keyPath(key, "x").length > 1;
  const given = type === undefined ? value : ofType(value, type);
  if (!nested) return String(given);
  if (type !== undefined) return given;
  if (value === "true" || value === "false") return value === "true";
  return /^(0|-?[1-9]\d{0,14})$/.test(value) ? Number(value) : value;
}

async function valueFor(session: Session, options: SetOptions, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  if (!session.streams.terminal) {
    const text = readFileSync(0, "utf8");
    return options.raw ? text : text.replace(/\r?\n$/, "");
  }
  const missing = "config value must be specified in non-interactive mode";
  return session.ask("value: ", missing, options.secret === true);
}

async function setConfig(session: Session, options: SetOptions, [key = "", given]: string[]): Promise<void> {
  if ([options.secret, options.plaintext, options.type].filter((one) => one !== undefined).length > 1)
    throw new UserError("of --secret, --plaintext and --type only one may be set");
  const name = session.stack();
  const path = options.path ?? false;
  const value = await valueFor(session, options, given);
  if (!options.secret && !options.plaintext && looksLikeSecret(key, value)) {
    const full = path ? key : configKey(key, session.project.name);
    throw new UserError(
      `config value for '${full}' looks like a secret; rerun with --secret to encrypt it, or --plaintext if you ` +
        "meant to store in plaintext",
    );
  }
  const crypter = options.secret ? (await session.secrets(name)).crypter : undefined;
  const stored = crypter ? { secure: crypter.encrypt(value) } : typed(key, value, options.type, path);
  const config = session.config(name);
  config.set(key, stored, { path });
  config.save();
}

/** A guess, as Pulumi's own is: a name that sounds like one, and a value that no word explains. */
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

/** `--config` of an operation: values in the clear, kept in the stack's file. */
export function applyConfig(session: Session, name: StackName, pairs: string[], path: boolean): void {
  if (pairs.length === 0) return;
  const config = session.config(name);
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const [key, value] = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
    config.set(key, typed(key, value, undefined, path), { path });
  }
  config.save();
}

/** `key=value`; a key with a `=` in it stands in quotes. */
function readPair(pair: string): [string, string] {
  const [, , quoted, plain, value] = /^(?:(["'])(.*?)\1|([^=]*))=(.*)$/s.exec(pair) ?? [];
  const key = quoted ?? plain;
  if (key === undefined || value === undefined)
    throw new UserError("config value must be in the form [key]=[value]");
  return [key, value];
}

const jsonSchema = z.record(
  z.string(),
  z.object({
    value: z.string().nullish(),
    objectValue: z.unknown().optional(),
    secret: z.boolean().default(false),
  }),
);

async function setAll(session: Session, options: SetAllOptions): Promise<void> {
  const { json, secret = [], plaintext = [] } = options;
  const path = options.path ?? false;
  if (json !== undefined && (path || secret.length + plaintext.length > 0)) {
    throw new UserError("the --json option cannot be used with the --plaintext, --secret or --path options");
  }
  const name = session.stack();
  const given = json === undefined ? [] : Object.entries(parseValues(json));
  const needsKey = secret.length > 0 || given.some(([, value]) => value.secret);
  const crypter = needsKey ? (await session.secrets(name)).crypter : undefined;
  const stored = (value: string) => ({ secure: crypter?.encrypt(value) });
  const config = session.config(name);
  for (const [key, value] of plaintext.map(readPair))
    config.set(key, typed(key, value, undefined, path), { path });
  for (const [key, value] of secret.map(readPair)) config.set(key, stored(value), { path });
  for (const [key, { value, objectValue, secret: isSecret }] of given) {
    if (value === null || value === undefined)
      throw new UserError(`value for --json object key "${key}" is nil`);
    const isObject = objectValue !== undefined && objectValue !== null;
    if (isObject && isSecret) {
      throw new UserError(
        `the secret object "${key}" cannot be set by --json: set its secret parts by --path --secret`,
      );
    }
    config.set(key, isObject ? objectValue : isSecret ? stored(value) : value);
  }
  config.save();
}

function parseValues(json: string): z.infer<typeof jsonSchema> {
  try {
    return jsonSchema.parse(JSON.parse(json));
  } catch {
    // What is wrong with it is not repeated: it may hold secrets.
    throw new UserError(
      "could not parse --json argument: it is not what `pulumi config --json --show-secrets` prints",
    );
  }
}

function remove(session: Session, options: SetOptions, keys: string[]): void {
  const config = session.config(session.stack());
  for (const key of keys) config.remove(key, { path: options.path ?? false });
  config.save();
}

async function copyToStack(session: Session, options: CopyOptions, [key]: string[]): Promise<void> {
  const source = session.stack();
  if (!options.dest) throw new UserError("flag needed: --dest names the stack to copy to");
  const target = session.parseStackName(options.dest);
  if (target.stack === source.stack && target.project === source.project)
    throw new UserError("current stack and destination stack are the same");
  if (!session.backend.exists(target))
    throw new UserError(`no stack named '${options.dest}' found`, exitCodes.stackNotFound);
  await copyConfig(session, source, target, key, options.path ?? false);
}

/** Copies one value or all from one stack to the other, secrets under the other's key. */
export async function copyConfig(
  session: Session,
  source: StackName,
  target: StackName,
  key?: string,
  path = false,
): Promise<void> {
  const from = session.config(source);
  const all = key === undefined ? Object.entries(from.own()) : [[key, from.rawAt(key, { path })] as const];
  if (key !== undefined && all[0]?.[1] === undefined) {
    throw new UserError(`configuration key '${key}' not found for stack '${session.shown(source)}'`);
  }
  const secret = JSON.stringify(all).includes('"secure":');
  const [old, own] = secret
    ? await Promise.all([session.secrets(source), session.secrets(target)])
    : [undefined, undefined];
  const to = session.config(target);
  for (const [name, value] of all)
    to.set(name, old && own ? recrypted(value, old.crypter, own.crypter) : value, { path });
  to.save();
}

function refreshConfig(session: Session, { force }: GlobalOptions & { force?: boolean }): void {
  const name = session.stack();
  const [latest] = readHistory(session.backend, name);
  if (!latest) throw new UserError("getting latest configuration: no previous deployment");
  const config = session.config(name);
  const salt = saltOf(session.state(name));
  config.replaceAll(latest.config ?? {});
  if (salt !== undefined) config.encryptionSalt = salt;
  if (!existsSync(config.file) || force) {
    config.save();
    return;
  }
  let backup = `${config.file}.bak`;
  while (existsSync(backup)) backup += ".bak";
  renameSync(config.file, backup);
  session.line(`backed up existing configuration file to ${backup}`);
  config.save();
  session.line(`refreshed configuration for stack '${session.shown(name)}'`);
}
