// @module-tag ci
/** `orgseat up` and `rotate` against a service that refuses new tokens: over all passes, one person at most loses one. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import type { UpResult } from "../../command/verbs/up.ts";
import { checkCases } from "../setup/cases.ts";
import { broughtFixture, directFixture, type Fixture } from "./fixture.ts";
import { crowd, type NewPerson, type NewRoster, person } from "./people.ts";

interface Case {
  readonly platform: "basic" | "anaconda";
  readonly verb: "up" | "rotate";
  readonly people: number;
  /** How many tokens the service issues before it refuses. */
  readonly issued: number;
  readonly status: number;
}

const caseArbitrary: fc.Arbitrary<Case> = fc.record({
  platform: fc.constantFrom("basic", "anaconda"),
  verb: fc.constantFrom("up", "rotate"),
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

test("a run under a lasting refusal takes one token at most, and none where tokens have ids", async () => {
  const suite = { name: "refused rotations", level: "R", cases: 200, quick: 8 } as const;
  await checkCases(suite, caseArbitrary, async ({ platform, verb, people, issued, status }) => {
    const all = crowd(people);
    const { fixture } = await broughtFixture(all, {}, platform);
    const roster = fixture.rosterOf(all);
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
      expect(failed).toHaveLength(Math.min(1, refused));
      expect(lost).toBe(failed.length);
    } else expect(lost).toBe(0);

    await management.clearFaults();
    expect((await rotateAll(fixture, roster, "up")).status).toBe("succeeded");
    expect(await withToken(fixture)).toBe(people);
  });
});

/** Makes everybody after so many fail. */
async function limit({ sandbox }: Fixture, call: number, after: number, status: number): Promise<void> {
  const fault = { kind: "refuse", status } as const;
  await sandbox.service.management.addFaults({ match: { call }, times: "always", after, fault });
}

const due = (people: readonly NewPerson[]) => people.map((one) => ({ ...one, rotation }));

/** The same with the override that the first try asks for. */
async function upApproved(fixture: Fixture, people: readonly NewPerson[]): Promise<UpResult> {
  const first = await fixture.up(people);
  if (first.status !== "blocked") return first;
  return fixture.up(people, { approve: first.preview.violations[0]?.override });
}

async function withoutToken(fixture: Fixture): Promise<string[]> {
  const held = [...(await fixture.held()).values()];
  return held.flatMap(({ who, tokens }) => (tokens.length === 0 ? [who] : []));
}

test("five of twelve people whom the service adds have seat and token after that run", async () => {
  const { fixture } = await broughtFixture([person("owner")]);
  await limit(fixture, 5, 5, 429);
  const { status } = await fixture.up([person("owner"), ...crowd(12)]);
  expect(status).toBe("failed");
  const held = [...(await fixture.held()).values()].filter(({ who }) => who.startsWith("p"));
  expect(held.map(({ seat, tokens }) => [seat, tokens.length])).toEqual(Array(5).fill([true, 1]));
});

test("one person of 40 due lacks a token after all passes of this and the next command, which begins with that one", async () => {
  const people = crowd(200);
  const fixture = await directFixture(people.length);
  await fixture.bring(people);
  const wanted = [...due(people.slice(0, 40)), ...people.slice(40)];
  await limit(fixture, 7, 3, 402);
  expect((await upApproved(fixture, wanted)).status).toBe("failed");
  const lacking = await withoutToken(fixture);
  expect(lacking).toHaveLength(1);
  const [id] = [...(await fixture.held())].flatMap(([userId, { tokens }]) =>
    tokens.length === 0 ? userId : [],
  );
  await fixture.sandbox.requests();

  expect((await upApproved(fixture, wanted)).status).toBe("failed");
  const writes = (await fixture.sandbox.requests()).filter(
    ({ method, call }) => method !== "GET" && call !== "token",
  );
  expect(writes[0]).toMatchObject({ call: 7, userId: id, status: 402 });
  expect(await withoutToken(fixture)).toEqual(lacking);

  await fixture.sandbox.service.management.clearFaults();
  expect((await upApproved(fixture, wanted)).status).toBe("succeeded");
  expect(await withoutToken(fixture)).toEqual([]);
});
