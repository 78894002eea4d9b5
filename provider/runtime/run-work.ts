/** The work of a run's methods: which of them run, what they do in turns, and what they read once. */

import { CodedError } from "../util/error-codes.ts";
import { RUN_CANCELLED, type TimeLimit, waitWithin } from "../util/instants.ts";
import { RUN_AGAIN } from "../util/text.ts";

export class RunWork {
  readonly #running = new Set<Promise<unknown>>();
  readonly #queues = new Map<string, Promise<unknown>>();
  readonly #reads = new Map<string, Promise<unknown>>();

  /** Runs a method of a resource; `settled` waits for its end. */
  async track<T>(work: () => T | Promise<T>): Promise<T> {
    const running = (async () => work())();
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  /** Resolves when every method that runs has ended, so that what it sends is answered and recorded. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** Runs work with the same key sequentially. @throws CodedError if the run is cancelled before its turn */
  async runExclusive<T>(
    key: string,
    work: () => Promise<T>,
    limit: Pick<TimeLimit, "cancellation"> = {},
  ): Promise<T> {
    const before = this.#queues.get(key) ?? Promise.resolve();
    const turn = waitWithin(limit, () => Promise.allSettled([before])).then((isTurn) => {
      if (!isTurn) throw new CodedError("blocked", `not sent: ${RUN_CANCELLED}. ${RUN_AGAIN}`);
      return work();
    });
    // One that gave up its turn does not end that of the one before.
    this.#queues.set(key, Promise.allSettled([before, turn]));
    return turn;
  }

  /** Caches a read for the run, until `forget`. A failed read is not kept. */
  readOnce<T>(key: string, read: () => Promise<T>): Promise<T> {
    const earlier = this.#reads.get(key);
    // The key names what is read, so its value has the type that `read` returns.
    if (earlier) return earlier as Promise<T>;
    const promise = read();
    this.#reads.set(key, promise);
    promise.catch(() => this.#reads.delete(key));
    return promise;
  }

  forget(key: string): void {
    this.#reads.delete(key);
  }
}
