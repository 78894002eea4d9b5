import { describe, expect, test } from "vitest";
import { RemovalBreaker } from "../../provider/breaker.ts";

const people = (count: number) => Array.from({ length: count }, (_, index) => `u${index}`);

describe("the removal breaker", () => {
  test("lets exactly its number of people lose something, however much each loses", () => {
    const breaker = new RemovalBreaker({ maxRemovals: 3, allowedRemovals: undefined });
    for (const person of people(3)) for (let i = 0; i < 3; i++) breaker.admit("o1", person);
    expect(() => breaker.admit("o1", "u3")).toThrow(
      /3 people have lost .* the limit is 3 \(orgseat:maxRemovals\)/,
    );
    expect(() => breaker.admit("o1", "u0"), "who has lost something already").not.toThrow();
  });

  test("of none refuses the first, and without a limit refuses nobody", () => {
    const none = new RemovalBreaker({ maxRemovals: 0, allowedRemovals: undefined });
    expect(() => none.admit("o1", "u0")).toThrow(/the limit is 0/);
    const open = new RemovalBreaker({ maxRemovals: undefined, allowedRemovals: undefined });
    for (const person of people(1_000)) open.admit("o1", person);
  });

  test("counts the people of all organizations together", () => {
    const breaker = new RemovalBreaker({ maxRemovals: 2, allowedRemovals: undefined });
    breaker.admit("o1", "u0");
    breaker.admit("o2", "u0");
    expect(() => breaker.admit("o3", "u0")).toThrow(/the limit is 2/);
  });

  test("is overridden for the named organization only, up to the named number", () => {
    const breaker = new RemovalBreaker({
      maxRemovals: 1,
      allowedRemovals: { organizationId: "o1", people: 2 },
    });
    for (const person of people(2)) breaker.admit("o1", person);
    expect(() => breaker.admit("o1", "u2")).toThrow(/the limit is 2 \(ORGSEAT_ALLOW_REMOVALS\)/);
    breaker.admit("o2", "u0");
    expect(() => breaker.admit("o2", "u1")).toThrow(/the limit is 1 \(orgseat:maxRemovals\)/);
  });
});
