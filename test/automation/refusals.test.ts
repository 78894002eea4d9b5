// @module-tag ci
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { FaultRule, LoggedRequest } from "../../sandbox/service/index.ts";
import { seed } from "../setup/cases.ts";
import { onEachEngine } from "../setup/project.ts";
import { peopleRows, runningOrganization, testOrganization } from "./organization.ts";

const PEOPLE = 40;
const WRITES = PEOPLE * 3;
/** Refusals before anything was done. A 429 names its time, so it is sent again; after the others the next round does it. */
const refusals = [
  { status: 429, headers: { "retry-after": "1" } },
  { status: 500 },
  { status: 503 },
  { status: 409 },
] as const;

const resultSchema = z.object({
  status: z.string(),
  results: z.array(z.object({ who: z.string(), status: z.string() })),
});

onEachEngine("a service that refuses", (engine) => {
  test("every 50th write at random: one up does everything, each person's status is done, and nobody is there twice", async () => {
    const acme = await testOrganization(engine, { seats: PEOPLE });
    const { management } = acme.sandbox.service;
    await management.addFaults(...everyFiftieth());
    acme.write(peopleRows(PEOPLE));
    const { results, ...result } = await acme.json(resultSchema, "up", "--yes");
    console.log(`refused: seed ${seed}`);
    expect(result).toEqual({ code: 0, status: "succeeded" });
    expect(results.map(({ status }) => status)).toEqual(Array(PEOPLE).fill("succeeded"));
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

  test("a rotation whose new token is refused once: the same command issues it", async () => {
    const acme = await runningOrganization(engine, peopleRows(1));
    await acme.sandbox.service.management.addFaults({
      match: { call: 7 },
      fault: { kind: "refuse", status: 403 },
    });
    expect(await acme.orgseat("rotate", "p000@acme.example", "--yes")).toMatchObject({ code: 0 });
    expect(await acme.writes()).toEqual([9, 7, 7]);
  });

  test("too many requests a second: nothing is sent before its time, and one up does everything", async () => {
    const acme = await testOrganization(engine, { seats: 20 });
    await acme.sandbox.service.management.addFaults({
      match: { path: "/users" },
      fault: { kind: "throttle", perSecond: 15, retryAfterSeconds: 1 },
    });
    acme.write(peopleRows(20));
    const { results, ...result } = await acme.json(resultSchema, "up", "--yes");
    expect(result).toEqual({ code: 0, status: "succeeded" });
    expect(results.map(({ status }) => status)).toEqual(Array(20).fill("succeeded"));
    const requests = await acme.sandbox.requests();
    expect(requests.filter(({ status }) => status === 429).length).toBeGreaterThan(2);
    expect(sentTooEarly(requests, 1000)).toEqual([]);
    expect(Object.keys(await acme.members())).toHaveLength(20);
  });
});

/** One write of each fifty is refused, at a place that the seed chooses. */
function everyFiftieth(): FaultRule[] {
  const places = fc.sample(fc.tuple(fc.nat(49), fc.constantFrom(...refusals)), {
    seed,
    numRuns: Math.ceil(WRITES / 50),
  });
  return places.map(([place, refusal], index) => ({
    // To "assign seat", a 409 says that the user has a seat.
    ...(refusal.status === 409
      ? { match: { call: 7 }, after: place % PEOPLE }
      : { match: { method: "POST", path: "/users" }, after: index * 50 + place }),
    fault: { kind: "refuse", ...refusal },
  }));
}

/**
 * Requests that came after an answer of 429 and before the time that it named. Those that were under way when it came
 * are not meant: they were sent before.
 */
function sentTooEarly(requests: readonly LoggedRequest[], askedMs: number): string[] {
  return requests.flatMap(({ at, call, userId, status }, index) => {
    if (status !== 429) return [];
    const again = requests
      .slice(index + 1)
      .filter((later) => later.call === call && later.userId === userId && call !== 5)
      .filter((later) => Date.parse(later.at) - Date.parse(at) < askedMs);
    return again.map((later) => `call ${call} of ${userId}: ${at}, then ${later.at}`);
  });
}
