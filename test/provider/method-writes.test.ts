import { describe, expect, test } from "vitest";
import { type MethodWrites, WritesByMethod } from "../../provider/safety/method-writes.ts";

const write = (name: string, outcome: "done" | "refused" | "no answer" = "done") => ({
  ...{ call: 0, name, method: "POST", id: "u1" },
  ...{ at: 0, outcome },
});

describe("WritesByMethod", () => {
  test("keeps methods that run at the same time apart", async () => {
    const writes = new WritesByMethod();
    const [one, other]: [MethodWrites, MethodWrites] = [[], []];
    const method = (own: MethodWrites, name: string) =>
      writes.run(own, async () => {
        await Promise.resolve();
        writes.afterSend(write(name));
      });
    await Promise.all([method(one, "add user"), method(other, "remove user")]);
    expect([one[0]?.name, other[0]?.name]).toEqual(["add user", "remove user"]);
  });

  test.each([
    ["refused", false],
    ["done", true],
    ["no answer", true],
  ] as const)("knows whether a method may have changed something: %s", (outcome, mayHaveWritten) => {
    const writes = new WritesByMethod();
    writes.run([], () => {
      writes.afterSend(write("add user", outcome));
      expect(writes.mayHaveWritten).toBe(mayHaveWritten);
    });
    expect(writes.mayHaveWritten).toBe(false);
  });
});
