// @module-tag ci
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { seed } from "../setup/cases.ts";
import { peopleRows, testOrganization } from "./organization.ts";

const PEOPLE = 40;
const WRITES = PEOPLE * 3;
/**
 * Refusals before anything was done, and the calls that get them. A 429 names its time, so it is sent again; after the others the
 * next round does it. A command sends no creation again whose answer says nothing about its effect, and a 409 to "assign seat" says
 * that the user has a seat.
 */
const refusals = [
  { calls: [5, 6, 7], status: 429, headers: { "retry-after": "1" } },
  { calls: [6, 7], status: 500 },
  { calls: [6, 7], status: 503 },
  { calls: [7], status: 409 },
] as const;

const resultSchema = z.object({
  status: z.string(),
  results: z.array(z.object({ who: z.string(), status: z.string(), text: z.string().nullable() })),
});

describe("a service that refuses", () => {
  test("every 50th write at random: one up does everything, each person's status is done, and nobody is there twice", async () => {
    const acme = await testOrganization({ seats: PEOPLE });
    const { management } = acme.sandbox.service;
    await management.addFaults(...everyFiftieth());
    acme.write(peopleRows(PEOPLE));
    const { results, ...result } = await acme.json(resultSchema, "up", "--yes");
    console.log(`refused: seed ${seed}`);
    expect(results.filter(({ status }) => status !== "succeeded")).toEqual([]);
    expect(results).toHaveLength(PEOPLE);
    expect(result).toEqual({ code: 0, status: "succeeded" });
    const requests = await acme.sandbox.requests();
    const hit = requests.filter(({ fault }) => fault !== null);
    expect(hit.length).toBeGreaterThanOrEqual(Math.floor(WRITES / 50));
    const members = await acme.members();
    expect(Object.keys(members)).toHaveLength(PEOPLE);
    for (const member of Object.values(members))
      expect(member).toEqual({ seat: true, token: expect.any(String) });
    const done = requests.filter(({ fault, method }) => fault === null && method === "POST");
    expect(done.filter(({ call }) => call === 5)).toHaveLength(PEOPLE);
    expect(done.filter(({ call }) => call === 7)).toHaveLength(PEOPLE);
    acme.expectNoSecrets();
  });
});

/** One write of each fifty is refused, at a place that the seed chooses. */
function everyFiftieth(): FaultRule[] {
  const refused = fc.constantFrom(...refusals).chain(({ calls, ...refusal }) =>
    fc.record({
      match: fc.constantFrom(...calls).map((call) => ({ call })),
      after: fc.nat(PEOPLE - 1),
      fault: fc.constant({ kind: "refuse" as const, ...refusal }),
    }),
  );
  return fc.sample(refused, { seed, numRuns: Math.ceil(WRITES / 50) });
}
