/** The waits between retries come from the platform; retries.test.ts has the rule. */
import { describe, expect, test } from "vitest";
import { platforms } from "../../../provider/api/calls/platform.ts";
import { Service, TestClock } from "./service.ts";

describe.each([
  ["basic", 100, 5_000],
  ["anaconda", 1_000, 30_000],
] as const)("the client in the platform %s", (name, shortest, longest) => {
  test.each([
    ["waits longer after each 503 without Retry-After, with jitter (L19)", 503, 2 * shortest, longest],
    ["waits as in each platform after other failures", 502, 200, 5_000],
  ])("%s", async (_, status, first, last) => {
    const clock = new TestClock();
    await using service = await Service.start((__, count) =>
      count <= 12 ? { status } : { body: { items: [] } },
    );
    const org = service.organization({ platform: platforms[name], clock });
    await org.listServiceAccounts({ deadline: clock.monotonic() + 600_000 });
    expect(service.calls).toHaveLength(13);
    expect(clock.sleeps).toHaveLength(12);
    clock.sleeps.forEach((ms, index) => {
      const most = Math.min(first * 2 ** index, last);
      expect(ms).toBeGreaterThanOrEqual(most / 2);
      expect(ms).toBeLessThanOrEqual(most);
    });
    expect(new Set(clock.sleeps.slice(-4)).size, "no two callers come back together").toBe(4);
  });
});
