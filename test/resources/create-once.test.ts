/** When a creation whose response was lost is looked for, and sent again. */
import { expect, test } from "vitest";
import { ApiError, type ApiErrorFields } from "../../provider/api/calls/errors.ts";
import { createOnce, RETRY_PAUSE_MS } from "../../provider/resources/create-once.ts";

/** What happens to a creation that fails so once, in order. @param isCancelled whether the run is */
async function played(fields: Partial<ApiErrorFields>, { deadline = 60_000, isCancelled = false } = {}) {
  const call = { call: "add user", method: "POST", path: "/users", reason: "busy" } as const;
  const happened: string[] = [];
  const context = {
    elapsed: () => 0,
    operation: { deadline },
    async pause(ms: number) {
      happened.push(`pause ${ms}`);
      return !isCancelled;
    },
  };
  const creation = {
    async send(attempt: number) {
      happened.push("send");
      if (attempt === 1) throw new ApiError({ ...call, code: "service-failed", ...fields });
    },
    async look() {
      happened.push("look");
      return undefined;
    },
    giveUp: (lost: ApiError) => lost,
  };
  await createOnce(creation, context).catch((error: unknown) => happened.push(String(error)));
  return happened;
}

const GIVEN_UP = "ApiError: cannot add user: busy (HTTP 503, POST /users)";

test("a lost creation is looked for after a pause, and sent again", async () => {
  expect(await played({})).toEqual(["send", `pause ${RETRY_PAUSE_MS}`, "look", "send"]);
});

test("the pause is as long as the service asks for", async () => {
  const busy = { status: 503, retryAfterMs: 5_000 };
  expect(await played(busy)).toEqual(["send", "pause 5000", "look", "send"]);
  expect(await played(busy, { deadline: 5_000 })).toEqual(["send", "look", GIVEN_UP]);
  expect(await played(busy, { isCancelled: true })).toEqual(["send", "pause 5000", "look", GIVEN_UP]);
});
