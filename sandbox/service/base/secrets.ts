/** Creates and compares secrets. The database stores only their hashes. */
import { createHash, randomBytes } from "node:crypto";

/** A new secret, 256 random bits. @param marker its prefix */
export function newSecret(marker: string): string {
  return marker + randomBytes(32).toString("base64url");
}

/** The hash of a secret. Equal hashes mean equal values. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
