/** Waits for the service to do something, or to show it: looks again after pauses that grow, while there is time. */
import type { DeleteAnswer, Deleted } from "../api/calls/organization.ts";
import { CodedError } from "../util/error-codes.ts";
import { THEN_RUN_AGAIN } from "../util/text.ts";
import type { CallContext } from "./resource.ts";

interface Lengths {
  readonly firstMs: number;
  readonly longestMs: number;
  /** When to give up, on the scale of `elapsed()`. Default: the deadline of the operation. */
  readonly until?: number;
}

/** For work that takes the service seconds to minutes: the start of a server. */
export const LONG_WORK = { firstMs: 500, longestMs: 5_000 };

/**
 * Each pause is twice as long as the one before, up to the longest.
 * @returns makes the next pause: false, at once, if it would not end in time, or if the run is cancelled
 */
export function growingPauses(
  context: Pick<CallContext, "elapsed" | "pause" | "operation">,
  { firstMs, longestMs, until = context.operation.deadline }: Lengths,
): () => Promise<boolean> {
  let nextMs = firstMs;
  return async () => {
    const ms = nextMs;
    if (context.elapsed() + ms >= until) return false;
    nextMs = Math.min(nextMs * 2, longestMs);
    return context.pause(ms);
  };
}

/** Why a wait has ended. */
export function endOfWait(context: Pick<CallContext, "isCancelled">): string {
  return context.isCancelled()
    ? "when the run was cancelled"
    : "after the operation timeout (orgseat:operationTimeout)";
}

/** For a service that shows a write later. */
export const LAGGING = { firstMs: 200, longestMs: 2_000 };

/** The object of a delete, and whether a list shows it. */
interface Sought {
  /** Such as `the seat of ada@acme.example`. */
  readonly what: string;
  /** @param isLate whether only a list read now counts. @throws if no list can be read: then nothing is proved */
  isListed(isLate: boolean): Promise<boolean>;
}

/**
 * Whether the list proves what a delete found (D15). An attempt whose response was lost may have deleted the object just
 * now, so the list has time to follow.
 * @throws Error if the list shows the object
 */
export async function provenDeletion(
  answer: DeleteAnswer,
  { what, isListed }: Sought,
  context: Parameters<typeof growingPauses>[0],
): Promise<Deleted> {
  if (answer === "deleted") return answer;
  const isLate = answer === "repeated";
  const pause = growingPauses(context, LAGGING);
  while (await isListed(isLate)) {
    if (isLate && (await pause())) continue;
    throw new CodedError(
      "incomplete-list",
      `cannot remove ${what}: the service answers that it does not exist, but still lists it. It stays in the state. Check the rights of the service account or key, ${THEN_RUN_AGAIN}`,
    );
  }
  return isLate ? "deleted" : "gone";
}
