/** Sends calls: builds the request, authenticates it, retries it, and parses the response. */
import type { z } from "zod";
import type { TimeLimit } from "../../util/instants.ts";
import { propertyOf } from "../../util/json.ts";
import { withoutStop } from "../../util/text.ts";
import { areaOf, type Call, type CredentialKind, type PathVariables } from "../calls/call.ts";
import { ApiError, type ApiErrorFields, isEffectUnknown, TOKEN_ENDPOINT } from "../calls/errors.ts";
import { NOT_PROVED } from "../calls/missing.ts";
import type { Platform } from "../calls/platform.ts";
import { decideRefusal } from "../calls/refused-removal.ts";
import { oddWarnings } from "../schemas/forgiving-list.ts";
import { type Credentials, describeCredential, type TokenSource } from "./credentials.ts";
import { type Observer, observeCall } from "./observer.ts";
import { type CallLabel, type EndpointParts, labelOf, type Reply, type Sent, sendOnce } from "./outcomes.ts";
import { parseResponse } from "./responses.ts";
import { type Attempt, type AttemptFailure, withRetries } from "./retry.ts";
import type { HttpResponse } from "./transport.ts";

/** The dependencies of every request of an area. */
interface RequestParts extends EndpointParts {
  readonly platform: Platform;
  /** Gets each unreadable field of a response. */
  readonly warn?: ((text: string) => void) | undefined;
}

interface SenderParts extends RequestParts {
  readonly tokenSource: TokenSource;
  readonly observer?: Observer | undefined;
}

/** The input of a call. */
export interface Message<Path extends string, Request> {
  readonly variables: PathVariables<Path>;
  readonly query?: object | undefined;
  readonly body?: Request | undefined;
}

