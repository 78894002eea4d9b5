/** Waits for the service to do something: looks again after pauses that grow, while there is time. */
import type { CallContext } from "./resource.ts";

interface Lengths {
  readonly firstMs: number;
  readonly longestMs: number;
  /** When to give up, on the scale of `elapsed()`. Default: the deadline of the operation. */
  readonly until?: number;
}

/** For work that takes the service seconds to hours: the start of a server, a download. */
export const LONG_WORK = { firstMs: 500, longestMs: 5_000 };

interface GrowingPauses {
  /** Makes the next pause. @returns false, at once, if it would not end in time */
  wait(): Promise<boolean>;
  /** Leaves one pause out: the next one is as long as after it. */
  lengthen(): void;
}

/** Each pause is twice as long as the one before, up to the longest. */
export function growingPauses(
  context: Pick<CallContext, "elapsed" | "sleep" | "operation">,
  { firstMs, longestMs, until = context.operation.deadline }: Lengths,
): GrowingPauses {
  let nextMs = firstMs;
  const lengthen = (): void => {
    nextMs = Math.min(nextMs * 2, longestMs);
  };
  const wait = async (): Promise<boolean> => {
    const ms = nextMs;
    if (context.elapsed() + ms >= until) return false;
    lengthen();
    await context.sleep(ms);
    return true;
  };
  return { wait, lengthen };
}
