/** Sends calls: builds the request, authenticates it, retries it, and parses the response. */
import type { z } from "zod";
import type { TimeLimit } from "../../util/instants.ts";
import { withoutStop } from "../../util/text.ts";
import { areaOf, type Call, type CredentialKind } from "../calls/call.ts";
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
import type { HttpRequest, HttpResponse } from "./transport.ts";

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

/** The variables of a path, and those of the same call on another platform. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** The input of a call. */
export interface Message<Request> {
  readonly variables: Variables;
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
  async send<Request, Answer>(
    call: Call<string, Request, Answer>,
    message: Message<Request>,
    credentials: Credentials,
    operation: TimeLimit,
  ): Promise<Reply<Answer>> {
    const { platform, tokenSource, redactor, clock, observer } = this.#parts;
    const request = requestOf(call, message, this.#parts);
    const { label } = request;
    const observed = observeCall(observer, call, message, { redactor, clock });
    let renewed = false;
    let isDoubtful = false;
    const tryOnce = async (): Promise<Attempt<Reply<Answer>>> => {
      const blocked = observed?.beforeSend();
      if (blocked !== undefined) return unsent(label, { code: "blocked", reason: `not sent: ${blocked}` });
      const bearer = await tokenSource.get(credentials, call.credential, operation);
      if (!("token" in bearer)) return unsent(label, bearer);
      const { token } = bearer;
      const { outcome, attempt } = await sendCall(call, request, token, operation, this.#parts);
      const result = judged(attempt, call, platform, isDoubtful);
      observed?.afterAttempt(outcome, result);
      if ("value" in result) return result;
      isDoubtful ||= isEffectUnknown(result.error);
      if (result.error.code !== "unauthorized") return result;
      if (tokenSource.discard(credentials, call.credential, token) && !renewed) {
        renewed = true;
        return { ...result, again: "now" };
      }
      const credential = describeCredential(call.credential, credentials);
      const rejected = renewed ? `the access token of ${credential}, even a new one` : credential;
      return {
        error: { ...result.error, reason: `the service rejects ${rejected}: ${result.error.reason}` },
      };
    };
    return withRetries(tryOnce, { repeatable: call.repeatable, operation, clock, backoff: platform.backoff });
  }
}

/**
 * The result of an attempt. If no list shows users, only the error of a delete can say that there was nothing to delete (D15).
 * @param mayBeOurs whether an earlier attempt without a response may have deleted it
 */
function judged<T>(
  attempt: Attempt<Reply<T>>,
  { path }: { readonly path: string },
  { canListUsers }: Platform,
  mayBeOurs: boolean,
): Attempt<Reply<T>> {
  if (!("value" in attempt) || !attempt.value.gone) return attempt;
  const { refusal, missing } = attempt.value;
  const needsName = !canListUsers && path.includes("{user_id}");
  if (!needsName || decideRefusal({ ...refusal, missing }, undefined, { mayBeOurs }) !== "unknown")
    return { value: { ...attempt.value, mayBeOurs } };
  return { error: { ...refusal, reason: `${withoutStop(refusal.reason)}. ${NOT_PROVED}` }, again: "never" };
}

/**
 * Makes a read call once, without a fresh token and without retries.
 * @param token undefined: without credentials
 */
export function readOnce<Answer>(
  call: Call<string, unknown, Answer>,
  variables: Variables,
  token: string | undefined,
  operation: TimeLimit,
  parts: RequestParts,
): Promise<Sent<Answer>> {
  return sendCall(call, requestOf(call, { variables }, parts), token, operation, parts);
}

interface OutgoingRequest {
  readonly label: CallLabel;
  /** Without the token. */
  readonly request: HttpRequest;
}

/** A call as its request. @throws ApiError if the message does not fit the call */
function requestOf<Request>(
  call: Call<string, Request, unknown>,
  { variables, query, body }: Message<Request>,
  { endpoint, platform, redactor }: RequestParts,
): OutgoingRequest {
  const { method } = call;
  const { filled, invalid } = fillPath(call.path, variables);
  const path = endpoint.path + filled;
  const label = labelOf(call.name, method, path, redactor);
  const refuse = (reason: string) =>
    new ApiError({ ...label, code: "refused", reason: `not sent: ${reason}` });
  if (invalid) throw refuse(`${invalid} is empty or not valid in a URL path`);
  const target =
    call.query && query ? path + writeQuery(valid(call.query, query, "the query", refuse)) : path;
  const headers = platformHeaders(call, platform, variables);
  if (!call.request) return { label, request: { method, path: target, headers } };
  const json = JSON.stringify(valid(call.request, body, "the body", refuse));
  headers.push("content-type", "application/json");
  return { label, request: { method, path: target, headers, body: json } };
}

function sendCall<Answer>(
  call: Call<string, unknown, Answer>,
  { label, request }: OutgoingRequest,
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
  const bearer = token === undefined ? [] : ["authorization", `Bearer ${token}`];
  const authorized = { ...request, headers: [...bearer, ...request.headers] };
  return sendOnce(label, authorized, parse, operation, parts);
}

function describeUnread({ name }: Call<string, unknown, unknown>, field: string): string {
  return `the service answered "${name}" with an unreadable ${field}, which orgseat takes as missing. If this lasts, report it to the operator of the service.`;
}

function unsent(label: CallLabel, why: Pick<ApiErrorFields, "code" | "reason">): AttemptFailure {
  return { error: { ...label, ...why }, again: "never" };
}

/** The headers of the platform for an organization, whose id is encoded only if it is not ASCII, which headers cannot have. */
function platformHeaders(
  call: Pick<Call<string, never, unknown>, "credential">,
  { headers }: Platform,
  { org_id: id = "" }: Variables,
): string[] {
  if (areaOf(call) === "model") return [];
  const shown = /^[!-~]*$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
  return headers.flatMap(([name, value]) => [name, value.replace("{org_id}", () => shown)]);
}

/**
 * The path with its escaped variables.
 * @returns as `invalid` the name of a variable that would make it another call, as in `DELETE …/users/..`
 */
function fillPath(path: string, variables: Variables): { filled: string; invalid?: string } {
  const texts = new Map(Object.entries(variables).map(([name, text = ""]) => [name, text.toWellFormed()]));
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const invalid = names.find((name) => ["", ".", ".."].includes(texts.get(name) ?? ""));
  if (invalid !== undefined) return { filled: path, invalid };
  return { filled: path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(texts.get(name) ?? "")) };
}

/** A body or query in the form of the contract: emails in lower case, timestamps in UTC. */
function valid<T>(
  schema: z.ZodType<T>,
  value: unknown,
  whole: string,
  refuse: (reason: string) => ApiError,
): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuse(`${issue?.path.map(String).join(".") || whole}: ${issue?.message}`);
}

/** The query with its question mark. */
function writeQuery(query: object): string {
  const text = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) text.set(key, String(value));
  return text.size === 0 ? "" : `?${text}`;
}
