/** Parses responses: a value, or a failure with its code and reason (D6, D15, D30). */

import type { z } from "zod";
import { propertyOf } from "../../util/json.ts";
import { withoutStop } from "../../util/text.ts";
import type { Call } from "../calls/call.ts";
import { firstOf } from "../calls/clock-skew.ts";
import { type ApiErrorCode, isAbsence } from "../calls/errors.ts";
import { type Missing, missingIn } from "../calls/missing.ts";
import { deepest, describeIssue, forgive, kindOf } from "../schemas/forgiving.ts";
import { forgiveItems, type OddItem } from "../schemas/forgiving-list.ts";
import {
  accessTokenSchema,
  errorBodySchema,
  oauthErrorSchema,
  partialErrorSchema,
  plainDetailSchema,
} from "../schemas/schemas.ts";
import { partOfList } from "../schemas/whole-list.ts";
import type { Redactor } from "./redact.ts";
import type { HttpResponse } from "./transport.ts";

/** A failure according to the response alone. */
interface ResponseError {
  readonly code: ApiErrorCode;
  readonly reason: string;
  readonly serviceCode?: string | undefined;
}

/** The value of a success, without its unreadable fields and items; `gone` if a delete found nothing to delete, as far as the response says. */
export type ParsedResponse<T> = Readable<T> | ({ readonly gone: true } & Gone) | ResponseError;

interface Readable<T> {
  readonly value: T;
  readonly unread: readonly string[];
  /** The items of a list that are in another form. */
  readonly odd: readonly OddItem[];
}

interface Gone {
  /** What a delete on a user did not find; undefined if the response does not say. */
  readonly missing: Missing | undefined;
  readonly refusal: ResponseError;
}

/** Fields of responses that are secrets. */
const SECRET_FIELDS = ["token", "client_secret", "access_token", "refresh_token", "id_token", "password"];

/** What a call expects of an error response. */
export interface ErrorForm {
  /** The advice where the server does not know the call. */
  readonly unknownRoute: string;
  /** Whether an error can lack its fields. */
  readonly hasPartialErrors: boolean;
}

/** What a call says about its response. */
type ResponseForm<Answer> = Pick<
  Call<string, never, Answer>,
  "method" | "path" | "body" | "answer" | "partial" | "repeatable"
>;

/** Parses the response of a call. */
export function parseResponse<Answer>(
  call: ResponseForm<Answer>,
  answer: HttpResponse,
  { unknownRoute, hasPartialErrors }: ErrorForm,
  redactor: Redactor,
): ParsedResponse<Answer> {
  const body = readBody(answer);
  const { status } = answer;
  if (isSuccess(status) && !holdsError(body)) return parseSuccess(call, body, redactor);
  const refusal = readRefusal(body, redactor, hasPartialErrors);
  const isAnswer = body.kind === "nothing" || refusal.ofContract;
  const code = codeOf(status, isAnswer, call.repeatable);
  const error = describeFailure(code, answer, body, refusal, unknownRoute);
  if (code !== "refused" || !isAbsence(status)) return error;
  if (OF_ORGANIZATION.test(call.path))
    return {
      ...error,
      reason: `${withoutStop(error.reason)}: ${unknownRoute}, and the ID of the organization`,
    };
  if (call.method !== "DELETE") return error;
  const named = { code: refusal.serviceCode, message: refusal.reason };
  const missing = refusal.ofContract ? missingIn(call.path, named) : undefined;
  return { gone: true, missing, refusal: error };
}

