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

/** Each pause is twice as long as the one before, up to the longest. */
export class GrowingPauses {
  readonly #context: Pick<CallContext, "elapsed" | "sleep">;
  readonly #longestMs: number;
  readonly #until: number;
  #nextMs: number;

  constructor(
    context: Pick<CallContext, "elapsed" | "sleep" | "operation">,
    { firstMs, longestMs, until = context.operation.deadline }: Lengths,
  ) {
    this.#context = context;
    this.#nextMs = firstMs;
    this.#longestMs = longestMs;
    this.#until = until;
  }

  /** Makes the next pause. @returns false, at once, where it would not end in time */
  async wait(): Promise<boolean> {
    const ms = this.#nextMs;
    if (this.#context.elapsed() + ms >= this.#until) return false;
    this.lengthen();
    await this.#context.sleep(ms);
    return true;
  }

  /** Leaves one pause out: the next one is as long as after it. */
  lengthen(): void {
    this.#nextMs = Math.min(this.#nextMs * 2, this.#longestMs);
  }
}
