/** Which resource, lookup or command sends which operation of the platform `anaconda`, as observed in this process. */
import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { platforms } from "../../provider/api/calls/platform.ts";
import { definitions } from "../../provider/definitions.ts";

const METHODS = ["create", "read", "find", "update", "delete"] as const;
const sentSchema = z.object({ request: z.object({ method: z.string(), path: z.string() }) });

const operations = Object.entries(platforms.anaconda.calls).map(([name, { method, path }]) => ({
  name,
  method,
  path: new RegExp(`${path.replaceAll(/\{\w+\}/g, "[^/?]+")}(?:\\?.*)?$`),
}));

/** A path without a variable comes before one of the same form with a variable. */
const ordered = operations.toSorted(
  (a, b) => a.path.source.split("[^").length - b.path.source.split("[^").length,
);

export class ObservedUses {
  /** Each as `createUser OrgUser`. */
  readonly seen = new Set<string>();
  readonly #user = new AsyncLocalStorage<string>();

  /** Until the end of the test. */
  begin(): void {
    const onSent = (message: unknown): void => this.#note(message);
    const sent = channel("undici:request:create");
    sent.subscribe(onSent);
    onTestFinished(() => void sent.unsubscribe(onSent));
    for (const definition of new Set(Object.values(definitions))) {
      for (const method of METHODS) this.#watch(definition.name, definition, method);
    }
  }

  /** What `work` sends is sent by `user`. */
  by<Result>(user: string, work: () => Promise<Result>): Promise<Result> {
    return this.#user.run(user, work);
  }

  #watch(user: string, definition: object, method: string): void {
    const original: unknown = Reflect.get(definition, method);
    if (typeof original !== "function") throw new Error(`${user} has no method ${method}`);
    const watched = (...given: unknown[]): unknown =>
      this.#user.run(user, () => Reflect.apply(original, definition, given));
    Reflect.set(definition, method, watched);
    onTestFinished(() => void Reflect.set(definition, method, original));
  }

  #note(message: unknown): void {
    const user = this.#user.getStore();
    if (user === undefined) return;
    const { method, path } = sentSchema.parse(message).request;
    const operation = ordered.find((one) => one.method === method && one.path.test(path));
    if (operation !== undefined) this.seen.add(`${operation.name} ${user}`);
  }
}
