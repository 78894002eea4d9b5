import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { RemovalLimit } from "../../provider/safety/removal-limit.ts";

type Limits = ConstructorParameters<typeof RemovalLimit>[0];

const people = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);

/** Counts the removals of seats against the limits, in a run that has seen some people. */
function removalsWithin(limits: Partial<Limits>, seen = 0, pause = (_ms: number) => Promise.resolve()) {
  const limit = new RemovalLimit({ maxRemovals: undefined, allowedRemovals: undefined, ...limits }, pause);
  const organizationId = "o1";
  for (let index = 0; index < seen; index++) limit.see({ organizationId, userId: `seen${index}` });
  const remove = (organization: string, userId: string) =>
    limit.check({ type: "SeatAssignment", organizationId: organization, userId }, `user ${userId}`);
  return { limit, remove };
}

/** How many of these people lose something, one after the other. */
async function allowed(remove: (userId: string) => Promise<void>, of: readonly string[]): Promise<number> {
  let count = 0;
  for (const person of of)
    count += await remove(person)
      .then(() => 1)
      .catch(() => 0);
  return count;
}

/** How many lose something if all removals arrive at the same time. */
async function allowedAtOnce(remove: (userId: string) => Promise<void>, of: readonly string[]) {
  const results = await Promise.allSettled(of.map(remove));
  return results.filter(({ status }) => status === "fulfilled").length;
}

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

describe("RemovalLimit", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("allows exactly the configured number of people, however much each loses", async () => {
    const { remove } = removalsWithin({ maxRemovals: 3 }, 1000);
    for (const person of people(3)) for (let i = 0; i < 3; i++) await remove("o1", person);
    await expect(remove("o1", "u3")).rejects.toThrow(
      "removal limit reached: 3 people already lost access in this run (limit 3, orgseat:maxRemovals). The seat of user u3 was not removed. At least 1 more person would lose access. To allow more, run again with ORGSEAT_ALLOW_REMOVALS=o1:<number of people>",
    );
    await remove("o1", "u0");
  });

  test("rejects the first removal where maxRemovals is 0", async () => {
    await expect(removalsWithin({ maxRemovals: 0 }).remove("o1", "u0")).rejects.toThrow(/limit 0/);
  });

  test("counts the people of all organizations together", async () => {
    const { remove } = removalsWithin({ maxRemovals: 2 });
    await remove("o1", "u0");
    await remove("o2", "u0");
    await expect(remove("o3", "u0")).rejects.toThrow(/limit 2/);
  });

  test("takes an override for the named organization only, up to the named number", async () => {
    const override = { organizationId: "o1", people: 5 };
    const { remove } = removalsWithin({ maxRemovals: 1, allowedRemovals: override });
    for (const person of people(5)) await remove("o1", person);
    await expect(remove("o1", "u5")).rejects.toThrow(/limit 5, ORGSEAT_ALLOW_REMOVALS/);
    await remove("o2", "u0");
    await expect(remove("o2", "u1")).rejects.toThrow(/limit 1, orgseat:maxRemovals/);
  });

  test.each([
    [0, 3],
    [10, 3],
    [19, 3],
    [20, 4],
    [100, 20],
    [125, 25],
    [5000, 25],
  ])("allows a run that has seen %i people %i", async (seen, expected) => {
    const { remove } = removalsWithin({}, seen);
    expect(await allowed((userId) => remove("o1", userId), people(40))).toBe(expected);
  });

  test.each([
    [0, 3, 3],
    [0, 4, 0],
    [100, 20, 20],
    [100, 21, 0],
  ])(
    "allows all or none of those that arrive first: of %i people seen, %i at once: %i",
    async (seen, at, expected) => {
      const { remove } = removalsWithin({}, seen);
      expect(await allowedAtOnce((userId) => remove("o1", userId), people(at))).toBe(expected);
      // What else a person loses, and later people.
      expect(await allowed((userId) => remove("o1", userId), people(at))).toBe(expected);
      expect(await allowed((userId) => remove("o1", userId), ["later"])).toBe(at < 3 ? 1 : 0);
    },
  );

  test.each([
    ["declares no one", 700, 0],
    ["declares no one", 1300, 3],
    ["declares someone", 200, 0],
    ["declares someone", 300, 3],
  ] as const)(
    "waits for the next removal: a program that %s, four people who arrive %i ms apart: %i",
    async (program, apartMs, expected) => {
      const { limit, remove } = removalsWithin({}, 0, sleep);
      if (program === "declares someone") limit.see({ organizationId: "o1", userId: "declared" }, true);
      const removals = people(4).map(async (userId, index) => {
        await sleep(index * apartMs);
        return remove("o1", userId);
      });
      const results = Promise.allSettled(removals);
      await vi.runAllTimersAsync();
      expect((await results).filter(({ status }) => status === "fulfilled")).toHaveLength(expected);
    },
  );

  test.each([
    ["declares no one", 1000],
    ["declares someone", 250],
  ] as const)("delays the only removal of a program that %s by %i ms, once", async (program, delayMs) => {
    const { limit, remove } = removalsWithin({}, 0, sleep);
    if (program === "declares someone") limit.see({ organizationId: "o1", userId: "declared" }, true);
    for (const [userId, expected] of [
      ["u0", delayMs],
      ["u0", 0],
      ["u1", 0],
    ] as const) {
      const startedAt = Date.now();
      const removal = remove("o1", userId);
      await vi.runAllTimersAsync();
      await removal;
      expect(Date.now() - startedAt).toBe(expected);
    }
  });

  test("says what it counts, and how many people the removals that arrive at the same time concern", async () => {
    const limit = new RemovalLimit({ maxRemovals: undefined, allowedRemovals: undefined });
    const refused = await Promise.allSettled(
      people(20).map((userId) =>
        limit.check({ type: "UserToken", organizationId: "o1", userId }, `user ${userId}`),
      ),
    );
    expect(refused.find(({ status }) => status === "rejected")).toMatchObject({
      reason: {
        message:
          "removal limit reached: at least 20 people would lose access in this run (limit 3, 20% of the 0 people whom this run compared, added, or read; at least 3, at most 25). The token of user u0 was not revoked. None of these removals was sent. To allow more, run again with ORGSEAT_ALLOW_REMOVALS=o1:<number of people>",
      },
    });
    const later = limit.check({ type: "UserToken", organizationId: "o1", userId: "later" }, "user later");
    await expect(later).rejects.toThrow(
      /at least 21 people would lose access .* The token of user later was not revoked\. None of these removals was sent/,
    );
  });

  test("allows replacements of 25 people, before the run has compared all", async () => {
    const { limit, remove } = removalsWithin({});
    for (const userId of people(40)) limit.replace({ organizationId: "o1", userId });
    expect(await allowed((userId) => remove("o1", userId), people(40))).toBe(25);
    const others = removalsWithin({});
    for (const userId of people(10)) others.limit.replace({ organizationId: "o1", userId });
    expect(await allowed((userId) => others.remove("o1", userId), people(40))).toBe(13);
  });
});
