/** The settings, the clock and the offboarded list by which a preview finds whom it has to ask Pulumi about. */
import { describe, expect, test } from "vitest";
import { previewAll } from "../../command/preview/preview.ts";
import { addOffboarded } from "../../command/roster/offboarded.ts";
import { assess } from "../../command/stacks/assess.ts";
import { programOf } from "../../command/stacks/organization.ts";
import { stateOf } from "../../command/stacks/stack-state.ts";
import { upAll } from "../../command/verbs/up.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { directFixture } from "./fixture.ts";
import { expectSamePreview } from "./narrowed.ts";
import { askedAbout, everybody, open, person, WatchedEngine, watched } from "./watched-engine.ts";

const DAY_MS = 86_400_000;

/** Nothing of eve depends on a date. */
const people = [person("ada"), person("bob"), person("eve", { token: false })];
const withTokens = { people: ["ada", "bob"], isNarrow: true };

describe("a preview", () => {
  test("reads the settings of a stack from its configuration", async () => {
    const { fixture, engine } = await watched(people);
    engine.config.set("people", new Map([["orgseat:subscriptionExpiresAt", "2031-01-01T00:00:00Z"]]));
    await previewAll(await open(fixture, engine, people), {});
    expect(askedAbout(engine)).toEqual([withTokens]);
  });

  test("reads the settings of a stack from the environment", async () => {
    const { fixture, engine } = await watched(people);
    const environment = { ORGSEAT_REQUIRE_SEALED_TOKENS: "true" };
    await previewAll(await open(fixture, engine, people, { environment }), {});
    expect(askedAbout(engine)).toEqual([withTokens]);
  });

  test("reads the settings that another stack has in its configuration", async () => {
    const fixture = await directFixture(50);
    const engine = new WatchedEngine(fixture.environment);
    const { organizationId } = fixture;
    const roster = { organizationId, stacks: 2, people: "abcdefgh".split("").map((key) => person(key)) };
    const first = await fixture.open(roster, { engine });
    await upAll(first, {});
    engine.runs.length = 0;
    const [one = ""] = first.stacks;
    engine.config.set(one, new Map([["orgseat:requireSealedTokens", "required"]]));
    await previewAll(await fixture.open(roster, { engine }), {});
    expect(
      askedAbout(engine)
        .flatMap((asked) => asked.people)
        .toSorted(),
    ).toEqual(roster.people.map(({ key }) => key));
  });

  test("judges dates at the time of the plan", async () => {
    const rows = [person("ada", { rotateEvery: "7d" }), ...everybody.slice(1)];
    const { fixture, engine } = await watched(rows);
    const now = () => Date.now() + 30 * DAY_MS;
    const planTime = formatInstant(now());
    await previewAll(await open(fixture, engine, rows, { now, planTime: formatInstant(Date.now()) }), {});
    expect(engine.runs).toEqual([]);
    await previewAll(await open(fixture, engine, rows, { planTime }), {});
    await previewAll(await open(fixture, engine, rows, { now }), {});
    const ada = { people: ["ada"], isNarrow: true };
    expect(askedAbout(engine)).toEqual([ada, ada]);
  });

  test("says of many changes what a preview of everybody says", async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `member-${index}`);
    const { fixture, engine } = await watched([...keys.map((key) => person(key)), ...everybody]);
    const changed = keys.map((key) => person(key, { rotation: "2" }));
    const organization = await open(fixture, engine, [...changed, ...everybody]);
    expect(await expectSamePreview(organization)).toEqual({ unchanged: 3, asked: 0 });
  });
});

describe("a run", () => {
  test("leaves people alone who were offboarded since its preview", async () => {
    const { fixture, engine } = await watched();
    const rows = [person("ada", { rotation: "2" }), ...everybody.slice(1), person("zoe")];
    const organization = await open(fixture, engine, rows);
    const leftAt = formatInstant(Date.now());
    const confirm = async () => {
      await addOffboarded(organization.offboardedFile, [
        { key: "zoe", leftAt },
        { key: "bob", leftAt },
      ]);
      return true;
    };
    await upAll(organization, { confirm });
    const ids = await fixture.userIds(organization);
    expect([...ids.keys()].toSorted()).toEqual(["ada", "bob", "eve"]);
  });

  test("gives the provider the user ids of the people about whom it does not ask", async () => {
    const { fixture, engine } = await watched();
    const rows = [person("ada", { rotation: "2" }), ...everybody.slice(1), person("zoe")];
    const organization = await open(fixture, engine, rows);
    const ids = await fixture.userIds(organization);
    await upAll(organization, {});
    const { organizationId } = fixture;
    const others = ["bob", "eve"].map((key) => ({ organizationId, userId: ids.get(key) }));
    expect(engine.otherUsers).toEqual([others]);
  });

  test("sends nothing for a change that another run has made since its preview", async () => {
    const { fixture, engine } = await watched();
    const rows = [person("ada", { rotation: "2" }), ...everybody.slice(1)];
    const organization = await open(fixture, engine, rows);
    const confirm = async () => {
      await upAll(organization, {});
      await fixture.done();
      return true;
    };
    await upAll(organization, { confirm });
    expect(await fixture.done()).toEqual([]);
  });
});

test("an assessment changes nothing that a later assessment or run depends on", async () => {
  const { fixture, engine } = await watched();
  const rows = [person("ada", { rotation: "2" }), ...everybody.slice(1)];
  const organization = await open(fixture, engine, rows);
  await fixture.sandbox.requests();
  const state = await stateOf(engine, "people");
  if (state === undefined) throw new Error("the stack has no state");
  const before = structuredClone(state);
  const program = programOf({
    ...organization,
    roster: { ...organization.roster, id: organization.rosterId },
  });
  const assessed = {
    ...{
      stack: "people",
      project: "orgseat",
      state,
      program,
      now: Date.now,
      config: new Map<string, string>(),
    },
    environment: fixture.environment,
  };
  const first = await assess(assessed);
  expect(first?.affected).toEqual(new Set(["ada"]));
  expect(await assess(assessed)).toEqual(first);
  expect(state).toEqual(before);
  expect(await fixture.sandbox.requests()).toEqual([]);
});
