/** Waits for the service to do something, or to show it: looks again after pauses that grow, while there is time. */
import { ApiError } from "../api/calls/errors.ts";
import type { DeleteAnswer, Deleted } from "../api/calls/organization.ts";
import { decideRefusal } from "../api/calls/refused-removal.ts";
import { CodedError } from "../util/error-codes.ts";
import { THEN_RUN_AGAIN, withoutStop } from "../util/text.ts";
import type { CallContext, Diagnostics, OperationTime } from "./contexts.ts";

interface Lengths {
  readonly firstMs: number;
  readonly longestMs: number;
  /** When to give up, on the scale of `elapsed()`. Default: the deadline of the operation. */
  readonly until?: number;
}

interface Waiting {
  readonly time: Pick<OperationTime, "operation" | "elapsed" | "pause">;
}

/** For work that takes the service seconds to minutes: the start of a server. */
export const LONG_WORK = { firstMs: 500, longestMs: 5_000 };

/**
 * Each pause is twice as long as the one before, up to the longest.
 * @returns makes the next pause: false, at once, if it would not end in time, or if the run is cancelled
 */
export function growingPauses(
  context: Waiting,
  { firstMs, longestMs, until = context.time.operation.deadline }: Lengths,
): () => Promise<boolean> {
  let nextMs = firstMs;
  return async () => {
    const ms = nextMs;
    if (context.time.elapsed() + ms >= until) return false;
    nextMs = Math.min(nextMs * 2, longestMs);
    return context.time.pause(ms);
  };
}

/** Why a wait has ended. */
export function endOfWait(context: Pick<CallContext, "time">): string {
  return context.time.isCancelled()
    ? "when the run was cancelled"
    : "after the operation timeout (orgseat:operationTimeout)";
}

/** For a service that shows a write later. */
export const LAGGING = { firstMs: 200, longestMs: 2_000 };

/** The object of a delete, and whether a list shows it. */
interface Sought {
  /** Such as `the seat of ada@acme.example`. */
  readonly what: string;
  /** Undefined if the service has no list. @param isLate whether only a list read now counts. @throws if no list can be read: then nothing is proved */
  readonly isListed?: ((isLate: boolean) => Promise<boolean | undefined>) | undefined;
}

/** The service answers that it does not have an object, and lists it. */
export class StillListed extends CodedError {
  constructor(what: string) {
    super(
      "incomplete-list",
      `cannot remove ${what}: the service answers that it does not exist, but still lists it. It stays in the state. Check the rights of the service account or key, ${THEN_RUN_AGAIN}`,
    );
  }
}

/**
 * Makes a removal. One that the service refuses because there is nothing left to remove has succeeded, if the list proves
 * it, or, without a list, the answer (D15).
 * @throws StillListed if the list shows the object
 */
export async function settledRemoval(
  remove: () => Promise<DeleteAnswer>,
  { what, isListed }: Sought,
  context: Waiting & { readonly diagnostics: Pick<Diagnostics, "info" | "warn"> },
): Promise<Deleted> {
  let answer: DeleteAnswer;
  try {
    answer = await remove();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "refused" || isListed === undefined) throw error;
    // If no list can be read, the refusal is the result.
    const isShown = await isListed(false).catch(() => undefined);
    if (isShown === undefined || decideRefusal(error, isShown) !== "gone") throw error;
    context.diagnostics.info(
      `${what} counts as removed: the service refuses the removal (HTTP ${error.status}: ${withoutStop(error.reason)}), and its list shows that there is nothing left to remove.`,
    );
    return "gone";
  }
  if (answer === "deleted") return answer;
  const isProven = isListed !== undefined && (await isLacking(answer, what, isListed, context));
  if (answer === "repeated") return "deleted";
  if (isProven) return answer;
  context.diagnostics.warn(
    `${what} counts as removed: the service answers that there is none, and has no list to confirm it. If it still exists, check the rights of the service account.`,
  );
  return "gone";
}

/**
 * Whether a list proves what a delete found; false if the service has none. An attempt whose response was lost may have deleted the
 * object just now, so the list has time to follow.
 */
async function isLacking(
  answer: "gone" | "repeated",
  what: string,
  isListed: (isLate: boolean) => Promise<boolean | undefined>,
  context: Waiting,
): Promise<boolean> {
  const isLate = answer === "repeated";
  const pause = growingPauses(context, LAGGING);
  for (;;) {
    const isShown = await isListed(isLate);
    if (isShown !== true) return isShown === false;
    if (isLate && (await pause())) continue;
    throw new StillListed(what);
  }
}
