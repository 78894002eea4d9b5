import { describe, expect, test } from "vitest";
import { RemovalLimit } from "../../provider/removal-limit.ts";

type Limits = ConstructorParameters<typeof RemovalLimit>[0];

const people = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);

/** Counts the removal of a seat against the limits. */
function removalsWithin(limits: Partial<Limits>) {
  const limit = new RemovalLimit({ maxRemovals: 25, allowedRemovals: undefined, ...limits });
  return (organizationId: string, userId: string) =>
    limit.check({ type: "SeatAssignment", organizationId, userId }, `user ${userId}`);
}

describe("the removal limit", () => {
  test("allows exactly its number of people, however much each loses", () => {
    const remove = removalsWithin({ maxRemovals: 3 });
    for (const person of people(3)) for (let i = 0; i < 3; i++) remove("o1", person);
    expect(() => remove("o1", "u3")).toThrow(
      "removal limit reached: 3 people already lost access in this run (limit 3, orgseat:maxRemovals). The seat of user u3 was not removed. To allow more, run again with ORGSEAT_ALLOW_REMOVALS=o1:<number of people>",
    );
    expect(() => remove("o1", "u0"), "a person who lost something already").not.toThrow();
  });

  test("of 0 rejects the first removal", () => {
    const remove = removalsWithin({ maxRemovals: 0 });
    expect(() => remove("o1", "u0")).toThrow(/limit 0/);
  });

  test("counts the people of all organizations together", () => {
    const remove = removalsWithin({ maxRemovals: 2 });
    remove("o1", "u0");
    remove("o2", "u0");
    expect(() => remove("o3", "u0")).toThrow(/limit 2/);
  });

  test("is overridden for the named organization only, up to the named number", () => {
    const remove = removalsWithin({ maxRemovals: 1, allowedRemovals: { organizationId: "o1", people: 2 } });
    for (const person of people(2)) remove("o1", person);
    expect(() => remove("o1", "u2")).toThrow(/limit 2, ORGSEAT_ALLOW_REMOVALS/);
    remove("o2", "u0");
    expect(() => remove("o2", "u1")).toThrow(/limit 1, orgseat:maxRemovals/);
  });
});
