/** Sends any call of the table: its path, its credential, its repeats, and the meaning of its answer. */
import { AccessTokens } from "./access-tokens.ts";
import { type Judgement, judgeCall, judgeToken } from "./answers.ts";
import type { Call, CredentialKind, PathVariables } from "./calls.ts";
import type { Clock } from "./clock.ts";
import {
  type Credential,
  type Credentials,
  credentialOf,
  describeCredential,
  missingCredential,
} from "./credentials.ts";
import { ApiError, type ApiErrorCode, TOKEN_ENDPOINT } from "./errors.ts";
import type { Operation } from "./organization.ts";
import type { NotSent, Origin } from "./origin.ts";
import { attemptOf, type Label, type Reply } from "./outcomes.ts";
import type { Redactor } from "./redact.ts";
import { type Attempt, type Failure, withRepeats } from "./retry.ts";
import type { HttpAnswer, HttpLoss, HttpRequest } from "./transport.ts";

/** Where requests go. */
export interface Endpoint {
  readonly origin: Origin;
  /** The path before the call's own, without a slash at its end; with the query, if the address has one. */
  readonly path: string;
  /** The address as the user configured it, for messages. */
  readonly shown: string;
}

export interface SenderParts {
  readonly calls: Endpoint;
  readonly tokens: Endpoint;
  readonly dialectName: string;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

const COMMON_HEADERS = ["accept", "application/json", "user-agent", "orgseat"];

export class Sender {
  readonly #parts: SenderParts;
  readonly #tokens: AccessTokens;
  /** What was read from each credentials object, so that a call need not do it again. */
  readonly #credentials: Record<CredentialKind, WeakMap<Credentials, Credential>> = {
    user: new WeakMap(),
    serviceAccount: new WeakMap(),
  };

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#tokens = new AccessTokens(
      (credential, operation) => this.#fetch(credential, operation),
      parts.clock,
    );
  }

  /**
   * Makes one call, with the repeats that its table entry allows, by the operation's deadline.
   * @throws ApiError and nothing else
   */
  async send<Path extends string, Request, Answer>(
    call: Call<Path, Request, Answer>,
    variables: PathVariables<Path>,
    body: Request | undefined,
    credentials: Credentials,
    operation: Operation,
  ): Promise<Reply<Answer>> {
    const { calls, redactor, clock } = this.#parts;
    const { filled, unfit } = fillPath(call.path, variables);
    const path = calls.path + filled;
    const label: Label = {
      call: `call ${call.number} (${call.name})`,
      method: call.method,
      get path() {
        return redactor.redact(path); // Only where an error needs it.
      },
    };
    const refuse = (code: ApiErrorCode, reason: string) => new ApiError({ ...label, code, reason });
    if (unfit) throw refuse("refused", `not sent: ${unfit} is empty or no name that a path can hold`);
    const text = writeBody(call, body, refuse);
    const credential = this.#credential(credentials, call.credential);
    if (!credential) throw refuse("missing-credentials", missingCredential(call.credential));
    const judge = (answer: HttpAnswer) => judgeCall(call, answer, () => this.#unknownRoute(), redactor);
    let renewed = false;
    const attempt = async (): Promise<Attempt<Reply<Answer>>> => {
      const token = this.#tokens.peek(credential) ?? (await this.#tokens.get(credential, operation));
      if (token === undefined) return this.#noToken(label);
      const request = { method: call.method, path, headers: headersOf(token, text), body: text };
      const outcome = await calls.origin.send(request, operation);
      const result = this.#read(calls, outcome, label, operation, judge);
      if ("value" in result || result.error.code !== "unauthorized") return result;
      this.#tokens.discard(credential, token);
      if (!renewed) {
        renewed = true;
        return { ...result, again: "now" };
      }
      const reason = `it does not accept the access token of ${describeCredential(call.credential)}, not even a fresh one: ${result.error.reason}`;
      return { error: { ...result.error, reason }, again: "never" };
    };
    return withRepeats(attempt, { repeatable: call.repeatable, operation, clock });
  }

  async #fetch(credential: Credential, operation: Operation): Promise<{ token: string; lifeMs: number }> {
    const { tokens, redactor, clock } = this.#parts;
    const label: Label = { call: TOKEN_ENDPOINT, method: "POST", path: redactor.redact(tokens.path) };
    const request: HttpRequest = {
      method: "POST",
      path: tokens.path,
      headers: [...COMMON_HEADERS, "content-type", "application/x-www-form-urlencoded"],
      body: new URLSearchParams(credential.request).toString(),
    };
    const advice = `check orgseat:tokenUrl (${tokens.shown})`;
    const title = describeCredential(credential.kind);
    const judge = (answer: HttpAnswer) => judgeToken(answer, title, advice, redactor);
    const attempt = async () =>
      this.#read(tokens, await tokens.origin.send(request, operation), label, operation, judge);
    // Repeatable: a token more at the service changes nothing.
    const reply = await withRepeats(attempt, { repeatable: true, operation, clock });
    if (reply.gone) throw new Error("the token endpoint deletes nothing");
    return { token: reply.answer.access_token, lifeMs: reply.answer.expires_in * 1000 };
  }

  #read<T>(
    endpoint: Endpoint,
    outcome: HttpAnswer | HttpLoss | NotSent,
    label: Label,
    operation: Operation,
    judge: (answer: HttpAnswer) => Judgement<T>,
  ): Attempt<Reply<T>> {
    const { redactor, clock } = this.#parts;
    return attemptOf(outcome, judge, {
      label,
      origin: endpoint.origin.name,
      redactor,
      clock,
      operation,
    });
  }

  #unknownRoute(): string {
    const { calls, dialectName } = this.#parts;
    return `check orgseat:orgUrl (${calls.shown}, its path too) and orgseat:dialect (${dialectName})`;
  }

  #credential(credentials: Credentials, kind: CredentialKind): Credential | undefined {
    const cache = this.#credentials[kind];
    let credential = cache.get(credentials);
    if (!credential) {
      credential = credentialOf(credentials, kind);
      if (!credential) return undefined;
      cache.set(credentials, credential);
      this.#parts.redactor.add(credentials.user?.password);
      this.#parts.redactor.add(credentials.serviceAccount?.clientSecret);
    }
    return credential;
  }

  #noToken(label: Label): Failure {
    const reason = `not sent: the operation's time ended while it waited for an access token from ${this.#parts.tokens.shown}`;
    return { error: { ...label, code: "out-of-time", reason }, again: "never" };
  }
}

