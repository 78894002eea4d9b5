/** Public keys of age (https://age-encryption.org/v1): whether one can be used. Encryption with them is in age.ts. */
import { createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";

/** The form of a public key, for messages. */
export const RECIPIENT_FORM = "an age public key, such as age1..., as `age-keygen` prints it";

/** The start of a private key, which must stay with its owner. */
const PRIVATE_KEY = /SECRET-KEY-/i;

export const PRIVATE_KEY_ISSUE =
  "a private key. Remove it from this file and from its history, make a new key pair, and write the public key (age1...)";

/** Whether a text contains a private key: no message may show it. */
export function holdsPrivateKey(text: string): boolean {
  return PRIVATE_KEY.test(text);
}

/** What is wrong with the public keys of one file. */
export function recipientIssues(recipients: readonly string[]): string[] {
  const issues = recipients.flatMap((one) => recipientIssue(one) ?? []);
  const hybrid = recipients.filter((one) => one.startsWith("age1pq1")).length;
  if (issues.length > 0 || hybrid === 0 || hybrid === recipients.length) return issues;
  return [
    "post-quantum keys (age1pq1...) mixed with other keys, which removes the post-quantum protection. Use keys of one kind",
  ];
}

/** Undefined if nothing is. */
function recipientIssue(text: string): string | undefined {
  if (holdsPrivateKey(text)) return PRIVATE_KEY_ISSUE;
  if (/^(ssh|ecdsa|sk)-/.test(text)) return `an SSH key, which is not supported (expected ${RECIPIENT_FORM})`;
  const form = /^(age1pq|age)1([02-9ac-hj-np-z]+)$/.exec(text);
  if (form === null) return `not ${RECIPIENT_FORM}`;
  const [, prefix = "", data = ""] = form;
  const isWhole = data.length === (prefix === "age" ? X25519_CHARACTERS : HYBRID_CHARACTERS);
  if (!isWhole || !hasChecksum(prefix, data)) return "mistyped or incomplete. Copy the public key again";
  // A hybrid key ends with an X25519 key.
  return canExchange(bytesIn(data).subarray(-X25519_BYTES))
    ? undefined
    : "a key that cannot encrypt. Ask its owner for a new one (age-keygen)";
}

/** 32 and 1,216 bytes in groups of five bits, and the checksum. */
const X25519_CHARACTERS = 52 + 6;
const HYBRID_CHARACTERS = 1946 + 6;

const CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

const X25519_BYTES = 32;

/** The bytes of a key, from groups of five bits. */
function bytesIn(data: string): Buffer {
  let bits = "";
  for (const letter of data.slice(0, -6)) bits += CHARACTERS.indexOf(letter).toString(2).padStart(5, "0");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Tries a key exchange, which fails with a point of small order. */
function canExchange(point: Uint8Array): boolean {
  const x = Buffer.from(point).toString("base64url");
  try {
    const publicKey = createPublicKey({ key: { kty: "OKP", crv: "X25519", x }, format: "jwk" });
    const { privateKey } = generateKeyPairSync("x25519");
    diffieHellman({ privateKey, publicKey });
    return true;
  } catch {
    return false;
  }
}

/** The checksum of Bech32 (BIP 173). */
function hasChecksum(prefix: string, data: string): boolean {
  const codes = [...prefix].map((letter) => letter.charCodeAt(0));
  const values = [
    ...codes.map((code) => code >> 5),
    0,
    ...codes.map((code) => code & 31),
    ...[...data].map((letter) => CHARACTERS.indexOf(letter)),
  ];
  const sum = values.reduce((checksum, value) => {
    const shifted = ((checksum & 0x1ffffff) << 5) ^ value;
    return GENERATOR.reduce(
      (mixed, term, bit) => ((checksum >> (25 + bit)) & 1 ? mixed ^ term : mixed),
      shifted,
    );
  }, 1);
  return sum === 1;
}
