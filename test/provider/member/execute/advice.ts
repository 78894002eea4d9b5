/** What failed calls of a member say: each answer that has a next step, for the reader of a program and of a roster. */

import { platforms } from "../../../../provider/api/calls/platform.ts";
import { ApiError, type ApiErrorCode } from "../../../../provider/api/index.ts";
import { alreadyMember, failureOf, refusedRemoval } from "../../../../provider/member/execute/failures.ts";
import type { Sender } from "../../../../provider/member/execute/sender.ts";
import type { HeldUser } from "../../../../provider/member/held.ts";
import type { Call } from "../../../../provider/member/step.ts";
import type { Wanted } from "../../../../provider/member/wanted.ts";
import { AdvisedError } from "../../../../provider/resources/failures.ts";
import { ProviderProcess } from "../../../../provider/runtime/process.ts";
import { systemClock } from "../../../../provider/util/instants.ts";
import { user } from "../people.ts";

const holder: HeldUser = user("basic");
const LOST = "no-answer";
const answers = [402, 404, 409, 422, LOST] as const;
const calls = [
  ...(["add user", "assign seat", "issue token", "renew token"] as const),
  ...(["revoke token", "remove seat", "remove user"] as const),
] satisfies readonly Call[];

function errorOf(call: Call, answer: (typeof answers)[number]): ApiError {
  const code: ApiErrorCode = answer === LOST ? LOST : "refused";
  const status = answer === LOST ? undefined : answer;
  const method = call.startsWith("re") && call !== "renew token" ? "DELETE" : "POST";
  return new ApiError({ code, call, method, path: "/users", status, reason: "no" });
}

export interface Advised {
  readonly what: string;
  readonly text: string;
  readonly code: string | undefined;
}

function senderOf(wanted: Wanted, isRow: boolean): Sender {
  const log = () => ({ write: () => undefined, flush: () => Promise.resolve() });
  const context = new ProviderProcess({ environment: {}, clock: systemClock, log }).callContext();
  const access = { organizationId: "acme", credentials: undefined };
  return { ref: "r", isRow, access, wanted, can: platforms.basic, context, keep: undefined };
}

/** Each failure with a next step. @param isRow whether its reader has a roster */
export function advices(isRow: boolean): Advised[] {
  const person = { email: "ada@acme.example", seat: true };
  return [person, { purpose: "Builds", seat: true }].flatMap((wanted) => advicesFor(senderOf(wanted, isRow)));
}

function advicesFor(sender: Sender): Advised[] {
  const failures = calls.flatMap((call) =>
    answers.map((answer) => ({
      what: `${call}, ${answer}`,
      error: failureOf(errorOf(call, answer), call, sender, call === "add user" ? undefined : holder.id)
        .error,
    })),
  );
  const refused = refusedRemoval(errorOf("remove user", 409), "a seat", holder, sender);
  const taken = alreadyMember(errorOf("add user", 409), undefined, sender);
  const others = [
    { what: "remove user, seat left", error: refused },
    { what: "add user, not listed", error: taken },
  ];
  return [...failures, ...others].flatMap(({ what, error }) =>
    error instanceof AdvisedError ? { what, text: error.message, code: error.code } : [],
  );
}
