/**
 * The observer of writes (calls other than GET): asked before each attempt, notified after each attempt that was sent.
 * Token requests are not writes.
 */

import type { Clock } from "../../util/instants.ts";
import { propertyOf } from "../../util/json.ts";
import type { Call } from "../calls/call.ts";
import { calls } from "../calls/calls.ts";
import { isEffectUnknown } from "../calls/errors.ts";
import type { AuditLine } from "../schemas/audit-lines.ts";
import { namesHash, userMismatch } from "../schemas/user-names.ts";
import type { NotSent } from "./origin.ts";
import type { Reply } from "./outcomes.ts";
import type { Redactor } from "./redact.ts";
import type { Attempt } from "./retry.ts";
import type { HttpLoss, HttpResponse } from "./transport.ts";

/** A write and its object. No field contains a secret or an email. */
export interface Write {
  /** The number in the interface document. */
  readonly call: number;
  /** The name of the operation, such as `issue token`. */
  readonly name: string;
  readonly method: string;
  /** None in the model area. */
  readonly organizationId?: string | undefined;
  /** The user id, client id, server id, model id or table name in the request; for a new service account or user, in the response. */
  readonly id?: string | undefined;
  /** Of a new machine user: which organization and names. */
  readonly names?: string | undefined;
}

/** An attempt that was sent. */
export interface SentWrite extends Write {
  /** The end of the attempt, in milliseconds since 1970. */
  readonly at: number;
  /** Undefined without a response. */
  readonly status?: number | undefined;
  /**
   * `done`: the service did it, or a delete found nothing (HTTP 404). `refused`: the service did nothing. `no answer`:
   * no response of the contract, or a 5xx: whether the write was done is unknown.
   */
  readonly outcome: AuditLine["outcome"];
}

export interface Observer {
  /** Called before each attempt. @returns why it must not be sent, without a full stop; undefined to allow it. Default: allowed */
  beforeSend?(write: Write): string | undefined;
  /** Called after each attempt that was sent. It must not throw: the response would be lost. */
  afterSend(write: SentWrite): void;
}

/**
 * The observer's view of one call, attempt by attempt; undefined if it has none.
 * @param message the variables of the path, and the body, with which the call is made
 */
export function observeCall(
  observer: Observer | undefined,
  call: Pick<Call<string, never, unknown>, "number" | "name" | "method">,
  message: { readonly variables: Variables; readonly body?: unknown },
  { redactor, clock }: { readonly redactor: Redactor; readonly clock: Clock },
) {
  if (!observer || call.method === "GET") return undefined;
  const shown = (text: string | undefined) => (text === undefined ? undefined : redactor.redact(text));
  const { variables, body } = message;
  // The first variable of a path names its object; a table has its name in the body of its creation.
  const named =
    objectIn(variables) ?? (call.name === calls.createTable.name ? textOf(body, "name") : undefined);
  const write: Write = {
    call: call.number,
    name: call.name,
    method: call.method,
    organizationId: shown(textOf(variables, "org_id")),
    id: shown(named),
    ...(call.name === calls.createUser.name && { names: namesOf(variables, body) }),
  };
  return {
    beforeSend: () => observer.beforeSend?.(write),
    afterAttempt(outcome: HttpResponse | HttpLoss | NotSent, result: Attempt<Reply<unknown>>): void {
      if ("notSent" in outcome || ("loss" in outcome && outcome.loss === "never-left")) return;
      observer.afterSend({
        ...write,
        id: write.id ?? shown(idOfAnswer(result, call.name === calls.createUser.name ? body : undefined)),
        at: clock.now(),
        status: "status" in outcome ? outcome.status : undefined,
        outcome: outcomeOf(result),
      });
    },
  };
}

type Variables = Readonly<Record<string, string | undefined>>;

function objectIn(variables: Variables): string | undefined {
  return Object.entries(variables).find(([name, value]) => name !== "org_id" && value)?.[1];
}

/** Undefined for a person, whom the email identifies. */
function namesOf(variables: unknown, body: unknown): string | undefined {
  if (textOf(body, "email") !== undefined) return undefined;
  return namesHash(textOf(variables, "org_id") ?? "", textOf(body, "first_name"), textOf(body, "last_name"));
}

function outcomeOf(result: Attempt<Reply<unknown>>): SentWrite["outcome"] {
  if ("value" in result) return "done";
  return isEffectUnknown(result.error) ? "no answer" : "refused";
}

/**
 * The id of a created service account or user.
 * @param user the body of a request for a user; a response about another user has no id of it
 */
function idOfAnswer(result: Attempt<Reply<unknown>>, user: unknown): string | undefined {
  if (!("value" in result) || result.value.gone) return undefined;
  const { answer } = result.value;
  const requested = {
    email: textOf(user, "email"),
    firstName: textOf(user, "first_name"),
    lastName: textOf(user, "last_name"),
  };
  const [email, first_name, last_name] = ["email", "first_name", "last_name"].map((key) =>
    textOf(answer, key),
  );
  if (user !== undefined && userMismatch(requested, { email, first_name, last_name })) return undefined;
  return textOf(answer, "client_id") ?? textOf(answer, "id");
}

function textOf(value: unknown, key: string): string | undefined {
  const text = propertyOf(value, key);
  return typeof text === "string" ? text : undefined;
}
