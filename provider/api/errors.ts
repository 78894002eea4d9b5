/** The one error of the API: every failure of every call becomes an `ApiError`. */

/**
 * What failed, stable across releases; match on it, not on the message.
 * - `missing-credentials`: nothing was sent, configuration lacks what the call needs.
 * - `held-back`: nothing was sent, the client's observer said no.
 * - `unreachable`: the request surely never left (connection refused, no such host).
 * - `no-answer`: it may have left, and no whole answer came (cut connection, time-out).
 * - `out-of-time`: the operation's time ran out before the call could be sent (again); nothing of it is under way.
 * - `rate-limited`: 429, and waiting as long as asked would exceed the operation's time.
 * - `refused`: the service said no (any other 4xx with an answer of the contract).
 * - `unauthorized`: 401, also with a fresh access token; or the token endpoint refused the credential.
 * - `unknown-route`: a 404 in another form than the contract's, 405, a redirect: nobody there knows this call (D15).
 * - `service-failed`: 5xx.
 * - `bad-answer`: a success whose body breaks the contract.
 */
export type ApiErrorCode =
  | "missing-credentials"
  | "held-back"
  | "unreachable"
  | "no-answer"
  | "out-of-time"
  | "rate-limited"
  | "refused"
  | "unauthorized"
  | "unknown-route"
  | "service-failed"
  | "bad-answer";

/** The name that stands in `ApiError.call` when fetching an access token failed: the call itself was never sent. */
export const TOKEN_ENDPOINT = "the token endpoint";

/** Everything an `ApiError` says. No field ever holds a token, a secret or a password. */
export interface ApiErrorFields {
  readonly code: ApiErrorCode;
  /** The call by number and name, such as `call 7 (issue token)`, or `the token endpoint`. */
  readonly call: string;
  readonly method: string;
  /** The path of the request, variables filled in, without host and query. */
  readonly path: string;
  /** The HTTP status; undefined where no answer came. */
  readonly status?: number | undefined;
  /** `error.code` of the service's own error body. */
  readonly serviceCode?: string | undefined;
  /** One sentence: what happened. */
  readonly reason: string;
  /** Of a failed transport: its error code and message, nothing else (`{ code, message }`). */
  readonly cause?: unknown;
}

/** A failed call. Its message is one line: the call, what was sent where, what came back, and why that is a failure. */
export class ApiError extends Error implements ApiErrorFields {
  readonly code: ApiErrorCode;
  readonly call: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | undefined;
  readonly serviceCode: string | undefined;
  readonly reason: string;

  constructor(fields: ApiErrorFields) {
    super(describe(fields), { cause: fields.cause });
    this.name = "ApiError";
    this.code = fields.code;
    this.call = fields.call;
    this.method = fields.method;
    this.path = fields.path;
    this.status = fields.status;
    this.serviceCode = fields.serviceCode;
    this.reason = fields.reason;
  }

  /**
   * Whether the service may have done what the call asks although it looks failed: nothing may be repeated blindly.
   * Never true for a read, nor for a call that failed because no access token could be had: that one was not sent.
   */
  get effectUnknown(): boolean {
    return isEffectUnknown(this);
  }
}

/** `ApiError.effectUnknown` of an error that is not made yet. */
export function isEffectUnknown(fields: Pick<ApiErrorFields, "code" | "call" | "method">): boolean {
  if (fields.method === "GET" || fields.call === TOKEN_ENDPOINT) return false;
  return fields.code === "no-answer" || fields.code === "service-failed" || fields.code === "bad-answer";
}

function describe(fields: ApiErrorFields): string {
  const status = fields.status === undefined ? "" : ` answered ${fields.status}`;
  const serviceCode = fields.serviceCode === undefined ? "" : ` ${fields.serviceCode}`;
  return `${fields.call}, ${fields.method} ${fields.path}${status}${serviceCode}: ${fields.reason}`;
}
