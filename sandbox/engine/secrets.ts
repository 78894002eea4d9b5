/**
 * The passphrase secrets provider in Pulumi's own format: AES-256-GCM under a key that PBKDF2-SHA256 derives from
 * the passphrase in 1,000,000 rounds. The salt's text ends with an encrypted word that verifies a passphrase.
 */
import { createCipheriv, createDecipheriv, pbkdf2, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { UserError } from "./errors.ts";
import type { Crypter } from "./values.ts";

const derive = promisify(pbkdf2);
const proof = "pulumi";
const tagBytes = 16;

class AesGcm implements Crypter {
  readonly #key: Buffer;
  constructor(key: Buffer) {
    this.#key = key;
  }

  encrypt(plaintext: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce);
    const data = Buffer.concat([cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `v1:${nonce.toString("base64")}:${data.toString("base64")}`;
  }

  decrypt(ciphertext: string): string {
    const [version, nonce, data] = ciphertext.split(":");
    if (version !== "v1" || nonce === undefined || data === undefined) {
      throw new UserError("a secret in the stack is not in the format of the passphrase secrets provider");
    }
    const bytes = Buffer.from(data, "base64");
    const decipher = createDecipheriv("aes-256-gcm", this.#key, Buffer.from(nonce, "base64"));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    try {
      return decipher.update(bytes.subarray(0, -tagBytes)).toString("utf8") + decipher.final("utf8");
    } catch {
      throw new UserError(
        "a secret of the stack cannot be decrypted: its passphrase is another one, or the state was edited",
      );
    }
  }
}

/** A crypter and the salt, which is part of the state and of the stack's configuration file. */
export interface SecretsManager {
  salt: string;
  crypter: Crypter;
}

/** The keys that this process has derived: one derivation takes much time. */
const derived = new Map<string, Promise<Crypter>>();

function deriveKey(passphrase: string, salt: Buffer): Promise<Crypter> {
  const of = `${salt.toString("base64")} ${passphrase}`;
  const key =
    derived.get(of) ??
    derive(passphrase, salt, 1_000_000, 32, "sha256").then((bytes): Crypter => new AesGcm(bytes));
  derived.set(of, key);
  return key;
}

/** The crypter of a stack's secrets. @throws UserError if the passphrase is wrong */
export async function openSecrets(salt: string, passphrase: string): Promise<SecretsManager> {
  const [version, saltText, ...rest] = salt.split(":");
  if (version !== "v1" || saltText === undefined)
    throw new UserError("the stack's encryptionsalt is not valid");
  const crypter = await deriveKey(passphrase, Buffer.from(saltText, "base64"));
  try {
    if (crypter.decrypt(rest.join(":")) === proof) return { salt, crypter };
  } catch {
    // Any failure to decrypt means a wrong passphrase.
  }
  throw new UserError("incorrect passphrase");
}

export async function newSecrets(passphrase: string): Promise<SecretsManager> {
  const salt = randomBytes(8);
  const crypter = await deriveKey(passphrase, salt);
  return { salt: `v1:${salt.toString("base64")}:${crypter.encrypt(proof)}`, crypter };
}

/** The passphrase from the environment, which may be empty. */
export function passphraseFromEnvironment(env: NodeJS.ProcessEnv): string {
  if (env.PULUMI_CONFIG_PASSPHRASE !== undefined) return env.PULUMI_CONFIG_PASSPHRASE;
  const file = env.PULUMI_CONFIG_PASSPHRASE_FILE;
  if (file) return readFileSync(file, "utf8").trim();
  throw new UserError(
    "passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables",
  );
}

/** Reads every secret of the configuration as a mark. */
export const maskedConfig: Crypter = { encrypt: (text) => text, decrypt: () => "[secret]" };
/** The same for a state, where secrets are JSON. */
export const maskedState: Crypter = { encrypt: (text) => text, decrypt: () => '"[secret]"' };
