/**
 * A line before a bounded number of places: first come, first served, and nobody waits longer than they said. Those
 * who give up leave the line, and a free place costs nothing.
 */
import { timerMs } from "./transport.ts";

export class Semaphore {
  #free: number;
  /** In order of arrival; each lets one waiting caller in. */
  readonly #waiting = new Set<() => void>();

  /** @param places how many may be inside at once */
  constructor(places: number) {
    this.#free = places;
  }

  /** Takes a place if one is free. Whoever is inside has to `leave`. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Waits for a place. @returns false where none came free within that time, in milliseconds */
  acquire(withinMs: number): Promise<boolean> {
    if (this.tryAcquire()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const letIn = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(letIn);
        resolve(false);
      }, timerMs(withinMs));
      this.#waiting.add(letIn);
    });
  }

  /** Gives the place to the next in line. */
  release(): void {
    const [letIn] = this.#waiting;
    if (!letIn) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(letIn);
    letIn();
  }
}
