/** How long an operation may take, and what ends its waits before that. */

/** The time limit of one create, read, update, or delete, for all its calls and retries. */
export interface TimeLimit {
  /** In milliseconds, on the scale of `performance.now()`. */
  readonly deadline: number;
  /** Ends the waits between requests. Undefined: they take the time that they need. */
  readonly cancellation?: Cancellation | undefined;
}

/** Why a call was not sent, or not sent again. */
export const RUN_CANCELLED = "the run was cancelled";

/** The cancellation of a run: it ends what waits for a promise, and no request. */
export class Cancellation {
  readonly #waiting = new Set<() => void>();
  #isCancelled = false;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(): void {
    this.#isCancelled = true;
    for (const end of this.#waiting) end();
  }

  /** Waits for the promise. @returns undefined, at once, if the run is cancelled; `start` is not called then */
  until<T>(start: () => Promise<T>): Promise<T | undefined> {
    if (this.#isCancelled) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const end = () => resolve(undefined);
      this.#waiting.add(end);
      start()
        .then(resolve, reject)
        .finally(() => this.#waiting.delete(end));
    });
  }
}

/** Waits, with what the time limit says about cancelling. @returns whether the wait took its time */
export async function waitWithin(
  { cancellation }: Pick<TimeLimit, "cancellation">,
  wait: () => Promise<unknown>,
): Promise<boolean> {
  if (cancellation === undefined) await wait();
  else await cancellation.until(wait);
  return cancellation?.isCancelled !== true;
}
