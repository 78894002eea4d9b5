/** A stack's configuration: Pulumi.<stack>.yaml over the defaults in Pulumi.yaml. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Document, isMap, parseDocument } from "yaml";
import { z } from "zod";
import { UserError } from "../errors.ts";
import type { Crypter } from "../values.ts";
import { writeAtomically } from "./backend.ts";
import type { Project } from "./project.ts";

const secureSchema = z.strictObject({ secure: z.string() });
const fileSchema = z.looseObject({
  encryptionsalt: z.string().optional(),
  config: z.record(z.string(), z.unknown()).nullish(),
});

/** One value in the form for the program: text, or JSON text for objects and lists. */
export interface ConfigValue {
  value: string;
  secret: boolean;
  /** The object or list, with its secrets decrypted; undefined for plain text. */
  object?: unknown;
}

/** The key with its namespace, by default the project's. The old form `ns:config:key` is valid too. */
export function configKey(key: string, project: string): string {
  const parts = key.split(":");
  if (parts.length === 1) return `${project}:${key}`;
  if (parts.length === 3 && parts[1] === "config") return `${parts[0]}:${parts[2]}`;
  if (parts.length === 2) return key;
  throw new UserError(
    `invalid configuration key: could not parse ${key} as a configuration key (configuration keys should be of the ` +
      "form `<namespace>:<name>`)",
  );
}

/** Whether a raw value contains a secret. */
export function hasSecure(value: unknown): boolean {
  if (secureSchema.safeParse(value).success) return true;
  if (Array.isArray(value)) return value.some(hasSecure);
  return typeof value === "object" && value !== null && Object.values(value).some(hasSecure);
}

/** The raw value with each ciphertext replaced. */
function mapSecrets(value: unknown, replace: (ciphertext: string) => unknown): unknown {
  const secure = secureSchema.safeParse(value);
  if (secure.success) return replace(secure.data.secure);
  if (Array.isArray(value)) return value.map((item) => mapSecrets(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapSecrets(item, replace)]));
}

export function readValue(raw: unknown, crypter: () => Crypter): ConfigValue {
  const secret = hasSecure(raw);
  const plain = secret ? mapSecrets(raw, (text) => crypter().decrypt(text)) : raw;
  if (typeof plain === "object" && plain !== null) {
    const object = sorted(plain);
    return { value: JSON.stringify(object), secret, object };
  }
  return { value: plain === null || plain === undefined ? "" : String(plain), secret };
}

/** The value with the keys of its objects in order, as Pulumi writes them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** A raw value with its secrets decrypted with one key and encrypted with another. */
export function recrypted(value: unknown, from: Crypter, to: Crypter): unknown {
  return mapSecrets(value, (ciphertext) => ({ secure: to.encrypt(from.decrypt(ciphertext)) }));
}

/** The configuration in Pulumi.yaml: plain values, or values under `value` or `default`. */
function projectDefaults(project: Project): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const [key, raw] of Object.entries(project.config)) {
    const given = typeof raw === "object" && raw !== null && !Array.isArray(raw);
    const value = given ? ("value" in raw ? raw.value : "default" in raw ? raw.default : undefined) : raw;
    if (value !== undefined) defaults[configKey(key, project.name)] = value;
  }
  return defaults;
}

export class StackConfig {
  readonly file: string;
  readonly #project: Project;
  #document: Document;

  constructor(project: Project, stack: string, file?: string) {
    this.#project = project;
    this.file = file ?? join(project.configFolder, `Pulumi.${stack}.yaml`);
    this.#document = this.#read();
  }

  #read(): Document {
    if (!existsSync(this.file)) return new Document({});
    const document = parseDocument(readFileSync(this.file, "utf8"));
    if (document.errors.length > 0) throw new UserError(`${this.file}: ${document.errors[0]?.message}`);
    return isMap(document.contents) ? document : new Document({});
  }

  #content(): z.infer<typeof fileSchema> {
    const parsed = fileSchema.safeParse(this.#document.toJS() ?? {});
    if (!parsed.success) throw new UserError(`${this.file} is not valid: ${z.prettifyError(parsed.error)}`);
    return parsed.data;
  }

  get encryptionSalt(): string | undefined {
    return this.#content().encryptionsalt;
  }

  set encryptionSalt(salt: string) {
    this.#document.set("encryptionsalt", salt);
  }

  /** The raw values of the file, secrets encrypted. */
  own(): Record<string, unknown> {
    const own = Object.entries(this.#content().config ?? {});
    return Object.fromEntries(own.map(([key, value]) => [configKey(key, this.#project.name), value]));
  }

  /** All raw values. The file's values win over the project's. */
  raw(): Record<string, unknown> {
    return { ...projectDefaults(this.#project), ...this.own() };
  }

  hasSecrets(): boolean {
    return Object.values(this.raw()).some(hasSecure);
  }

  /** All values. It calls `crypter` only if there is a secret. */
  values(crypter: () => Crypter): Map<string, ConfigValue> {
    const entries = Object.entries(this.raw()).sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(entries.map(([key, raw]) => [key, readValue(raw, crypter)]));
  }

  set(key: string, value: unknown): void {
    this.#document.setIn(this.#location(key), this.#document.createNode(value));
  }

  /** Removes a value; a missing one is not an error. */
  remove(key: string): void {
    const location = this.#location(key);
    if (this.#document.hasIn(location)) this.#document.deleteIn(location);
  }

  #location(key: string): string[] {
    return ["config", configKey(key, this.#project.name)];
  }

  save(): void {
    writeAtomically(this.file, this.#document.toString({ lineWidth: 0 }));
  }
}
