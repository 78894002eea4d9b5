/** Converts the outcome of one request to an attempt, which withRetries may repeat. */

import { type Clock, RUN_CANCELLED, type TimeLimit } from "../../util/instants.ts";
import type { Area } from "../calls/call.ts";
import type { ApiErrorCode, ApiErrorFields } from "../calls/errors.ts";
import type { Missing } from "../calls/missing.ts";
import type { OddItem } from "../schemas/forgiving-list.ts";
import type { NotSent } from "./origin.ts";
import type { Redactor } from "./redact.ts";
import type { ParsedResponse } from "./responses.ts";
import { type Attempt, type AttemptFailure, retryAfterMs } from "./retry.ts";
import type { HttpLoss, HttpResponse } from "./transport.ts";

/** A success, or a delete that found nothing to delete. */
export type Reply<Answer> = Answered<Answer> | NothingFound;

interface Answered<Answer> {
  readonly gone: false;
  readonly answer: Answer;
  /** The items of a list of which something cannot be read. */
  readonly odd: readonly OddItem[];
}

interface NothingFound {
  readonly gone: true;
  /** Whether an earlier attempt of the same call, whose response was lost, may have deleted it. */
  readonly mayBeOurs: boolean;
  readonly missing: Missing | undefined;
  /** The same response as a failure. */
  readonly refusal: ApiErrorFields;
}

/** The fields that all errors of one call share. */
export type CallLabel = Pick<ApiErrorFields, "call" | "method" | "path">;

export interface RequestContext {
  readonly label: CallLabel;
  readonly area: Area;
  /** The origin, such as `https://example.org`, and its proxy. */
  readonly origin: { readonly name: string; readonly proxy: string | undefined };
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly operation: TimeLimit;
}

/** The outcome of one request, and the attempt that it is. */
export interface Sent<T> {
  readonly outcome: HttpResponse | HttpLoss | NotSent;
  readonly attempt: Attempt<Reply<T>>;
}

/** @param parse parses a complete response */
export function attemptOf<T>(
  outcome: HttpResponse | HttpLoss | NotSent,
  parse: (response: HttpResponse) => ParsedResponse<T>,
  context: RequestContext,
): Attempt<Reply<T>> {
  if ("notSent" in outcome) return notSent(outcome, context);
  if ("loss" in outcome) return lost(outcome, context);
  const parsed = parse(outcome);
  if ("value" in parsed) return { value: { gone: false, answer: parsed.value, odd: parsed.odd } };
  const { status } = outcome;
  if ("gone" in parsed) {
    const { missing, refusal } = parsed;
    return {
      value: { gone: true, mayBeOurs: false, missing, refusal: { ...context.label, ...refusal, status } },
    };
  }
  const asked = status === 429 || status === 503 ? retryAfterMs(outcome.headers, context.clock) : undefined;
  const wish = asked === undefined ? "" : `; retry after ${seconds(asked)}`;
  const error = { ...context.label, ...parsed, status, reason: parsed.reason + wish, retryAfterMs: asked };
  return { error, again: "if-safe" };
}

function notSent(outcome: NotSent, { label, origin }: RequestContext): AttemptFailure {
  const reasons: Record<NotSent["notSent"], [ApiErrorCode, string]> = {
    "out-of-time": ["out-of-time", "not sent: the operation timed out while waiting for a free connection"],
    "rate-limited": [
      "rate-limited",
      `not sent: ${origin.name} limits the request rate for another ${seconds(outcome.waitMs)}, which exceeds the operation timeout`,
    ],
    cancelled: ["out-of-time", `not sent: ${RUN_CANCELLED}`],
    closed: ["out-of-time", "not sent: the client is closed"],
  };
  const [code, reason] = reasons[outcome.notSent];
  return { error: { ...label, code, reason }, again: "never" };
}

const ADDRESSES: Readonly<Record<Area, string>> = {
  organization: "orgseat:orgUrl and orgseat:tokenUrl are",
  model: "orgseat:modelUrl is",
};

function lost(outcome: HttpLoss, context: RequestContext): AttemptFailure {
  const { label, area, origin, redactor, clock, operation } = context;
  const { loss, code } = outcome;
  const message = redactor.show(outcome.message);
  const cause = { code, message };
  const fail = (errorCode: ApiErrorCode, reason: string, again: AttemptFailure["again"]): AttemptFailure => ({
    error: { ...label, code: errorCode, reason, cause },
    again,
  });
  if (loss === "too-large" || loss === "unreadable") return fail("bad-answer", message, "never");
  if (loss === "lost")
    return fail(
      "no-answer",
      `the request was sent to ${origin.name}, but ${lossOf(code, message)}`,
      "if-safe",
    );
  if (code === "TIMEOUT" && clock.monotonic() >= operation.deadline)
    return fail("out-of-time", `the operation timed out while connecting to ${origin.name}`, "never");
  return fail(
    "unreachable",
    `${origin.name}: ${obstacleOf(code, message)}. Check that the service is running and that ${ADDRESSES[area]} correct.${proxyHint(origin.proxy)}`,
    isLasting(code, message) ? "never" : "if-safe",
  );
}

/** A proxy that refuses, or cannot resolve the host, looks like a service that refuses. */
function proxyHint(proxy: string | undefined): string {
  return proxy === undefined ? "" : ` Also check the proxy ${proxy}, or add the host to NO_PROXY.`;
}

/** The status with which a proxy refused a tunnel, which only undici's message contains. */
function proxyStatus(code: string, message: string): number | undefined {
  const [, status] = /^Proxy response \((\d{3})\)/.exec(message) ?? [];
  return code === "UND_ERR_ABORTED" && status !== undefined ? Number(status) : undefined;
}

function lossOf(code: string, message: string): string {
  if (code === "TIMEOUT") return message;
  const texts: Record<string, string> = {
    UND_ERR_SOCKET: "the connection was closed before a complete response arrived",
    ECONNRESET: "the connection was reset before a complete response arrived",
    EPIPE: "the connection was closed while the request was being sent",
  };
  return texts[code] ?? `no complete response arrived (${code}: ${message})`;
}

function obstacleOf(code: string, message: string): string {
  const texts: Record<string, string> = {
    ECONNREFUSED: "connection refused",
    ENOTFOUND: "no such host",
    EAI_AGAIN: "cannot resolve the host name",
    EHOSTUNREACH: "host unreachable",
    ENETUNREACH: "network unreachable",
    ECONNRESET: "the connection was reset before the request was sent",
    ETIMEDOUT: "connection timed out",
    UND_ERR_CONNECT_TIMEOUT: "connection timed out",
    TIMEOUT: "connection timed out",
    UND_ERR_PRX_CONN: "the proxy closed the connection",
    UND_ERR_HEADERS_TIMEOUT: "the proxy does not respond",
  };
  const status = proxyStatus(code, message);
  if (status !== undefined) return `the proxy returned HTTP ${status}`;
  return `${texts[code] ?? message} (${code})`;
}

/**
 * Whether a retry is useless: invalid certificates, a server without TLS, an invalid request, a proxy that refuses the
 * credentials or the request.
 */
function isLasting(code: string, message: string): boolean {
  const status = proxyStatus(code, message) ?? 0;
  if (status >= 400 && status < 500) return status !== 408 && status !== 429;
  return /CERT|^ERR_TLS|^ERR_SSL|SIGNATURE|^UND_ERR_(INVALID|CLOSED|DESTROYED|NOT_SUPPORTED|PRX_TLS)/.test(
    code,
  );
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
