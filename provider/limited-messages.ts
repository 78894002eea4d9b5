/** Limits messages that a run writes once per person: a renewed subscription renews the tokens of everybody. */
import { LISTED } from "./util/plural.ts";

export class LimitedMessages {
  /** The shown messages by the message about all others. */
  readonly #shown = new Map<string, Set<string>>();

  /** The message to write: the first 20 as they are, then `more` once; undefined where there is nothing to write. */
  next(text: string, more: string): string | undefined {
    const shown = this.#shown.get(more) ?? new Set<string>();
    this.#shown.set(more, shown);
    const message = shown.size < LISTED ? text : more;
    if (shown.has(text) || shown.has(message)) return undefined;
    shown.add(message);
    return message;
  }
}