export class Sender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Gets a bearer token, without a call. @throws ApiError if none is available */
  async authenticate(kind: CredentialKind, credentials: Credentials, operation: TimeLimit): Promise<void> {
    const bearer = await this.#parts.tokenSource.get(credentials, kind, operation);
    if (!("token" in bearer))
      throw new ApiError({ call: TOKEN_ENDPOINT, method: "POST", path: "", ...bearer });
  }

  /**
   * Makes one call by the operation's deadline, with the retries that its definition allows.
   * @throws ApiError and nothing else
   */
  async send<Path extends string, Request, Answer>(
    call: Call<Path, Request, Answer>,
    message: Message<Path, Request>,
    credentials: Credentials,
    operation: TimeLimit,
  ): Promise<Reply<Answer>> {
    const { platform, tokenSource, redactor, clock, observer } = this.#parts;
    const request = requestOf(call, message, this.#parts);
    const { label } = request;
    const observed = observeCall(observer, call, message, { redactor, clock });
    let renewed = false;
    let isDoubtful = false;
    const attempt = async (): Promise<Attempt<Reply<Answer>>> => {
      const blocked = observed.beforeSend();
      if (blocked !== undefined) return unsent(label, { code: "blocked", reason: `not sent: ${blocked}` });
      const bearer = await tokenSource.get(credentials, call.credential, operation);
      if (!("token" in bearer)) return unsent(label, bearer);
      const { token } = bearer;
      const sent = await sendCall(call, request, token, operation, this.#parts);
      const result = needsName(call, platform) ? judged(sent.attempt, isDoubtful) : sent.attempt;
      observed.afterAttempt(sent.outcome, result);
      if ("value" in result) {
        return result.value.gone ? { value: { ...result.value, mayBeOurs: isDoubtful } } : result;
      }
      isDoubtful ||= isEffectUnknown(result.error);
      if (result.error.code !== "unauthorized") return result;
      if (tokenSource.discard(credentials, call.credential, token) && !renewed) {
        renewed = true;
        return { ...result, again: "now" };
      }
      return rejectedAttempt(result, call.credential, renewed);
    };
    return withRetries(attempt, { repeatable: call.repeatable, operation, clock, backoff: platform.backoff });
  }
}

/** Whether only the error of a delete can say that there was nothing to delete: no list does (D15). */
function needsName({ path }: { readonly path: string }, { canListUsers }: Platform): boolean {
  return !canListUsers && path.includes("{user_id}");
}

/** @param mayBeOurs whether an earlier attempt without a response may have deleted it */
function judged<T>(attempt: Attempt<Reply<T>>, mayBeOurs: boolean): Attempt<Reply<T>> {
  if (!("value" in attempt) || !attempt.value.gone) return attempt;
  const { refusal, missing } = attempt.value;
  if (decideRefusal({ ...refusal, missing }, undefined, { mayBeOurs }) !== "unknown") return attempt;
  const reason = `${withoutStop(refusal.reason)}. ${NOT_PROVED}`;
  return { error: { ...refusal, reason }, again: "never" };
}

/**
 * Makes a read call once, without a fresh token and without retries.
 * @param token undefined: without credentials
 */
export function readOnce<Path extends string, Answer>(
  call: Call<Path, unknown, Answer>,
  variables: PathVariables<Path>,
  token: string | undefined,
  operation: TimeLimit,
  parts: RequestParts,
): Promise<Sent<Answer>> {
  const target = parts.endpoint.path + fillPath(call.path, variables).filled;
  const label = labelOf(call.name, call.method, target, parts.redactor);
  const headers = platformHeaders(call, parts.platform, variables);
  return sendCall(call, { label, target, headers, body: undefined }, token, operation, parts);
}

interface OutgoingRequest {
  readonly label: CallLabel;
  /** Path and query. */
  readonly target: string;
  /** Those of the platform: names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: string | undefined;
}

/** A call as its request, without the token. @throws ApiError if the message does not fit the call */
function requestOf<Path extends string, Request>(
  call: Call<Path, Request, unknown>,
  { variables, query, body }: Message<Path, Request>,
  { endpoint, platform, redactor }: RequestParts,
): OutgoingRequest {
  const { filled, invalid } = fillPath(call.path, variables);
  const path = endpoint.path + filled;
  const label = labelOf(call.name, call.method, path, redactor);
  const refuse = (reason: string) =>
    new ApiError({ ...label, code: "refused", reason: `not sent: ${reason}` });
  if (invalid) throw refuse(`${invalid} is empty or not valid in a URL path`);
  return {
    label,
    target: path + writeQuery(call, query, refuse),
    headers: platformHeaders(call, platform, variables),
    body: writeBody(call, body, refuse),
  };
}

function sendCall<Answer>(
  call: Call<string, unknown, Answer>,
  { label, target, headers, body }: OutgoingRequest,
  token: string | undefined,
  operation: TimeLimit,
  parts: RequestParts,
): Promise<Sent<Answer>> {
  const { endpoint, platform, redactor, warn } = parts;
  const form = {
    unknownRoute: `check ${endpoint.key} (${endpoint.shown}, including its path) and orgseat:platform (${platform.name})`,
    hasPartialErrors: platform.hasPartialErrors && areaOf(call) === "model",
  };
  const parse = (response: HttpResponse) => {
    const parsed = parseResponse(call, response, form, redactor);
    if ("unread" in parsed) {
      for (const field of parsed.unread) warn?.(describeUnread(call, field));
      if (parsed.odd.length > 0) for (const text of oddWarnings(call.name, parsed.odd)) warn?.(text);
    }
    return parsed;
  };
  const all = [...headersOf(token, body), ...headers];
  return sendOnce(label, { method: call.method, path: target, headers: all, body }, parse, operation, parts);
}

function describeUnread({ name }: Call<string, unknown, unknown>, field: string): string {
  return `the service answered "${name}" with an unreadable ${field}, which orgseat takes as missing. If this lasts, report it to the operator of the service.`;
}

function unsent(label: CallLabel, why: Pick<ApiErrorFields, "code" | "reason">): AttemptFailure {
  return { error: { ...label, ...why }, again: "never" };
}

/** @param renewed whether the service has rejected a new access token too */
function rejectedAttempt(
  { error }: AttemptFailure,
  credential: CredentialKind,
  renewed: boolean,
): AttemptFailure {
  const what = describeCredential(credential);
  const rejected = renewed ? `the access token of ${what}, even a new one` : what;
  return { error: { ...error, reason: `the service rejects ${rejected}: ${error.reason}` }, again: "never" };
}

function headersOf(token: string | undefined, body: string | undefined): string[] {
  const headers = token === undefined ? [] : ["authorization", `Bearer ${token}`];
  if (body !== undefined) headers.push("content-type", "application/json");
  return headers;
}

/** The headers of the platform for an organization, whose id is encoded only if it is not ASCII, which headers cannot have. */
function platformHeaders(
  call: Pick<Call<string, never, unknown>, "credential">,
  { headers }: Platform,
  variables: unknown,
): string[] {
  if (areaOf(call) === "model") return [];
  const id = String(propertyOf(variables, "org_id") ?? "");
  const shown = /^[!-~]*$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
  return headers.flatMap(([name, value]) => [name, value.replace("{org_id}", () => shown)]);
}

/**
 * The path with its escaped variables.
 * @returns as `invalid` the name of a variable that would make it another call, as in `DELETE …/users/..`
 */
function fillPath(path: string, variables: unknown): { filled: string; invalid?: string } {
  let filled = path;
  for (const [name, value] of Object.entries(variables ?? {})) {
    if (!path.includes(`{${name}}`)) continue;
    const text = String(value ?? "").toWellFormed();
    if (text === "" || text === "." || text === "..") return { filled: path, invalid: name };
    filled = filled.replace(`{${name}}`, () => encodeURIComponent(text));
  }
  return { filled };
}

/** The body in the form of the contract: emails in lower case, timestamps in UTC. */
function writeBody<Request>(
  call: Call<string, Request, unknown>,
  body: Request | undefined,
  refuse: (reason: string) => ApiError,
): string | undefined {
  if (!call.request) return undefined;
  const parsed = call.request.safeParse(body);
  if (parsed.success) return JSON.stringify(parsed.data);
  throw refuse(firstIssue(parsed.error, "the body"));
}

/** The query in the form of the contract, with its question mark. */
function writeQuery(
  call: { readonly query?: z.ZodObject },
  query: object | undefined,
  refuse: (reason: string) => ApiError,
): string {
  if (!call.query || !query) return "";
  const parsed = call.query.safeParse(query);
  if (!parsed.success) throw refuse(firstIssue(parsed.error, "the query"));
  const text = new URLSearchParams();
  for (const [key, value] of Object.entries(parsed.data))
    if (value !== undefined) text.set(key, String(value));
  return text.size === 0 ? "" : `?${text}`;
}

function firstIssue({ issues: [issue] }: z.ZodError, whole: string): string {
  return `${issue?.path.map(String).join(".") || whole}: ${issue?.message}`;
}
