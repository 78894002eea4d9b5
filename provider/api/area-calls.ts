/** What the APIs of both areas share: sending a call, and finding it in the dialect. */
import { anacondaCalls } from "./calls/anaconda-calls.ts";
import type { Call } from "./calls/call.ts";
import type { CallTable, Dialect } from "./calls/dialect.ts";
import { ApiError } from "./calls/errors.ts";
import type { Deleted, TimeLimit } from "./calls/organization.ts";
import type { Credentials } from "./client/credentials.ts";
import type { Message, Sender } from "./client/sender.ts";

/** Sends the calls of one area with one set of credentials. */
export function callsOf(sender: Sender, credentials: Credentials) {
  return {
    async ask<Path extends string, Request, Answer>(
      call: Call<Path, Request, Answer>,
      message: Message<Path, Request>,
      operation: TimeLimit,
    ): Promise<Answer> {
      const reply = await sender.send(call, message, credentials, operation);
      if (reply.gone) throw new Error("only a delete finds something gone");
      return reply.answer;
    },
    async remove<Path extends string>(
      call: Call<Path, unknown, unknown>,
      variables: Message<Path, unknown>["variables"],
      operation: TimeLimit,
    ): Promise<Deleted> {
      const reply = await sender.send(call, { variables }, credentials, operation);
      return reply.gone && !reply.mayBeOurs ? "gone" : "deleted";
    },
  };
}

/** A call of the dialect. @throws ApiError where it has none */
export function supported<Name extends keyof CallTable>(
  { name, calls }: Dialect,
  key: Name,
): NonNullable<CallTable[Name]> {
  const call = calls[key];
  if (call) return call;
  const { name: operation, method, path } = anacondaCalls[key];
  const reason = `not sent: the dialect ${name} has no such request`;
  throw new ApiError({ code: "unsupported", call: operation, method, path, reason });
}
