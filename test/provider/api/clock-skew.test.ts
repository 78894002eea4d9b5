/** How far this machine's clock differs from the service's. */
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeSkew, isTooFar, skewIn } from "../../../provider/api/calls/clock-skew.ts";
import { credentials, Service, TestClock } from "./service.ts";

const NOW = Date.parse("2027-01-01T12:00:00Z");
const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const dateOf = (at: number) => new Date(at).toUTCString();

describe("the difference of the clocks (D56)", () => {
  test.each<[string, Record<string, string | string[]>, number | undefined]>([
    ["the same time", { date: dateOf(NOW) }, 0],
    ["a machine ahead", { date: dateOf(NOW - 100 * DAY) }, 100 * DAY],
    ["a machine behind", { date: dateOf(NOW + HOUR) }, -HOUR],
    ["a response from a cache", { date: dateOf(NOW - 2 * HOUR), age: "7200" }, 0],
    ["an unreadable age", { date: dateOf(NOW - HOUR), age: "old" }, HOUR],
    ["several headers", { date: [dateOf(NOW), "x"] }, 0],
    ["no header", {}, undefined],
    ["an empty header", { date: "" }, undefined],
    ["a header that is no date", { date: "yesterday" }, undefined],
    ["a number", { date: "1700000000" }, undefined],
    ["a date of another form", { date: "2027-01-01T12:00:00Z" }, undefined],
    ["a day that does not exist", { date: "Xyz, 99 Foo 2027 12:00:00 GMT" }, undefined],
  ])("follows the headers: %s", (_, headers, expected) => {
    expect(skewIn(headers, NOW)).toBe(expected);
  });

  test("equals what the clocks differ by, in whole seconds, for each pair of times and each age", () => {
    const instant = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * SECOND);
    const age = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(instant, instant, age, (service, machine, seconds) => {
        const headers = { date: dateOf(service), age: String(seconds) };
        return skewIn(headers, machine) === machine - service - seconds * SECOND;
      }),
    );
  });

  test.each([
    [undefined, false],
    [0, false],
    [10 * MINUTE, false],
    [-10 * MINUTE, false],
    [10 * MINUTE + 1, true],
    [-10 * MINUTE - 1, true],
  ])("counts as too far or not: %s ms, %s", (skew, expected) => {
    expect(isTooFar(skew)).toBe(expected);
  });

  test.each([
    [100 * DAY, "this machine's clock is 100 days ahead of the service's"],
    [-2 * HOUR, "this machine's clock is 2 hours behind the service's"],
    [-30 * HOUR, "this machine's clock is 30 hours behind the service's"],
    [11 * MINUTE, "this machine's clock is 11 minutes ahead of the service's"],
    [90 * SECOND, "this machine's clock is 90 seconds ahead of the service's"],
  ])("reads as people write it: %i ms", (skew, text) => {
    expect(describeSkew(skew)).toBe(text);
  });

  test("follows the first response of a client with a readable date", async () => {
    const clock = new TestClock();
    const dates = ["", "yesterday", dateOf(clock.now() - DAY), dateOf(clock.now())];
    const service = await Service.start(
      () => ({ status: 204 }),
      (_, count) => ({ status: 400, headers: { date: dates[count - 1] ?? "" }, body: {} }),
    );
    onTestFinished(() => service[Symbol.asyncDispose]());
    const client = service.client({ clock });
    const found = [];
    for (const _ of dates) {
      await client.authenticate(credentials, { deadline: clock.monotonic() + 1_000 }).catch(() => undefined);
      found.push(client.clockSkewMs());
    }
    expect(found).toEqual([undefined, undefined, DAY, DAY]);
  });
});