function headersOf(token: string, body: string | undefined): string[] {
  const headers = ["authorization", `Bearer ${token}`, ...COMMON_HEADERS];
  if (body !== undefined) headers.push("content-type", "application/json");
  return headers;
}

/**
 * The path with its variables, escaped.
 * @returns as `unfit` the name of a variable that would make another call of it, as `DELETE …/users/..` does
 */
function fillPath(path: string, variables: unknown): { filled: string; unfit?: string } {
  let filled = path;
  for (const [name, value] of Object.entries(variables ?? {})) {
    const text = String(value).toWellFormed();
    if (text === "" || text === "." || text === "..") return { filled: path, unfit: name };
    filled = filled.replace(`{${name}}`, () => encodeURIComponent(text));
  }
  return { filled };
}

/** The body as the contract wants it: emails in lower case, instants in UTC. */
function writeBody<Request>(
  call: Call<string, Request, unknown>,
  body: Request | undefined,
  refuse: (code: ApiErrorCode, reason: string) => ApiError,
): string | undefined {
  if (!call.request) return undefined;
  const parsed = call.request.safeParse(body);
  if (parsed.success) return JSON.stringify(parsed.data);
  const [issue] = parsed.error.issues;
  throw refuse("refused", `not sent: ${issue?.path.map(String).join(".") || "the body"}: ${issue?.message}`);
}
