/** When a failed attempt is made again (D31, D32), and which error stands at the end. */
import type { Clock } from "./clock.ts";
import { ApiError, type ApiErrorFields, isEffectUnknown } from "./errors.ts";
import type { Operation } from "./organization.ts";
import type { HttpHeaders } from "./transport.ts";

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
/** A restart takes seconds; where nobody listens for longer, the address is probably wrong, and the person waits. */
const UNREACHABLE_FOR_MS = 10_000;
/** With less time left a repeat could only hide the reason behind a time-out. */
const LEAST_TIME_MS = 50;

/** A failed attempt. */
export interface AttemptFailure {
  readonly error: ApiErrorFields;
  /**
   * `never`: repeating is of no use. `now`: at once, for its reason has been removed. `if-safe`: by the rule of the
   * error's code.
   */
  readonly again: "never" | "now" | "if-safe";
  /** How long the service asked to wait. */
  readonly askedMs?: number | undefined;
}

/** What one attempt came to. */
export type Attempt<T> = { readonly value: T } | AttemptFailure;

/**
 * Makes attempts until one succeeds, may not be repeated, or the next one could not begin before the deadline.
 * @param repeatable whether sending twice has the effect of sending once
 * @param attempt makes one; what it throws is thrown, as far as no earlier attempt may have had an effect
 * @throws ApiError the last failure. Where an earlier attempt may have had an effect and the last one was not even
 *   sent, the earlier one: its `effectUnknown` is what the caller has to know.
 */
export async function withRetries<T>(
  attempt: () => Promise<Attempt<T>>,
  options: { readonly repeatable: boolean; readonly operation: Operation; readonly clock: Clock },
): Promise<T> {
  const { repeatable, operation, clock } = options;
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
    const waitMs = again === "now" ? 0 : pauseMs(made, result.askedMs);
    const until =
      error.code === "unreachable"
        ? Math.min(startedAt + UNREACHABLE_FOR_MS, operation.deadline)
        : operation.deadline;
    const inTime = clock.monotonic() + waitMs + LEAST_TIME_MS <= until;
    if (!inTime || !mayRepeat(result, repeatable)) {
      throw new ApiError(conclude(error, { doubtful, answered, made }));
    }
    if (error.status !== undefined) answered = error;
    if (waitMs > 0) await clock.sleep(waitMs);
  }
}

function mayRepeat({ error, again }: AttemptFailure, repeatable: boolean): boolean {
  if (again !== "if-safe") return again === "now";
  switch (error.code) {
    case "unreachable": // It never left.
    case "rate-limited": // It was turned away before anything was done.
      return true;
    case "no-answer":
    case "service-failed":
      return repeatable;
    default:
      return false;
  }
}

/** Doubling from 200 ms to 5 s, each wait between half and all of that, so that callers do not synchronize. */
function pauseMs(made: number, askedMs: number | undefined): number {
  const jitter = 0.5 + Math.random() / 2;
  if (askedMs !== undefined) return Math.max(askedMs, FIRST_WAIT_MS * jitter);
  return Math.min(FIRST_WAIT_MS * 2 ** (made - 1), LONGEST_WAIT_MS) * jitter;
}

interface Course {
  readonly doubtful: ApiErrorFields | undefined;
  /** The last failure before this one that was an answer. */
  readonly answered: ApiErrorFields | undefined;
  readonly made: number;
}

function conclude(last: ApiErrorFields, { doubtful, answered, made }: Course): ApiErrorFields {
  const tries = made === 1 ? "" : ` (attempt ${made})`;
  if (!doubtful || doubtful === last || !saysNothing(last))
    return { ...pick(last), reason: last.reason + tries + reasonBefore(last, answered) };
  return { ...pick(doubtful), reason: `${doubtful.reason}; the retry${tries} failed too: ${last.reason}` };
}

/** A repeat that ran out of time hides why it was made: the answer before it is what helps. */
function reasonBefore(last: ApiErrorFields, answered: ApiErrorFields | undefined): string {
  const ranOut = last.code === "no-answer" || last.code === "out-of-time";
  if (!ranOut || !answered) return "";
  return `; the previous attempt failed with HTTP ${answered.status}: ${answered.reason}`;
}

/** Whether a failure tells nothing about what an earlier attempt may have done. */
function saysNothing(error: ApiErrorFields): boolean {
  return error.code !== "refused" && error.code !== "unknown-route" && !isEffectUnknown(error);
}

function pick(error: ApiErrorFields): ApiErrorFields {
  const { code, call, method, path, status, serviceCode, reason, cause } = error;
  return { code, call, method, path, status, serviceCode, reason, cause };
}

/**
 * How long the service asks to wait, from `Retry-After`: seconds, or an HTTP date by the service's own clock (`Date`),
 * which this machine's may not agree with.
 * @returns milliseconds, 0 for a date gone by; undefined where the header is missing or says neither.
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

function firstOf(header: string | string[] | undefined): string {
  return (Array.isArray(header) ? header[0] : header)?.trim() ?? "";
}