/** The paths that name nothing but the organization: a 404 then says that it, or the path, is not there. */
const OF_ORGANIZATION = /^[^{]*\{org_id\}[^{]*$/;

/** Parses the response of the token endpoint (D3). @param credential the sent one, for the message */
export function parseTokenResponse(
  answer: HttpResponse,
  credential: string,
  unknownRoute: string,
  redactor: Redactor,
): ParsedResponse<z.output<typeof accessTokenSchema>> {
  const body = readBody(answer);
  const { status } = answer;
  if (isSuccess(status)) return parseValue({ answer: accessTokenSchema }, body, redactor);
  const code = codeOf(status, false, true, [400, 401, 403]);
  const error = describeFailure(code, answer, body, readRefusal(body, redactor), unknownRoute);
  if (code !== "unauthorized") return error;
  return { ...error, reason: `the service rejects ${credential}: ${error.reason}` };
}

/**
 * What the status of a failure means, and the only place that says it.
 * @param isAnswer whether the response is in the contract's form, or has no body
 * @param rejects the statuses that are about the credential
 */
export function codeOf(
  status: number,
  isAnswer: boolean,
  repeatable: boolean,
  rejects: readonly number[] = [401],
): ApiErrorCode {
  if (isSuccess(status)) return "refused";
  // A 303 says that a creation was executed, and a gateway can send any other redirect after that.
  if (status < 400) return repeatable ? "unknown-route" : "no-answer";
  if (rejects.includes(status)) return "unauthorized";
  if (status === 405 || (isAbsence(status) && !isAnswer)) return "unknown-route";
  if (status === 429) return "rate-limited";
  return status >= 500 ? "service-failed" : "refused";
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function describeFailure(
  code: ApiErrorCode,
  answer: HttpResponse,
  body: Body,
  { reason, serviceCode }: Refusal,
  where: string,
): ResponseError {
  if (code === "unknown-route")
    return {
      code,
      reason: `the server does not support this request (it returned ${describeBody(body)}): ${where}`,
    };
  if (code === "no-answer") return { code, reason: `${redirected(answer)}: ${where}` };
  return { code, reason, serviceCode };
}

/** What no second response has: beside it, an error does not count. */
const CREATED = ["id", "client_id", "client_secret", "token"];

/** Whether a response is the error of the contract, whatever its status says. */
function holdsError(body: Body): boolean {
  if (body.kind !== "json") return false;
  const error = propertyOf(body.value, "error");
  const isError = typeof error === "object" && error !== null;
  return isError && CREATED.every((field) => propertyOf(body.value, field) === undefined);
}

function parseSuccess<Answer>(
  call: ResponseForm<Answer>,
  body: Body,
  redactor: Redactor,
): ParsedResponse<Answer> {
  if (call.body === "required") return parseValue(call, body, redactor);
  // An HTML page comes from something else, such as a captive portal: the service did not run the call.
  if (body.kind === "html") return { code: "bad-answer", reason: "the service returned an HTML page" };
  // Nothing of such a body is needed.
  const isRead = call.body === "optional" && body.kind === "json";
  return parseValue(call, isRead ? body : { kind: "json", value: {} }, redactor);
}

interface Parsed<T> {
  readonly answer: z.ZodType<T>;
  readonly partial?: z.ZodType<T>;
  readonly method?: string;
}

function parseValue<T>(
  { answer, partial = answer, method }: Parsed<T>,
  body: Body,
  redactor: Redactor,
): ParsedResponse<T> {
  if (body.kind !== "json") return { code: "bad-answer", reason: `expected JSON, got ${describeBody(body)}` };
  addSecrets(body.value, redactor);
  const part = method === "GET" ? partOfList(body.value) : undefined;
  if (part !== undefined)
    return { code: "incomplete-list", reason: `the list is incomplete: ${part}. ${NO_PAGES}` };
  const parsed = answer.safeParse(body.value);
  if (parsed.success) return { value: parsed.data, unread: [], odd: [] };
  const list = method === "GET" ? forgiveItems(answer, partial, body.value) : undefined;
  if (list !== undefined) return list;
  const forgiven = forgive(answer, body.value, parsed.error, method === "GET");
  if (forgiven !== undefined) return { ...forgiven, odd: [] };
  const reason = describeIssue(deepest(parsed.error.issues), body.value);
  return { code: "bad-answer", reason: `unexpected response: ${reason}` };
}

const NO_PAGES =
  "orgseat reads whole lists only, and takes nothing from this one. Ask the operator of the service for lists without pages";

function addSecrets(value: unknown, redactor: Redactor): void {
  if (typeof value !== "object" || value === null) return;
  for (const field of SECRET_FIELDS) {
    const secret = propertyOf(value, field);
    if (typeof secret === "string") redactor.add(secret);
  }
  if ("data" in value) addSecrets(value.data, redactor);
}

type Body =
  | { readonly kind: "nothing" }
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "html" }
  | { readonly kind: "text"; readonly text: string };

function readBody(answer: HttpResponse): Body {
  const text = answer.text.trim();
  if (text === "") return { kind: "nothing" };
  // Ignores the content type: some services send JSON as plain text.
  if (!text.startsWith("<")) {
    try {
      return { kind: "json", value: JSON.parse(text) };
    } catch {
      // Falls through to text.
    }
  }
  const type = String(answer.headers["content-type"] ?? "");
  return text.startsWith("<") || type.includes("html") ? { kind: "html" } : { kind: "text", text };
}

const BODIES = { nothing: "no body", html: "an HTML page", text: "text that is not JSON" } as const;

function describeBody(body: Body): string {
  return body.kind === "json" ? `JSON without an error body (${kindOf(body.value)})` : BODIES[body.kind];
}

interface Refusal {
  readonly reason: string;
  readonly serviceCode?: string | undefined;
  /** Whether the body has a form of the contract (D30). */
  readonly ofContract: boolean;
}

function readRefusal(body: Body, redactor: Redactor, hasPartialErrors = false): Refusal {
  const foreign = (reason: string, serviceCode?: string): Refusal => ({
    reason,
    serviceCode,
    ofContract: false,
  });
  if (body.kind === "nothing") return foreign("the service gave no reason (no body)");
  if (body.kind === "text") return foreign(redactor.show(body.text));
  const value = body.kind === "json" ? body.value : undefined;
  const partial = hasPartialErrors ? partialErrorSchema.safeParse(value) : undefined;
  if (partial?.success) {
    const { code, message = "the service gave no reason" } = partial.data.error ?? {};
    return { ...readErrorBody({ error: { code, message } }, redactor), ofContract: true };
  }
  const error = errorBodySchema.safeParse(value);
  if (error.success) return { ...readErrorBody(error.data, redactor), ofContract: true };
  const oauth = oauthErrorSchema.safeParse(value);
  if (oauth.success) {
    const { error: code, error_description: description } = oauth.data;
    return foreign(redactor.show(description || code), redactor.show(code));
  }
  const plain = plainDetailSchema.safeParse(value);
  return foreign(
    plain.success ? redactor.show(plain.data.detail) : `the service returned ${describeBody(body)}`,
  );
}

function readErrorBody(
  body: z.output<typeof errorBodySchema>,
  redactor: Redactor,
): { reason: string; serviceCode?: string | undefined } {
  if ("detail" in body) {
    const lines = body.detail.slice(0, 20).map(({ loc, msg }) => `${loc.join(".")}: ${msg}`);
    return { reason: redactor.show(lines.join("; ")) };
  }
  const { code, message } = body.error;
  const reason = looksLikeHtml(message) ? "the error message is an HTML page" : redactor.show(message);
  return { reason: reason || "the service gave an empty message", serviceCode: code && redactor.show(code) };
}

function looksLikeHtml(text: string): boolean {
  return /^\s*<(!doctype|html|head|body)/i.test(text);
}

/** A lost answer. Of the address that it names, only the origin is shown: the rest can be a secret. */
function redirected({ headers }: HttpResponse): string {
  const location = firstOf(headers.location);
  const to = URL.canParse(location) ? new URL(location).origin : "the same server";
  return `the server answered with a redirect to ${to}, which does not say whether it executed the request`;
}
