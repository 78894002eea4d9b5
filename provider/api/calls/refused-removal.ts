/**
 * Whether the refusal of a removal shows that there was nothing left to remove (D15). The only rule: for each resource,
 * for revocations outside of a run, and for platforms with and without lists. Pure.
 */
import type { Missing } from "./missing.ts";

/** Statuses with which services answer a removal of what is gone: `404 not found`, `409 already revoked`. */
const MAY_BE_GONE: ReadonlySet<number | undefined> = new Set([400, 404, 409, 410, 422]);

/** The answer to the removal. */
interface RefusedRemoval {
  readonly status?: number | undefined;
  /** What its error names as missing. */
  readonly missing?: Missing | undefined;
}

/** What this run knows besides the answer and the list. */
export interface SeenInRun {
  /** Whether an attempt without a response, or an earlier run by its audit log, may have removed the object. */
  readonly mayBeOurs?: boolean;
  /** Whether the service answered so about everything that this run asked, of two users or more. */
  readonly deniesAll?: boolean;
}

/**
 * `gone`: there is nothing to remove. `refused`: the refusal is the result. `unknown`: a service answers the same to an
 * account without rights, so the refusal proves nothing.
 * @param isListed whether a list shows the object; undefined without a list
 */
export function decideRefusal(
  { status, missing }: RefusedRemoval,
  isListed: boolean | undefined,
  { mayBeOurs = false, deniesAll = false }: SeenInRun = {},
): "gone" | "refused" | "unknown" {
  if (!MAY_BE_GONE.has(status)) return "refused";
  if (isListed !== undefined) return isListed ? "refused" : "gone";
  if (status !== 404 && status !== 410) return "refused";
  if (mayBeOurs) return "gone";
  return missing === undefined || deniesAll ? "unknown" : "gone";
}
