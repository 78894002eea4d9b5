/**
 * Dates of the contract: RFC 3339 with any offset, or a date, which means the end of that day in UTC. orgseat stores and
 * prints UTC timestamps in whole seconds. Two timestamps within a minute of each other are equal.
 */

export const DAY_MS = 86_400_000;
/** How long a token can outlive its date: ten years, as the longest period of a rotation. The service has no limit. */
export const MOST_TOLERANCE_MONTHS = 120;
const SAME_WITHIN_MS = 60_000;
const PATTERN =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?([Zz]|[+-]\d{2}:\d{2}))?$/;

/** The form of a timestamp, for messages. */
export const INSTANT_FORM = "a date such as 2027-06-30, or a timestamp such as 2027-06-30T12:00:00Z";

/**
 * Parses a date or a timestamp.
 * @returns the timestamp in UTC with whole seconds (`2027-06-30T23:59:59Z`), or undefined for an invalid one, such as
 *   `2026-02-30`
 */
export function parseInstant(text: string): string | undefined {
  const match = PATTERN.exec(text.trim());
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = "00", offset] = match;
  if (!isDay(Number(year), Number(month), Number(day)) || Number(hour ?? 0) > 23) return undefined;
  if (hour === undefined) return `${year}-${month}-${day}T23:59:59Z`;
  const instant = `${year}-${month}-${day}T${hour}:${minute}:${second}${offset?.toUpperCase()}`;
  if (instant.endsWith("Z") && Number(minute) < 60 && Number(second) < 60) return instant;
  const at = Date.parse(instant);
  return Number.isNaN(at) ? undefined : formatInstant(at);
}

function isDay(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= 28 || day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** The stored form: UTC, whole seconds. @param at milliseconds since 1970 */
export function formatInstant(at: number): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

/** Milliseconds since 1970 of a timestamp in the stored form. */
export function instantMs(instant: string): number {
  return Date.parse(instant);
}

/** Whether `a` is more than a minute later than `b`. */
export function isLater(a: string, b: string): boolean {
  return instantMs(a) - instantMs(b) > SAME_WITHIN_MS;
}

/** `2026-12-31` for the end of that day, otherwise the timestamp as it is. */
export function shortInstant(instant: string): string {
  return instant.replace(/T23:59:59Z$/, "");
}

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

/** The value of the promise; undefined if that time ends, or the run is cancelled, before it. */
export async function valueWithin<T>(
  ms: number,
  promise: Promise<T>,
  { cancellation }: Pick<TimeLimit, "cancellation">,
): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, timerMs(ms), undefined);
  const wait = () => Promise.race([promise, over]);
  return (cancellation === undefined ? wait() : cancellation.until(wait)).finally(() => clearTimeout(timer));
}

/** The maximum delay of a timer; Node fires a longer one immediately. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The delay, limited to what `setTimeout` accepts. */
export function timerMs(ms: number): number {
  return Math.min(ms, LONGEST_TIMER_MS);
}
