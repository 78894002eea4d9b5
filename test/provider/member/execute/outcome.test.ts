/** What an answer to a step means, by call and status: the same on both platforms, except that lists prove absence. */
import { describe, expect, test } from "vitest";
import { ApiError, type ApiErrorCode } from "../../../../provider/api/index.ts";
import { outcomeOf, outcomeOfDelete } from "../../../../provider/member/execute/outcome.ts";
import type { Call } from "../../../../provider/member/step.ts";

const at = "2026-11-27T12:00:00Z";
const all: readonly Call[] = [
  ...(["add user", "assign seat", "issue token", "renew token"] as const),
  ...(["revoke token", "remove seat", "remove user"] as const),
];
const creations: readonly Call[] = ["add user", "assign seat", "issue token"];

function answer(code: ApiErrorCode, status: number | undefined, call: Call, cause?: unknown): ApiError {
  const method = call.startsWith("re") && call !== "renew token" ? "DELETE" : "POST";
  return new ApiError({ code, call, method, path: "/x", status, reason: "no", cause });
}

/** The outcome of an answer in one word; `+`: another moment may change it. */
function shown(code: ApiErrorCode, status: number | undefined, call: Call, cause?: unknown): string {
  const outcome = outcomeOf(call, answer(code, status, call, cause), at);
  return outcome.is === "refused" && !outcome.isForGood ? "refused+" : outcome.is;
}

describe("outcomeOf", () => {
  test.each([
    ["refused", 400, "refused"],
    ["refused", 403, "refused"],
    ["refused", 404, "refused"],
    ["refused", 422, "refused"],
    ["refused", 200, "refused"],
    ["unauthorized", 401, "refused"],
    ["unknown-route", 405, "refused"],
    ["blocked", undefined, "refused"],
    ["unsupported", undefined, "refused"],
    ["missing-credentials", undefined, "refused"],
    ["refused", 402, "refused+"],
    ["rate-limited", 429, "refused+"],
    ["unreachable", undefined, "refused+"],
    ["out-of-time", undefined, "refused+"],
    ["service-failed", 500, "lost"],
    ["service-failed", 503, "lost"],
    ["service-failed", 504, "late"],
    ["no-answer", undefined, "lost"],
    ["no-answer", 303, "lost"],
    ["bad-answer", 200, "lost"],
  ] as const)("classifies %s %s of each call as %s", (code, status, expected) => {
    expect(all.map((call) => shown(code, status, call))).toEqual(all.map(() => expected));
  });

  test("takes a timeout for an effect that may still come", () => {
    const timeout = { code: "TIMEOUT", message: "no response in 30 s" };
    expect(all.map((call) => shown("no-answer", undefined, call, timeout))).toEqual(all.map(() => "late"));
  });

  test("finds an existing object in the 409 of a creation alone", () => {
    expect(all.filter((call) => shown("refused", 409, call) === "conflict")).toEqual(creations);
  });

  test.each([
    ["service-failed", 500],
    ["service-failed", 504],
    ["no-answer", undefined],
    ["bad-answer", 200],
  ] as const)("says that a failed read (%s %s) has no effect", (code, status) => {
    const error = new ApiError({ code, call: "list users", method: "GET", path: "/x", status, reason: "no" });
    expect(outcomeOf("add user", error, at)).toEqual({ is: "refused", isForGood: false, at });
  });
});

describe("outcomeOfDelete", () => {
  test.each([
    ["deleted", { isProven: false, isFollowed: true }, "ok"],
    ["repeated", { isProven: false, isFollowed: true }, "ok"],
    // Without lists, only a later success of the same user proves it; the last call decides.
    ["gone", { isProven: false, isFollowed: true }, "unproven"],
    ["gone", { isProven: false, isFollowed: false }, "gone"],
    ["gone", { isProven: true, isFollowed: true }, "gone"],
    ["gone", { isProven: true, isFollowed: false }, "gone"],
  ] as const)("classifies %s with %o as %s", (given, removal, expected) => {
    expect(outcomeOfDelete(given, removal, at)).toEqual({ is: expected, at });
  });
});
