/** When a failed attempt is sent again, by the only rule for it. */
import { describe, expect, test } from "vitest";
import type { ApiErrorCode } from "../../../provider/api/calls/errors.ts";
import { type AttemptFailure, retryIn } from "../../../provider/api/client/retry.ts";

const attempt = { made: 1, takenMs: 0, leftMs: 60_000, repeatable: true, jitter: 1 };
const backoff = { firstMs: 2_000, longestMs: 30_000 };

function waitOf(
  error: Partial<AttemptFailure["error"]>,
  times: Partial<typeof attempt> = {},
  again?: AttemptFailure["again"],
): number | undefined {
  const whole = { code: "no-answer", call: "x", method: "POST", path: "/", reason: "y", ...error } as const;
  return retryIn({ error: whole, ...(again && { again }) }, { ...attempt, ...times, backoff });
}

describe("a failure", () => {
  test.each<[ApiErrorCode, repeatable: boolean, any: boolean]>([
    ["unreachable", true, true],
    ["rate-limited", true, true],
    ["no-answer", true, false],
    ["service-failed", true, false],
    ...(["bad-answer", "refused", "unauthorized", "unknown-route", "out-of-time", "blocked"] as const).map(
      (code): [ApiErrorCode, boolean, boolean] => [code, false, false],
    ),
  ])("follows the table: %s, a repeatable call %s, any call %s", (code, repeatable, any) => {
    expect(waitOf({ code }) !== undefined).toBe(repeatable);
    expect(waitOf({ code }, { repeatable: false }) !== undefined).toBe(any);
    expect(waitOf({ code }, {}, "never")).toBeUndefined();
    expect(waitOf({ code }, { repeatable: false }, "now")).toBe(0);
  });

  test.each<[string, Parameters<typeof waitOf>, number | undefined]>([
    ["doubled each time", [{}, { made: 4 }], 1_600],
    ["at most 5 s", [{}, { made: 10 }], 5_000],
    ["with jitter", [{}, { jitter: 0.5 }], 100],
    ["longer after a 429", [{ code: "rate-limited", status: 429 }], 2_000],
    ["longer after a 503, at most 30 s", [{ code: "service-failed", status: 503 }, { made: 9 }], 30_000],
    ["as asked", [{ code: "rate-limited", status: 429, retryAfterMs: 7_000 }], 7_000],
    ["not less than the first wait", [{ code: "rate-limited", status: 429, retryAfterMs: 0 }], 200],
    ["to the deadline", [{}, { leftMs: 700 }], 200],
    ["not beyond the deadline", [{}, { leftMs: 699 }], undefined],
    ["not beyond the deadline, if asked", [{ retryAfterMs: 60_000 }], undefined],
    ["for 10 s, if unreachable", [{ code: "unreachable" }, { takenMs: 9_300 }], 200],
    ["not for more than 10 s, if unreachable", [{ code: "unreachable" }, { takenMs: 9_301 }], undefined],
  ])("waits %s", (_, asked, expected) => {
    expect(waitOf(...asked)).toBe(expected);
  });
});
