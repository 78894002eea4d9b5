/**
 * A semaphore with a time limit for each waiter, first come, first served. A waiter that gives up leaves the queue, and a
 * free place costs nothing.
 */
import { timerMs } from "./transport.ts";

export class Semaphore {
  #free: number;
  /** In order of arrival; each resumes one waiting caller. */
  readonly #waiting = new Set<() => void>();

  /** @param places how many may hold a place at once */
  constructor(places: number) {
    this.#free = places;
  }

  /** Takes a place if one is free. The caller must `release` it. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Waits for a place. @returns false where none came free within that time, in milliseconds */
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

  /** Gives the place to the next waiter. */
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
