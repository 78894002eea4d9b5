/** `orgseat up` and `rotate` against a service that refuses new tokens: over all stacks and passes, one person at most loses one. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { checkCases } from "../setup/cases.ts";
import { broughtFixture, type Fixture } from "./fixture.ts";
import { crowd, type NewRoster } from "./people.ts";

interface Case {
  readonly platform: "basic" | "anaconda";
  readonly verb: "up" | "rotate";
  readonly stacks: number;
  readonly people: number;
  /** How many tokens the service issues before it refuses. */
  readonly issued: number;
  readonly status: number;
}

const caseArbitrary: fc.Arbitrary<Case> = fc.record({
  platform: fc.constantFrom("basic", "anaconda"),
  verb: fc.constantFrom("up", "rotate"),
  stacks: fc.integer({ min: 1, max: 3 }),
  people: fc.integer({ min: 2, max: 9 }),
  issued: fc.integer({ min: 0, max: 3 }),
  status: fc.constantFrom(401, 402, 403, 404, 500, 503),
});

const rotation = "2026-11-21T12:00:00Z";

/** Rotates everybody's token. @returns the results by key */
async function rotateAll(fixture: Fixture, roster: NewRoster, verb: Case["verb"]) {
  const people = roster.people.map((one) => ({ ...one, rotation }));
  const run = async (approve?: string) =>
    verb === "up"
      ? fixture.up({ ...roster, people }, { approve })
      : rotateTokens(await fixture.open(roster), "all", { approve });
  const first = await run();
  // Guards ask about many at once.
  const { status, applied } =
    first.status === "blocked" ? await run(first.preview.violations[0]?.override) : first;
  return { status, results: applied?.results ?? [] };
}

async function withToken(fixture: Fixture): Promise<number> {
  return [...(await fixture.held()).values()].filter(({ tokens }) => tokens.length > 0).length;
}

test("a run under a lasting refusal takes one token at most, one of each stack if the refusal begins in between, and none where tokens have ids", async () => {
  const suite = { name: "refused rotations", level: "R", cases: 200, quick: 8 } as const;
  await checkCases(suite, caseArbitrary, async ({ platform, verb, stacks, people, issued, status }) => {
    const all = crowd(people);
    const { fixture } = await broughtFixture(all, { stacks }, platform);
    const roster = fixture.rosterOf(all, { stacks });
    const { management } = fixture.sandbox.service;
    const fault = { kind: "refuse", status } as const;
    await management.addFaults({ match: { call: 7 }, times: "always", after: issued, fault });
    const { results, status: ended } = await rotateAll(fixture, roster, verb);
    const refused = Math.max(0, people - issued);
    const lost = people - (await withToken(fixture));
    expect(ended).toBe(refused > 0 ? "failed" : "succeeded");
    const counts = results.map((one) => one.status);
    expect(counts.filter((one) => one === "succeeded")).toHaveLength(people - refused);
    const failed = results.filter((one) => one.status === "failed");
    if (platform === "basic") {
      expect(new Set(failed.map(({ stack }) => stack)).size).toBe(failed.length);
      expect(failed.length).toBeGreaterThanOrEqual(Math.min(1, refused));
      if (issued === 0) expect(failed.length).toBeLessThanOrEqual(1);
      expect(lost).toBe(failed.length);
    } else expect(lost).toBe(0);

    await management.clearFaults();
    expect((await rotateAll(fixture, roster, "up")).status).toBe("succeeded");
    expect(await withToken(fixture)).toBe(people);
  });
});
