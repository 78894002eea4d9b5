/** Time as the client sees it; tests pass one that does not really wait. */
export interface Clock {
  /** Wall clock, milliseconds since 1970: for dates that come from the service. */
  now(): number;
  /** Milliseconds on the scale of `Operation.deadline`; never goes back. */
  monotonic(): number;
  /** Waits between two attempts. Guards on running requests are real timers, not this. */
  sleep(ms: number): Promise<void>;
}

/** The time of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
