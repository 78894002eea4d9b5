/** The error of the API: every failed call throws an `ApiError`. */
import { withoutStop } from "../../util/text.ts";

/**
 * The kind of a failure, stable across releases. Match on it, not on the message.
 * - `missing-credentials`: nothing was sent, configuration lacks what the call needs.
 * - `blocked`: nothing was sent, the client's observer blocked the write.
 * - `unsupported`: nothing was sent, the platform has no such call.
 * - `unreachable`: the request was certainly not sent (connection refused, no such host).
 * - `no-answer`: the request may have been executed, and no response says so: a lost connection, a timeout, or the redirect of a
 *   creation.
 * - `out-of-time`: the operation's time ended, or the run was cancelled, before the call was sent (again); no request is pending.
 * - `rate-limited`: 429, and waiting as long as asked would exceed the operation's time.
 * - `refused`: the service rejected the call (any other 4xx with a response of the contract, or a 2xx with its error).
 * - `unauthorized`: 401, even with a fresh access token; or the token endpoint refused the credential.
 * - `unknown-route`: a 404 or 410 in another form than the contract's, 405, the redirect of any other call: the server does not
 *   know this call (D15).
 * - `service-failed`: 5xx.
 * - `bad-answer`: a success whose body breaks the contract.
 * - `unreadable-item`: a list with an item that may be any object, so the list proves no absence.
 * - `incomplete-list`: a list that says that the service has more items.
 */
export type ApiErrorCode =
  | "missing-credentials"
  | "blocked"
  | "unsupported"
  | "unreachable"
  | "no-answer"
  | "out-of-time"
  | "rate-limited"
  | "refused"
  | "unauthorized"
  | "unknown-route"
  | "service-failed"
  | "bad-answer"
  | "unreadable-item"
  | "incomplete-list";

/** `ApiError.call` of a failed access token request: the call itself was not sent. */
export const TOKEN_ENDPOINT = "get access token";

/** The fields of an `ApiError`. None contains a token, a secret or a password. */
export interface ApiErrorFields {
  readonly code: ApiErrorCode;
  /** The operation, such as `issue token`, or `get access token`. */
  readonly call: string;
  readonly method: string;
  /** The path of the request, without host and query. */
  readonly path: string;
  /** The HTTP status; undefined without a response. */
  readonly status?: number | undefined;
  /** `error.code` of the service's error body. */
  readonly serviceCode?: string | undefined;
  /** The reason, in one sentence. */
  readonly reason: string;
  /** How long the service asks to wait before the next request, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** For a transport error: its `{ code, message }` and nothing else. */
  readonly cause?: unknown;
}

/** Whether a status says that the service does not have the object. It also hides objects from accounts without rights. */
export function isAbsence(status: number | undefined): boolean {
  return status === 404 || status === 410;
}

/** Whether the service answered, in the contract's form, that it does not have the object. */
export function saysAbsent({ code, status }: Pick<ApiErrorFields, "code" | "status">): boolean {
  return code === "refused" && isAbsence(status);
}

/** A failed call. Its message is one line: the operation, the reason, the status and the request. */
export class ApiError extends Error implements ApiErrorFields {
  readonly code: ApiErrorCode;
  readonly call: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly serviceCode: string | undefined;
  readonly reason: string;
  readonly retryAfterMs: number | undefined;

  constructor(fields: ApiErrorFields) {
    super(describeError(fields), { cause: fields.cause });
    this.name = "ApiError";
    this.code = fields.code;
    this.call = fields.call;
    this.method = fields.method;
    this.path = fields.path;
    this.status = fields.status;
    this.serviceCode = fields.serviceCode;
    this.reason = fields.reason;
    this.retryAfterMs = fields.retryAfterMs;
  }

  /**
   * Whether the service may have executed the call although it failed: do not repeat it blindly.
   * Never true for a read, or if no access token was available: that call was not sent.
   */
  get effectUnknown(): boolean {
    return isEffectUnknown(this);
  }
}

/** Whether the service, or what is behind a gateway, may still be working on a call that was not answered in time. */
export function isUnfinished({ status, cause }: ApiErrorFields): boolean {
  return status === 504 || codeOfCause(cause) === "TIMEOUT";
}

function codeOfCause(cause: unknown): string {
  return typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
}

/** What to do if Node.js knows no authority that signed the certificate of the service, or of a proxy in front of it. */
export function trustStep({ cause }: Pick<ApiErrorFields, "cause">): string | undefined {
  if (!/SELF_SIGNED_CERT|^UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)/.test(codeOfCause(cause))) return undefined;
  return "set NODE_EXTRA_CA_CERTS in the environment to the path of a PEM file with the certificate of that authority (Node.js reads SSL_CERT_FILE only with NODE_USE_SYSTEM_CA=1), and run again";
}

/** `ApiError.effectUnknown` for fields without an error object. */
export function isEffectUnknown(fields: Pick<ApiErrorFields, "code" | "call" | "method">): boolean {
  if (fields.method === "GET" || fields.call === TOKEN_ENDPOINT) return false;
  return fields.code === "no-answer" || fields.code === "service-failed" || fields.code === "bad-answer";
}

/** `cannot issue token: the user already has a token (HTTP 409 TOKEN_EXISTS, POST /organizations/…/token)` */
export function describeError({ call, method, path, status, serviceCode, reason }: ApiErrorFields): string {
  const answer = status === undefined ? [] : [["HTTP", status, serviceCode].filter(Boolean).join(" ")];
  return `cannot ${call}: ${withoutStop(reason)} (${[...answer, `${method} ${path}`].join(", ")})`;
}
