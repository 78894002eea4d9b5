/**
 * A fair semaphore with a time limit for each waiter. A waiter whose time ends leaves the queue.
 */
import { timerMs } from "./transport.ts";

export class Semaphore {
  #free: number;
  /** In order of arrival; each function resumes one caller. */
  readonly #waiting = new Set<() => void>();

  /** @param permits the maximum number of holders */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** Takes a permit if one is free. The caller must `release` it. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Waits for a permit. @returns false where none is free within that time, in milliseconds */
  acquire(withinMs: number): Promise<boolean> {
    if (this.tryAcquire()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const resume = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(resume);
        resolve(false);
      }, timerMs(withinMs));
      this.#waiting.add(resume);
    });
  }

  /** Passes the permit to the next waiter. */
  release(): void {
    const [resume] = this.#waiting;
    if (!resume) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(resume);
    resume();
  }
}
