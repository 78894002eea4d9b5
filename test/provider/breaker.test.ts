import { describe, expect, test } from "vitest";
import { RemovalLimit } from "../../provider/removal-limit.ts";

type Limits = ConstructorParameters<typeof RemovalLimit>[0];

const people = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);
const breakerOf = (limits: Partial<Limits>) =>
  new RemovalLimit({
    maxRemovals: 25,
    allowedRemovals: undefined,
    ...limits,
  });
const seat = (organizationId: string, userId: string) => ({ organizationId, userId });

describe("the removal breaker", () => {
  test("lets exactly its number of people lose something, however much each loses", () => {
    const breaker = breakerOf({ maxRemovals: 3 });
    for (const person of people(3)) for (let i = 0; i < 3; i++) breaker.check(seat("o1", person));
    expect(() => breaker.check(seat("o1", "u3"))).toThrow(
      /3 people have lost .* the limit is 3 \(orgseat:maxRemovals\)/,
    );
    expect(() => breaker.check(seat("o1", "u0")), "who has lost something already").not.toThrow();
  });

  test("of none refuses the first", () => {
    const none = breakerOf({ maxRemovals: 0 });
    expect(() => none.check(seat("o1", "u0"))).toThrow(/the limit is 0/);
  });

  test("counts the people of all organizations together", () => {
    const breaker = breakerOf({ maxRemovals: 2 });
    breaker.check(seat("o1", "u0"));
    breaker.check(seat("o2", "u0"));
    expect(() => breaker.check(seat("o3", "u0"))).toThrow(/the limit is 2/);
  });

  test("is overridden for the named organization only, up to the named number", () => {
    const breaker = breakerOf({ maxRemovals: 1, allowedRemovals: { organizationId: "o1", people: 2 } });
    for (const person of people(2)) breaker.check(seat("o1", person));
    expect(() => breaker.check(seat("o1", "u2"))).toThrow(/the limit is 2 \(ORGSEAT_ALLOW_REMOVALS\)/);
    breaker.check(seat("o2", "u0"));
    expect(() => breaker.check(seat("o2", "u1"))).toThrow(/the limit is 1 \(orgseat:maxRemovals\)/);
  });
});
