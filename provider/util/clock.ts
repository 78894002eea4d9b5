/** The clock of the client; tests pass one that does not wait. */
export interface Clock {
  /** Wall-clock time in milliseconds since 1970, to compare with dates of the service. */
  now(): number;
  /** Monotonic time in milliseconds, on the scale of `Operation.deadline`. */
  monotonic(): number;
  /** Waits between two attempts. Timeouts of running requests are real timers instead. */
  sleep(ms: number): Promise<void>;
}

/** The system clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
