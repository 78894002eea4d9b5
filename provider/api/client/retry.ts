/** Retries (D31, D32): when to repeat a failed attempt, and which error to throw at the end. */

import { type Clock, RUN_CANCELLED, type TimeLimit, waitWithin } from "../../util/instants.ts";
import { firstOf } from "../calls/clock-skew.ts";
import { ApiError, type ApiErrorFields, isEffectUnknown } from "../calls/errors.ts";
import type { HttpHeaders } from "./transport.ts";

/** The wait after a failed attempt: doubled with each one, with jitter. A platform has its own for a 429 and a 503. */
const BACKOFF = { firstMs: 200, longestMs: 5_000 };
/** A restart takes seconds. If the service is unreachable for longer, the address is probably wrong. */
const UNREACHABLE_FOR_MS = 10_000;
/** With less remaining time, which a distant service needs, a retry would only replace the reason by a timeout. */
const LEAST_TIME_MS = 500;

/** A failed attempt. */
export interface AttemptFailure {
  readonly error: ApiErrorFields;
  /** `never`: a retry is useless. `now`: retry immediately, because the cause is removed. Default: by the error code. */
  readonly again?: "never" | "now";
}

/** The result of one attempt. */
export type Attempt<T> = { readonly value: T } | AttemptFailure;

interface RetryOptions {
  /** Whether the call is idempotent. */
  readonly repeatable: boolean;
  readonly operation: TimeLimit;
  readonly clock: Clock;
  readonly backoff?: typeof BACKOFF;
}

/**
 * Makes attempts until one succeeds, must not be repeated, or the next one cannot start before the deadline.
 * @param attempt makes one attempt; its exceptions are thrown, unless an earlier attempt may have had an effect
 * @throws ApiError of the last failure; if an earlier attempt may have had an effect and the last one says nothing
 *   about it, of the earlier one, because the caller must know its `effectUnknown`
 */
export async function withRetries<T>(
  attempt: () => Promise<Attempt<T>>,
  { repeatable, operation, clock, backoff = BACKOFF }: RetryOptions,
): Promise<T> {
  let doubtful: ApiErrorFields | undefined;
  let answered: ApiErrorFields | undefined;
  const startedAt = clock.monotonic();
  for (let made = 1; ; made++) {
    let result: Attempt<T>;
    try {
      result = await attempt();
    } catch (error) {
      if (!(error instanceof ApiError) || !doubtful) throw error;
      result = { error, again: "never" };
    }
    if ("value" in result) return result.value;
    const { error } = result;
    if (isEffectUnknown(error)) doubtful = error;
    const now = clock.monotonic();
    const times = { made, takenMs: now - startedAt, leftMs: operation.deadline - now };
    const waitMs = retryIn(result, { ...times, repeatable, backoff, jitter: 0.5 + Math.random() / 2 });
    if (waitMs === undefined) throw concluded(error, { doubtful, answered, made });
    if (error.status !== undefined) answered = error;
    if (waitMs > 0 && !(await waitWithin(operation, () => clock.sleep(waitMs)))) {
      const reason = `${error.reason}; not sent again, because ${RUN_CANCELLED}`;
      throw concluded({ ...error, reason }, { doubtful, made });
    }
  }
}

/**
 * When to send again after a failure: the only rule.
 * @param attempt `made`: the number of attempts. `takenMs`, `leftMs`: since the first one, until the deadline. `jitter`: of
 *   each wait, from 0.5 to 1
 * @returns the wait in milliseconds; undefined: never
 */
export function retryIn(
  { error: { code, status, retryAfterMs: askedMs }, again }: AttemptFailure,
  attempt: {
    readonly made: number;
    readonly takenMs: number;
    readonly leftMs: number;
    readonly repeatable: boolean;
    readonly backoff: typeof BACKOFF;
    readonly jitter: number;
  },
): number | undefined {
  const { made, takenMs, leftMs, repeatable, jitter } = attempt;
  // An unreachable service did not get it, and a 429 says that it did nothing.
  const isHarmless = code === "unreachable" || code === "rate-limited";
  const mayRepeat = isHarmless || (repeatable && (code === "no-answer" || code === "service-failed"));
  if (again === "never" || !(mayRepeat || again === "now")) return undefined;
  const { firstMs, longestMs } = status === 429 || status === 503 ? attempt.backoff : BACKOFF;
  const ownMs = Math.min(firstMs * 2 ** (made - 1), longestMs) * jitter;
  const pauseMs = askedMs === undefined ? ownMs : Math.max(askedMs, BACKOFF.firstMs * jitter);
  const waitMs = again === "now" ? 0 : pauseMs;
  const mostMs = code === "unreachable" ? Math.min(UNREACHABLE_FOR_MS - takenMs, leftMs) : leftMs;
  return waitMs + LEAST_TIME_MS <= mostMs ? waitMs : undefined;
}

interface RetryHistory {
  readonly doubtful: ApiErrorFields | undefined;
  /** The last earlier failure with a response. */
  readonly answered?: ApiErrorFields | undefined;
  readonly made: number;
}

function concluded(last: ApiErrorFields, { doubtful, answered, made }: RetryHistory): ApiError {
  const tries = made === 1 ? "" : ` (attempt ${made})`;
  const withReason = (error: ApiErrorFields, reason: string) =>
    new ApiError({ ...error, cause: error.cause, reason });
  if (!doubtful || doubtful === last || !isInconclusive(last))
    return withReason(last, last.reason + tries + reasonBefore(last, answered));
  return withReason(doubtful, `${doubtful.reason}; the retry${tries} failed too: ${last.reason}`);
}

/** After a timeout of a retry, the previous response explains the failure. */
function reasonBefore(last: ApiErrorFields, answered: ApiErrorFields | undefined): string {
  const ranOut = last.code === "no-answer" || last.code === "out-of-time";
  if (!ranOut || !answered) return "";
  return `; the previous attempt failed with HTTP ${answered.status}: ${answered.reason}`;
}

/** Whether a failure says nothing about the effect of an earlier attempt. */
function isInconclusive(error: ApiErrorFields): boolean {
  return error.code !== "refused" && error.code !== "unknown-route" && !isEffectUnknown(error);
}

/**
 * The wait in `Retry-After`: seconds, or an HTTP date by the service's clock (`Date`), which can differ from this machine's.
 * @returns milliseconds, 0 for a past date; undefined if the header is missing or invalid
 */
export function retryAfterMs(headers: HttpHeaders, clock: Clock): number | undefined {
  const value = firstOf(headers["retry-after"]);
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Z][a-z]+, /.test(value)) return undefined;
  const at = Date.parse(value);
  const answeredAt = Date.parse(firstOf(headers.date));
  const now = Number.isNaN(answeredAt) ? clock.now() : answeredAt;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
