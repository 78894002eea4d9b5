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
  /**
   * Whether to retry. `never`: it is useless. `now`: immediately, because the cause is removed. `if-safe`: depends on the
   * error code.
   */
  readonly again: "never" | "now" | "if-safe";
}

/** The result of one attempt. */
export type Attempt<T> = { readonly value: T } | AttemptFailure;

/**
 * Makes attempts until one succeeds, must not be repeated, or the next one cannot start before the deadline.
 * @param attempt makes one attempt; its exceptions are thrown, unless an earlier attempt may have had an effect
 * @param options `repeatable`: whether the call is idempotent
 * @throws ApiError of the last failure; if an earlier attempt may have had an effect and the last one says nothing
 *   about it, of the earlier one, because the caller must know its `effectUnknown`
 */
export async function withRetries<T>(
  attempt: () => Promise<Attempt<T>>,
  options: {
    readonly repeatable: boolean;
    readonly operation: TimeLimit;
    readonly clock: Clock;
    readonly backoff?: typeof BACKOFF;
  },
): Promise<T> {
  const { repeatable, operation, clock, backoff = BACKOFF } = options;
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
    const { error, again } = result;
    if (isEffectUnknown(error)) doubtful = error;
    const waitMs =
      again === "now" ? 0 : pauseMs(made, error.retryAfterMs, isOverloaded(error) ? backoff : BACKOFF);
    const until =
      error.code === "unreachable"
        ? Math.min(startedAt + UNREACHABLE_FOR_MS, operation.deadline)
        : operation.deadline;
    const inTime = clock.monotonic() + waitMs + LEAST_TIME_MS <= until;
    if (!inTime || !mayRepeat(result, repeatable)) {
      throw new ApiError(conclude(error, { doubtful, answered, made }));
    }
    if (error.status !== undefined) answered = error;
    if (waitMs > 0 && !(await waitWithin(operation, () => clock.sleep(waitMs)))) {
      const reason = `${error.reason}; not sent again, because ${RUN_CANCELLED}`;
      throw new ApiError(conclude({ ...error, reason }, { doubtful, answered: undefined, made }));
    }
  }
}

function mayRepeat({ error, again }: AttemptFailure, repeatable: boolean): boolean {
  if (again !== "if-safe") return again === "now";
  switch (error.code) {
    case "unreachable": // It was not sent.
    case "rate-limited": // The service did nothing.
      return true;
    case "no-answer":
    case "service-failed":
      return repeatable;
    default:
      return false;
  }
}

function isOverloaded({ status }: ApiErrorFields): boolean {
  return status === 429 || status === 503;
}

function pauseMs(made: number, askedMs: number | undefined, { firstMs, longestMs }: typeof BACKOFF): number {
  const jitter = 0.5 + Math.random() / 2;
  if (askedMs !== undefined) return Math.max(askedMs, BACKOFF.firstMs * jitter);
  return Math.min(firstMs * 2 ** (made - 1), longestMs) * jitter;
}

interface RetryHistory {
  readonly doubtful: ApiErrorFields | undefined;
  /** The last earlier failure with a response. */
  readonly answered: ApiErrorFields | undefined;
  readonly made: number;
}

function conclude(last: ApiErrorFields, { doubtful, answered, made }: RetryHistory): ApiErrorFields {
  const tries = made === 1 ? "" : ` (attempt ${made})`;
  if (!doubtful || doubtful === last || !isInconclusive(last))
    return { ...pick(last), reason: last.reason + tries + reasonBefore(last, answered) };
  return { ...pick(doubtful), reason: `${doubtful.reason}; the retry${tries} failed too: ${last.reason}` };
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

function pick(error: ApiErrorFields): ApiErrorFields {
  const { code, call, method, path, status, serviceCode, reason, retryAfterMs: asked, cause } = error;
  return { code, call, method, path, status, serviceCode, reason, retryAfterMs: asked, cause };
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
