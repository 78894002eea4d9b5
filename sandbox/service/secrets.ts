/** Making and recognizing secrets: the database holds their hashes only. */
import { createHash, randomBytes } from "node:crypto";

/** A new secret, 256 random bits. @param marker what it begins with */
export function newSecret(marker: string): string {
  return marker + randomBytes(32).toString("base64url");
}

/** What is kept of a secret. Two equal hashes mean the same value. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
