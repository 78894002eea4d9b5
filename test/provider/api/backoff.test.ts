import { describe, expect, test } from "vitest";
import type { OrganizationApi } from "../../../provider/api/calls/organization.ts";
import { platforms } from "../../../provider/api/calls/platform.ts";
import type { TimeLimit } from "../../../provider/util/instants.ts";
import { type Scripted, Service, TestClock } from "./service.ts";

type Call = (org: OrganizationApi, operation: TimeLimit) => Promise<unknown>;
const list: Call = (org, operation) => org.listServiceAccounts(operation);
const assign: Call = (org, operation) => org.assignSeat("u", operation);
const cases: readonly (readonly [status: number, method: string, Call])[] = [
  [429, "GET", list],
  [429, "POST", assign],
  [503, "GET", list],
  [503, "PATCH", (org, operation) => org.renewToken("u", operation)],
  [503, "DELETE", (org, operation) => org.removeSeat("u", operation)],
];

describe.each([
  ["basic", 100, 5_000],
  ["anaconda", 1_000, 30_000],
] as const)("the client in the platform %s", (name, shortest, longest) => {
  /** The waits of a call that fails 12 times before it succeeds. */
  async function waitsOf(answer: Scripted, call: Call): Promise<number[]> {
    const clock = new TestClock();
    await using service = await Service.start((_, count) => (count <= 12 ? answer : { body: { items: [] } }));
    const org = service.organization({ platform: platforms[name], clock });
    await call(org, { deadline: clock.monotonic() + 600_000 });
    expect(service.calls).toHaveLength(13);
    return clock.sleeps;
  }

  test.each(cases)(
    "a %i of a %s without Retry-After waits longer each time, with jitter (L19)",
    async (status, _, call) => {
      const waits = await waitsOf({ status }, call);
      expect(waits).toHaveLength(12);
      waits.forEach((ms, index) => {
        const most = Math.min(2 * shortest * 2 ** index, longest);
        expect(ms).toBeGreaterThanOrEqual(most / 2);
        expect(ms).toBeLessThanOrEqual(most);
      });
      expect(new Set(waits.slice(-4)).size, "no two callers come back together").toBe(4);
    },
  );

  test("other failures wait as they always did, whatever the platform", async () => {
    const waits = await waitsOf({ status: 502 }, list);
    waits.forEach((ms, index) => {
      expect(ms).toBeLessThanOrEqual(Math.min(200 * 2 ** index, 5_000));
    });
  });
});
