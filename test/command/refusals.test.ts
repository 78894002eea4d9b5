/** A service that refuses single writes: what was refused before anything was done is sent again in the same command. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCases } from "../setup/cases.ts";
import { directFixture } from "./fixture.ts";
import { crowd } from "./people.ts";

const PEOPLE = 40;
/**
 * Refusals before anything was done, and the calls that get them. A 429 names its time, so it is sent again; after the others the
 * next pass does it. A command sends no creation again whose answer says nothing about its effect, and a 409 to "assign seat" says
 * that the user has a seat.
 */
const refusals = [
  { calls: [5, 6, 7], status: 429, headers: { "retry-after": "1" } },
  { calls: [6, 7], status: 500 },
  { calls: [6, 7], status: 503 },
  { calls: [7], status: 409 },
] as const;

test("three writes: one up does everything, each person's status is done, and nobody is there twice", async () => {
  const suite = { name: "refused writes", level: "R", cases: 20, quick: 4 } as const;
  // Of one kind, and apart: two for one write of one person are another claim.
  const drawn = fc.constantFrom(...refusals).chain(({ calls, ...refusal }) => {
    const rule = (from: number) =>
      fc.record({
        match: fc.constantFrom(...calls).map((call) => ({ call })),
        after: fc.integer({ min: from, max: from + 8 }),
        fault: fc.constant({ kind: "refuse" as const, ...refusal }),
      });
    return fc.tuple(rule(0), rule(13), rule(26));
  });
  await checkCases(suite, drawn, async (rules) => {
    const fixture = await directFixture(PEOPLE);
    await fixture.sandbox.service.management.addFaults(...rules);
    const { status, applied } = await fixture.up(crowd(PEOPLE));
    expect(status).toBe("succeeded");
    expect(applied?.results.map((one) => one.status)).toEqual(crowd(PEOPLE).map(() => "succeeded"));
    const requests = await fixture.sandbox.requests();
    expect(requests.filter(({ fault }) => fault !== null).length).toBeGreaterThanOrEqual(2);
    const held = [...(await fixture.held()).values()];
    expect(held.filter(({ seat, tokens }) => seat && tokens.length === 1)).toHaveLength(PEOPLE);
    const done = requests.filter(({ fault, method }) => fault === null && method === "POST");
    expect([5, 7].map((call) => done.filter((one) => one.call === call).length)).toEqual([PEOPLE, PEOPLE]);
  });
});
