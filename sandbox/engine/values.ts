/**
 * Property values as the engine sees them, and their way to and from plain JSON (the wire and the state file).
 * Assets, archives and resource references stay plain objects with Pulumi's signature key.
 */
export const sigKey = "4dabf18193072939515e22adb298388d";
export const secretSig = "1b47061264138c4ac30d75fd1eb44270";
export const outputSig = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
export const resourceSig = "5cf8f73096256a8f31e491e813e4eb8e";

/** The mark of a value that is unknown until the update runs. */
export const unknownSentinel = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const sentinels: ReadonlySet<string> = new Set([
  unknownSentinel,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** A value that is encrypted at rest and masked in every display. */
export class Secret {
  readonly value: Value;
  constructor(value: Value) {
    this.value = value;
  }
}

/** A value that is unknown until the update runs. */
export class UnknownValue {
  readonly unknown = true;
}

export const unknownValue = new UnknownValue();

export type Value = null | boolean | number | string | Secret | UnknownValue | Value[] | PropertyMap;

export interface PropertyMap {
  [key: string]: Value;
}

/** Encrypts and decrypts secrets. */
export interface Crypter {
  encrypt(plaintext: string): string;
  decrypt(ciphertext: string): string;
}

export function isMap(value: Value | undefined): value is PropertyMap {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Secret) &&
    !(value instanceof UnknownValue)
  );
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapObject(value: Record<string, unknown>, each: (v: unknown) => Value): PropertyMap {
  const out: PropertyMap = {};
  for (const key of Object.keys(value).sort()) out[key] = each(value[key]);
  return out;
}

/** Reads JSON from the wire, or from a state file when a crypter is given. */
function decode(json: unknown, crypter?: Crypter): Value {
  if (json === null || json === undefined) return null;
  if (typeof json === "string") return sentinels.has(json) ? unknownValue : json;
  if (typeof json === "number" || typeof json === "boolean") return json;
  if (Array.isArray(json)) return json.map((item) => decode(item, crypter));
  if (!isPlainObject(json)) throw new Error(`a property value cannot be a ${typeof json}`);
  if (json[sigKey] === secretSig) return decodeSecret(json, crypter);
  if (json[sigKey] === outputSig) return decodeOutput(json, crypter);
  return mapObject(json, (item) => decode(item, crypter));
}

/** The ciphertexts of secrets: an unchanged secret keeps its own, so an unchanged state keeps its text. */
const ciphertexts = new WeakMap<Secret, { crypter: Crypter; text: string }>();

function decodeSecret(json: Record<string, unknown>, crypter: Crypter | undefined): Value {
  const { ciphertext, plaintext } = json;
  if (typeof ciphertext === "string") {
    if (!crypter) throw new Error("an encrypted value came where none is expected");
    const secret = new Secret(decode(JSON.parse(crypter.decrypt(ciphertext)), crypter));
    ciphertexts.set(secret, { crypter, text: ciphertext });
    return secret;
  }
  if (typeof plaintext === "string") return new Secret(decode(JSON.parse(plaintext), crypter));
  return new Secret(decode(json.value, crypter));
}

function decodeOutput(json: Record<string, unknown>, crypter: Crypter | undefined): Value {
  const value = "value" in json ? decode(json.value, crypter) : unknownValue;
  return json.secret === true ? new Secret(value) : value;
}

/** Reads a set of properties; anything but an object is an empty set. */
export function decodeMap(json: unknown, crypter?: Crypter): PropertyMap {
  const value = decode(json ?? {}, crypter);
  return isMap(value) ? value : {};
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** How `encode` writes values that JSON does not have. */
interface EncodeOptions {
  secret: (value: Secret) => Json;
  /** Resource references become ids or URNs for providers that do not take them. */
  flattenResources?: boolean;
}

function encode(value: Value, options: EncodeOptions): Json {
  if (value instanceof Secret) return options.secret(value);
  if (value instanceof UnknownValue) return unknownSentinel;
  if (Array.isArray(value)) return value.map((item) => encode(item, options));
  if (!isMap(value)) return value;
  if (options.flattenResources && value[sigKey] === resourceSig) return flatReference(value);
  const out: { [key: string]: Json } = {};
  for (const [key, item] of Object.entries(value)) out[key] = encode(item, options);
  return out;
}

function flatReference(reference: PropertyMap): Json {
  const { id, urn } = reference;
  if (id instanceof UnknownValue || id === "") return unknownSentinel;
  return typeof id === "string" ? id : typeof urn === "string" ? urn : null;
}

/** For a provider: secrets and references to resources keep their marks if it takes them. */
export function toProvider(
  properties: PropertyMap,
  accepts: { secrets: boolean; resources: boolean },
): Record<string, Json> {
  const options: EncodeOptions = {
    secret: (secret) => (accepts.secrets ? markedSecret(secret, options) : encode(secret.value, options)),
    flattenResources: !accepts.resources,
  };
  return encodeEntries(properties, options);
}

function markedSecret(secret: Secret, options: EncodeOptions): Json {
  return { [sigKey]: secretSig, value: encode(secret.value, options) };
}

/** For the program, and for a provider's configuration: secrets keep their mark. */
export function toWire(properties: PropertyMap): Record<string, Json> {
  const options: EncodeOptions = { secret: (secret) => markedSecret(secret, options) };
  return encodeEntries(properties, options);
}

/** For the state file: secrets are encrypted. */
export function toState(properties: PropertyMap, crypter: Crypter): Record<string, Json> {
  const plain: EncodeOptions = { secret: (secret) => encode(secret.value, plain) };
  const options: EncodeOptions = {
    secret: (secret) => {
      let known = ciphertexts.get(secret);
      if (known?.crypter !== crypter) {
        known = { crypter, text: crypter.encrypt(JSON.stringify(encode(secret.value, plain))) };
        ciphertexts.set(secret, known);
      }
      return { [sigKey]: secretSig, ciphertext: known.text };
    },
  };
  return encodeEntries(properties, options);
}

/** For `stack export --show-secrets`: secrets decrypted, with their mark. */
export function toPlaintextState(properties: PropertyMap): Record<string, Json> {
  const plain: EncodeOptions = { secret: (secret) => encode(secret.value, plain) };
  return encodeEntries(properties, {
    secret: (secret) => ({ [sigKey]: secretSig, plaintext: JSON.stringify(encode(secret.value, plain)) }),
  });
}

/** For event logs: secrets keep their mark and nothing else. */
export function toEvent(properties: PropertyMap): Record<string, Json> {
  return encodeEntries(properties, {
    secret: () => ({ [sigKey]: secretSig, ciphertext: "[secret]" }),
  });
}

/** For displays: secrets are masked unless `showSecrets` is set. */
export function toDisplay(properties: PropertyMap, showSecrets = false): Record<string, Json> {
  const options: EncodeOptions = {
    secret: (secret) => (showSecrets ? encode(secret.value, options) : "[secret]"),
  };
  return encodeEntries(properties, options);
}

function encodeEntries(properties: PropertyMap, options: EncodeOptions): Record<string, Json> {
  const out: Record<string, Json> = {};
  for (const [key, value] of Object.entries(properties)) out[key] = encode(value, options);
  return out;
}

/** Whether the test is true for the value or a value in it, inside secrets too. */
function contains(value: Value, test: (value: Value) => boolean): boolean {
  if (test(value)) return true;
  if (value instanceof Secret) return contains(value.value, test);
  const inner = Array.isArray(value) ? value : isMap(value) ? Object.values(value) : [];
  return inner.some((item) => contains(item, test));
}

export function containsSecrets(value: Value): boolean {
  return contains(value, (one) => one instanceof Secret);
}

/** Without unknown values, which a provider's check gets in previews only. */
export function withoutUnknowns(properties: PropertyMap): PropertyMap {
  const known = Object.entries(properties).filter(([, value]) => !isUnknown(value));
  return Object.fromEntries(known.map(([key, value]) => [key, knownParts(value)]));
}

function isUnknown(value: Value): boolean {
  return value instanceof UnknownValue || (value instanceof Secret && isUnknown(value.value));
}

function knownParts(value: Value): Value {
  if (value instanceof Secret) return new Secret(knownParts(value.value));
  if (Array.isArray(value)) return value.filter((item) => !isUnknown(item)).map(knownParts);
  return isMap(value) ? withoutUnknowns(value) : value;
}

export function containsUnknowns(value: Value): boolean {
  return contains(value, (one) => one instanceof UnknownValue);
}

/** Removes every secret mark, at any depth. */
export function unwrapSecrets(value: Value): Value {
  if (value instanceof Secret) return unwrapSecrets(value.value);
  if (Array.isArray(value)) return value.map(unwrapSecrets);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unwrapSecrets(item)]));
}

/** Marks outputs as secret where the input of the same name was: for providers that drop the marks. */
export function annotateSecrets(outs: PropertyMap, ins: PropertyMap): void {
  for (const [key, input] of Object.entries(ins)) {
    const out = outs[key];
    if (out === undefined) continue;
    if (isMap(out) && isMap(input)) annotateSecrets(out, input);
    else if (!(out instanceof Secret) && containsSecrets(input)) outs[key] = new Secret(out);
  }
}
