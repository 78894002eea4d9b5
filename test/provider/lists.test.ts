import { describe, expect, test } from "vitest";
import { limiter, mapConcurrently } from "../../provider/util/lists.ts";

/** Work that ends when the test says so. */
function gates() {
  const started: number[] = [];
  const open = new Map<number, PromiseWithResolvers<string>>();
  const work = (item: number): Promise<string> => {
    const pending = Promise.withResolvers<string>();
    started.push(item);
    open.set(item, pending);
    return pending.promise;
  };
  return { started, open, work };
}

describe("mapConcurrently", () => {
  test("starts the next item when one ends, and keeps the order of the items", async () => {
    const { started, open, work } = gates();
    const results = mapConcurrently([1, 2, 3], 2, work);
    expect(started).toEqual([1, 2]);
    open.get(2)?.resolve("two");
    await expect.poll(() => started).toEqual([1, 2, 3]);
    open.get(3)?.resolve("three");
    open.get(1)?.resolve("one");
    expect(await results).toEqual(["one", "two", "three"]);
  });

  test("fails with the first error", async () => {
    const { open, work } = gates();
    const results = mapConcurrently([1, 2], 2, work);
    open.get(2)?.reject(new Error("two failed"));
    await expect(results).rejects.toThrow("two failed");
  });

  test("returns no results for no items", async () => {
    expect(await mapConcurrently([], 2, gates().work)).toEqual([]);
  });
});

describe("limiter", () => {
  test("starts waiting work in its order when earlier work ends, also if that fails", async () => {
    const { started, open, work } = gates();
    const slot = limiter(2);
    const results = Promise.allSettled([1, 2, 3, 4].map((item) => slot(() => work(item))));
    expect(started).toEqual([1, 2]);
    open.get(2)?.reject(new Error("two failed"));
    await expect.poll(() => started).toEqual([1, 2, 3]);
    open.get(1)?.resolve("one");
    await expect.poll(() => started).toEqual([1, 2, 3, 4]);
    open.get(4)?.resolve("four");
    open.get(3)?.resolve("three");
    expect((await results).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    const later = slot(() => work(5));
    expect(started).toContain(5);
    open.get(5)?.resolve("five");
    expect(await later).toBe("five");
  });
});
