/** What an answer proves about an earlier removal of the same user. */
import { describe, expect, test } from "vitest";
import { advance } from "../../../provider/member/advance.ts";
import { REVOCATION } from "../../../provider/member/held.ts";
import { send } from "../../../provider/member/step.ts";
import { held, NOW, token, user } from "./people.ts";

const asked = { what: REVOCATION, at: NOW };

describe("a revocation without an answer", () => {
  test.each([
    ["basic", "ok", {}, 0],
    ["basic", "gone", {}, 0],
    ["basic", "unproven", {}, 1],
    ["basic", "gone", { asked: undefined }, 1],
    ["basic", "gone", { others: ["t-0"] }, 1],
    ["anaconda", "ok", {}, 0],
    ["anaconda", "gone", {}, 1],
  ] as const)(
    "leaves on %s, after a removal of the seat that is %s (token %j), %i tokens",
    (platform, is, more, left) => {
      const before = held([user(platform, { tokens: [token(platform, { asked, ...more })] })]);
      const after = advance(before, send("remove seat", "leaving", { user: "u-1" }), { is, at: NOW });
      expect(after.users[0]?.tokens).toHaveLength(left);
    },
  );
});
