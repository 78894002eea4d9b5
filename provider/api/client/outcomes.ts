/** Sends one request, and says what its outcome means as an attempt, which withRetries may repeat. */

import type { Clock, TimeLimit } from "../../util/instants.ts";
import { type ApiErrorCode, type ApiErrorFields, trustStep } from "../calls/errors.ts";
import type { Missing } from "../calls/missing.ts";
import type { OddItem } from "../schemas/forgiving-list.ts";
import type { Endpoint } from "./endpoint.ts";
import { type NotSent, seconds } from "./origin.ts";
import type { Redactor } from "./redact.ts";
import type { ParsedResponse } from "./responses.ts";
import { type Attempt, type AttemptFailure, retryAfterMs } from "./retry.ts";
import type { HttpLoss, HttpRequest, HttpResponse } from "./transport.ts";

/** A success, or a delete that found nothing to delete. */
export type Reply<Answer> = Answered<Answer> | NothingFound;

export interface Answered<Answer> {
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

/** @param path its query is not shown */
export function labelOf(call: string, method: string, path: string, redactor: Redactor): CallLabel {
  return {
    call,
    method,
    get path() {
      return redactor.redact(path.split("?", 1)[0] ?? ""); // Only errors need it.
    },
  };
}

/** What each request of an endpoint needs. */
export interface EndpointParts {
  readonly endpoint: Endpoint;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** The outcome of one request, and the attempt that it is. */
export interface Sent<T> {
  readonly outcome: HttpResponse | HttpLoss | NotSent;
  readonly attempt: Attempt<Reply<T>>;
}

const COMMON_HEADERS = [
  ...["accept", "application/json"],
  ...["accept-encoding", "identity"],
  ...["user-agent", "orgseat"],
];

/** Sends a request once. @param parse parses a complete response */
export async function sendOnce<T>(
  label: CallLabel,
  { headers, ...request }: HttpRequest,
  parse: (response: HttpResponse) => ParsedResponse<T>,
  operation: TimeLimit,
  parts: EndpointParts,
): Promise<Sent<T>> {
  const { origin } = parts.endpoint;
  const outcome = await origin.send({ ...request, headers: [...COMMON_HEADERS, ...headers] }, operation);
  if ("notSent" in outcome)
    return { outcome, attempt: { error: { ...label, ...outcome.notSent }, again: "never" } };
  if ("loss" in outcome) return { outcome, attempt: lost(outcome, label, operation, parts) };
  return { outcome, attempt: answered(outcome, parse(outcome), label, parts) };
}

function answered<T>(
  { status, headers }: HttpResponse,
  parsed: ParsedResponse<T>,
  label: CallLabel,
  { clock }: EndpointParts,
): Attempt<Reply<T>> {
  if ("value" in parsed) return { value: { gone: false, answer: parsed.value, odd: parsed.odd } };
  if ("gone" in parsed) {
    const { missing, refusal } = parsed;
    return { value: { gone: true, mayBeOurs: false, missing, refusal: { ...label, ...refusal, status } } };
  }
  const asked = status === 429 || status === 503 ? retryAfterMs(headers, clock) : undefined;
  const wish = asked === undefined ? "" : `; retry after ${seconds(asked)}`;
  const error = { ...label, ...parsed, status, reason: parsed.reason + wish, retryAfterMs: asked };
  return { error };
}

function lost(
  { loss, code, message: text }: HttpLoss,
  label: CallLabel,
  { deadline }: TimeLimit,
  { endpoint: { key, origin }, redactor, clock }: EndpointParts,
): AttemptFailure {
  const message = redactor.show(text);
  const fail = (errorCode: ApiErrorCode, reason: string) => ({
    error: { ...label, code: errorCode, reason, cause: { code, message } },
  });
  if (loss === "too-large" || loss === "unreadable") return fail("bad-answer", message);
  if (loss === "lost")
    return fail("no-answer", `the request was sent to ${origin.name}, but ${lossOf(code, message)}`);
  if (code === "TIMEOUT" && clock.monotonic() >= deadline)
    return fail("out-of-time", `the operation timed out while connecting to ${origin.name}`);
  const step = trustStep({ cause: { code } });
  const obstacle = step
    ? `its certificate is from an authority that Node.js does not trust (${code}): ${step}.`
    : `${obstacleOf(code, message)}. Check that the service is running and that ${key} is correct.`;
  const reason = `${origin.name}: ${obstacle}${proxyHint(origin.proxy)}`;
  return { ...fail("unreachable", reason), ...(isLasting(code, message) && { again: "never" }) };
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
