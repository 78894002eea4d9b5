/** The messages of a run: they name people, and an error that concerns all resources is complete once. */
import { ApiError, type ApiErrorCode } from "../api/calls/errors.ts";
import type { People } from "../resources/contexts.ts";
import { describeFailedCall } from "../service/connection.ts";
import { type ErrorCode, withCode } from "../util/error-codes.ts";
import { LISTED, messageOf, visibleLines } from "../util/text.ts";

const ALREADY_REPORTED = "skipped: see the first error";

/** Failures that concern all resources of a run. */
const CONCERNS_ALL: ReadonlySet<ApiErrorCode> = new Set([
  "missing-credentials",
  "unauthorized",
  "unreachable",
]);

/** The resource that failed: its type and properties. */
interface FailedResource {
  readonly type: string;
  readonly props: Readonly<Record<string, unknown>>;
}

export class RunMessages {
  readonly people: People = new UserNames();
  readonly #reported = new Set<string>();

  /** The text for the first caller, with its code, if any; a short one for all others. */
  once(text: string, code?: ErrorCode): string {
    return this.isFirst(text) ? withCode(text, code) : ALREADY_REPORTED;
  }

  /** Whether no caller has had the text yet. */
  isFirst(text: string): boolean {
    if (this.#reported.has(text)) return false;
    this.#reported.add(text);
    return true;
  }

  /** The message of an error. `isRepetition`: it only refers to an earlier one. */
  describe(
    error: unknown,
    resource: FailedResource,
  ): { readonly text: string; readonly isRepetition: boolean } {
    const text = visibleLines(this.#messageOf(error, resource));
    return { text, isRepetition: text === ALREADY_REPORTED };
  }

  #messageOf(error: unknown, resource: FailedResource): string {
    if (!(error instanceof ApiError)) return messageOf(error);
    const whole = describeFailedCall(error);
    if (error.code === "blocked") return `${this.#nameOf(resource)}: ${whole}`;
    if (!CONCERNS_ALL.has(error.code)) return whole;
    // The number of attempts differs between resources.
    const reason = error.reason.replace(/ \(attempt \d+\)$/, "");
    return this.isFirst(reason) ? whole : ALREADY_REPORTED;
  }

  #nameOf({ type, props }: FailedResource): string {
    const { email, name, serverId, userId } = props;
    const person = typeof userId === "string" ? this.people.nameOf(userId) : undefined;
    return [type, [email, name, serverId, person].find((text) => typeof text === "string")].join(" ").trim();
  }
}

class UserNames implements People {
  readonly #names = new Map<string, string>();

  learn(userId: string, name: string): void {
    this.#names.set(userId, name);
  }

  find(userId: string): string | undefined {
    return this.#names.get(userId);
  }

  nameOf(userId: string): string {
    const name = this.#names.get(userId);
    return name === undefined ? `user ${userId}` : `${name} (user ${userId})`;
  }
}
export class LimitedMessages {
  /** The shown messages by the message about all others. */
  readonly #shown = new Map<string, Set<string>>();

  /** The message to write: the first 20 as they are, then `more` once; undefined if there is nothing to write. */
  next(text: string, more: string): string | undefined {
    const shown = this.#shown.get(more) ?? new Set<string>();
    this.#shown.set(more, shown);
    const message = shown.size < LISTED ? text : more;
    if (shown.has(text) || shown.has(message)) return undefined;
    shown.add(message);
    return message;
  }
}
