/** The rule that decides whether a refused removal has nothing left to remove. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Missing } from "../../../provider/api/calls/missing.ts";
import { decideRefusal, type SeenInRun } from "../../../provider/api/calls/refused-removal.ts";

const SETTLED = [400, 404, 409, 410, 422];
const OTHERS = [undefined, 200, 301, 303, 401, 402, 403, 405, 429, 500, 503];
const allMissing: readonly (Missing | undefined)[] = ["object", "user", undefined];

describe("the decision about a refused removal", () => {
  test.each(SETTLED)("follows a list: HTTP %i", (status) => {
    for (const missing of allMissing) {
      expect(decideRefusal({ status, missing }, false)).toBe("gone");
      expect(decideRefusal({ status, missing }, true)).toBe("refused");
    }
  });

  test.each(OTHERS)("keeps the refusal, whatever a list shows: HTTP %s", (status) => {
    for (const isListed of [true, false, undefined]) {
      const decision = decideRefusal({ status, missing: "object" }, isListed, { mayBeOurs: true });
      expect(decision).toBe("refused");
    }
  });

  test.each<[number, Missing | undefined, SeenInRun, ReturnType<typeof decideRefusal>]>([
    ...[404, 410].flatMap((status): [number, Missing | undefined, SeenInRun, "gone" | "unknown"][] => [
      [status, "object", {}, "gone"],
      [status, "user", {}, "gone"],
      [status, undefined, {}, "unknown"],
      [status, "object", { deniesAll: true }, "unknown"],
      [status, "user", { deniesAll: true }, "unknown"],
      [status, undefined, { deniesAll: true }, "unknown"],
      [status, undefined, { mayBeOurs: true }, "gone"],
      [status, "user", { mayBeOurs: true, deniesAll: true }, "gone"],
    ]),
    [400, "object", {}, "refused"],
    [409, "object", {}, "refused"],
    [409, "user", { mayBeOurs: true }, "refused"],
    [422, "user", {}, "refused"],
  ])(
    "follows the answer without a list: HTTP %i that names %s as missing, with %o: %s",
    (status, missing, seen, expected) => {
      expect(decideRefusal({ status, missing }, undefined, seen)).toBe(expected);
    },
  );

  test("takes nothing for gone while a list shows the object", () => {
    const seen = fc.record({ mayBeOurs: fc.boolean(), deniesAll: fc.boolean() });
    const refusal = fc.record({
      status: fc.integer({ min: 100, max: 599 }),
      missing: fc.constantFrom(...allMissing),
    });
    fc.assert(fc.property(refusal, seen, (refused, run) => decideRefusal(refused, true, run) === "refused"));
  });
});
