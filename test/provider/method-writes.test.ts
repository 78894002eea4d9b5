import { describe, expect, test } from "vitest";
import type { Write } from "../../provider/api/client/observer.ts";
import { NotApproved } from "../../provider/safety/approval.ts";
import { type MethodWrites, WritesByMethod } from "../../provider/safety/method-writes.ts";

const write = (name: string): Write => ({ call: 0, name, method: "POST", id: "u1" });

/** Sends writes in a method with approved operations. @returns the names of those that were sent */
function send(approved: readonly string[] | undefined, ...names: readonly string[]): string[] {
  const writes = new WritesByMethod();
  const own: MethodWrites = { sent: [] };
  writes.run(own, () => {
    writes.approve(approved);
    for (const name of names) {
      writes.beforeSend(write(name));
      writes.afterSend({ ...write(name), at: 0, outcome: "done" });
    }
  });
  return own.sent.map(({ name }) => name);
}

describe("WritesByMethod", () => {
  test("refuses an operation that the plan does not have, before it is sent", () => {
    expect(() => send(["adopt token"], "issue token")).toThrow(NotApproved);
    expect(() => send(["adopt token"], "issue token")).toThrow(
      /^cannot issue token of u1: the preview did not/,
    );
  });

  test("records what a method sends", () => {
    expect(send(["assign seat"], "assign seat", "assign seat")).toEqual(["assign seat", "assign seat"]);
  });

  test("lets a creation remove what it made and whose secret was lost", () => {
    expect(send(["issue token"], "issue token", "revoke token", "issue token")).toHaveLength(3);
    expect(() => send(["renew token"], "revoke token")).toThrow(NotApproved);
  });

  test("allows every operation in a run without a plan", () => {
    expect(send(undefined, "remove user")).toEqual(["remove user"]);
  });

  test("keeps methods that run at the same time apart", async () => {
    const writes = new WritesByMethod();
    const [one, other]: MethodWrites[] = [{ sent: [] }, { sent: [] }];
    const method = (own: MethodWrites | undefined, name: string) =>
      writes.run(own ?? { sent: [] }, async () => {
        writes.approve([name]);
        await Promise.resolve();
        writes.beforeSend(write(name));
        writes.afterSend({ ...write(name), at: 0, outcome: "done" });
      });
    await Promise.all([method(one, "add user"), method(other, "remove user")]);
    expect([one?.sent[0]?.name, other?.sent[0]?.name]).toEqual(["add user", "remove user"]);
  });
});
