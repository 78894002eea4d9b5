/** Identifies a machine user without containing its names: the audit log and stack tags have this hash. */
import { createHash } from "node:crypto";

export function namesHash(
  organizationId: string,
  firstName: string | undefined,
  lastName: string | undefined,
): string {
  const names = JSON.stringify([organizationId, firstName ?? null, lastName ?? null]);
  return createHash("sha256").update(names).digest("hex").slice(0, 24);
}
