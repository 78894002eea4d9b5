/** Units that take before they give: which ones begin after which answers, and one at a time. */
import { describe, expect, test } from "vitest";
import { ApiError, type ApiErrorCode } from "../../provider/api/index.ts";
import { withNextStep } from "../../provider/resources/failures.ts";
import { afterUnit, ExchangeTurns, noAnswers } from "../../provider/safety/exchange-turns.ts";
import { CodedError } from "../../provider/util/error-codes.ts";
import { Cancellation } from "../../provider/util/instants.ts";

function refusal(code: ApiErrorCode, status?: number): ApiError {
  return new ApiError({ code, call: "issue token", method: "POST", path: "/x", status, reason: "no" });
}

/** After how many such answers nothing more begins; undefined: not after five. */
function endsAfter(failure: unknown, hasTaken: boolean): number | undefined {
  let verdict = noAnswers;
  for (let times = 1; times <= 5; times++) {
    verdict = afterUnit(verdict, failure, hasTaken);
    if (verdict.isStopped) return times;
  }
  return undefined;
}

describe("afterUnit", () => {
  test.each([
    ["success", undefined, true, undefined],
    ["402", refusal("refused", 402), true, 1],
    ["403", refusal("refused", 403), true, 1],
    ["401", refusal("unauthorized", 401), true, 1],
    ["429", refusal("rate-limited", 429), true, 1],
    ["500", refusal("service-failed", 500), true, 1],
    ["503", refusal("service-failed", 503), true, 1],
    ["silence", refusal("no-answer"), true, 1],
    ["an unreachable service", refusal("unreachable"), false, 1],
    ["a success with an error", refusal("refused", 200), true, 1],
    ["404 after the taking was answered", refusal("refused", 404), true, 1],
    ["404 of a user who may be gone", refusal("refused", 404), false, 3],
    ["400", refusal("refused", 400), true, 3],
    ["422", refusal("refused", 422), true, 3],
    ["409", refusal("refused", 409), true, 3],
    ["422 with a next step", withNextStep(refusal("refused", 422), "do this"), true, 3],
    ["lists that contradict", new CodedError("incomplete-list", "no"), true, 3],
    ["a blocked request", refusal("blocked"), false, undefined],
    ["the removal limit", new CodedError("removal-limit", "no"), false, undefined],
  ])("stops after %s", (_, failure, hasTaken, expected) => {
    expect(endsAfter(failure, hasTaken)).toBe(expected);
  });

  test("counts each refusal by itself, whatever succeeds between", () => {
    const answers = [422, undefined, 409, 422, undefined, 409].map((status) =>
      status === undefined ? undefined : refusal("refused", status),
    );
    const verdict = answers.reduce<typeof noAnswers>(
      (one, answer) => afterUnit(one, answer, true),
      noAnswers,
    );
    expect(verdict).toEqual({ isStopped: false, refusals: { 422: 2, 409: 2 } });
    expect(afterUnit(verdict, refusal("refused", 422), true).isStopped).toBe(true);
  });
});

describe("ExchangeTurns", () => {
  test("lets one unit of an organization run at a time, and those of others beside it", async () => {
    const turns = new ExchangeTurns(new Cancellation());
    const first = await turns.begin("a");
    const begun: string[] = [];
    const second = turns.begin("a").then((turn) => {
      begun.push("second");
      return turn;
    });
    (await turns.begin("b")).end(undefined, false);
    expect(begun).toEqual([]);
    first.end(refusal("refused", 422), true);
    (await second).end(undefined, false);
    expect(begun).toEqual(["second"]);
  });

  test("refuses those that wait once an answer concerns others, in that organization alone", async () => {
    const turns = new ExchangeTurns(new Cancellation());
    const first = await turns.begin("a");
    const waiting = [turns.begin("a"), turns.begin("a")].map((one) => one.catch(String));
    first.end(refusal("refused", 402), true);
    const stopped =
      "CodedError: not sent: the service refuses to give what this run takes before. Fix the cause of the first error, then run the command again";
    expect((await Promise.all(waiting)).map(String)).toEqual(
      [stopped, stopped].map((text) => text.replace("CodedError", "Error")),
    );
    await expect(turns.begin("b")).resolves.toBeDefined();
  });

  test("begins nothing once the run is cancelled, for those that wait too", async () => {
    const cancellation = new Cancellation();
    const turns = new ExchangeTurns(cancellation);
    const first = await turns.begin("a");
    const waiting = turns.begin("a");
    cancellation.cancel();
    await expect(waiting).rejects.toThrow("not sent: the run was cancelled");
    await expect(turns.begin("a")).rejects.toThrow("not sent: the run was cancelled");
    first.end(undefined, false);
  });
});
