/** What a plan shows that is not the whole truth: no figures where they would mean nothing, and no one named twice. */
import { expect, test, vi } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { previewToJson, resultToJson } from "../../command/cli/results-json.ts";
import { outcomeWithout } from "../../command/engine/engine.ts";
import { planToMarkdown } from "../../command/plan/texts/markdown.ts";
import { type Preview, previewOf } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import type { NewPerson, NewRoster } from "./people.ts";

const OTHER = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";

function peopleOf(count: number, more: Partial<NewPerson> = {}): NewPerson[] {
  return Array.from({ length: count }, (_, index) => ({
    ...{ key: `p${index}`, email: `p${index}@acme.example`, seat: true, token: true, protected: false },
    ...more,
  }));
}

async function groundWith(people: NewPerson[], stacks = 1): Promise<{ fixture: Fixture; roster: NewRoster }> {
  const fixture = await directFixture(100);
  const roster = { organizationId: fixture.organizationId, stacks, people };
  await fixture.bring(roster);
  return { fixture, roster };
}

function expectNoFigures(preview: Preview): void {
  const [text, markdown] = [previewToText(preview), planToMarkdown(preview)];
  for (const page of [text, markdown]) {
    expect(page).not.toMatch(/to add|to remove|seats|issue|revoke|approve|emails|Drift/);
    expect(page).not.toContain("@acme.example");
  }
  expect(previewToJson(preview)).toMatchObject({
    ...{ complete: false, hasChanges: false, counts: null, seats: null, people: [], otherResources: [] },
  });
}

test("a roster about another organization shows the violation alone, in every form", async () => {
  const { fixture, roster } = await groundWith(peopleOf(40));
  const organization = await fixture.open({ ...roster, organizationId: OTHER, seats: 10 });
  const preview = await previewOf(organization, {});
  expect(preview.violations.map(({ guard }) => guard)).toEqual(["wrong-organization"]);
  expectNoFigures(preview);
  expect(previewToText(preview)).toMatch(
    /^BLOCKED \(wrong-organization\): the roster is for organization 1b4e28ba/,
  );
  expect(planToMarkdown(preview)).toMatch(/^### orgseat: blocked\n/);
});

test("an emptied roster shows the violation alone, with how many people it is about", async () => {
  const { fixture, roster } = await groundWith(peopleOf(40));
  const preview = await previewOf(await fixture.open({ ...roster, people: [], rows: 40 }), {});
  expect(preview.violations.map(({ guard }) => guard)).toEqual(["empty-roster", "short-roster"]);
  expectNoFigures(preview);
  expect(previewToText(preview)).toMatch(/^BLOCKED \(empty-roster\): .* 40 people would lose access\./);
});

test("a preview that was stopped shows no figures, of no stack", async () => {
  const { fixture, roster } = await groundWith(peopleOf(6), 2);
  const organization = await fixture.open({ ...roster, people: [...roster.people, ...peopleOf(9).slice(6)] });
  const stopping = new AbortController();
  const run = fixture.engine.run.bind(fixture.engine);
  vi.spyOn(fixture.engine, "run").mockImplementation(async (given, ...more) => {
    const outcome = await run(given, ...more);
    stopping.abort();
    const failure = { code: "cancelled", text: "cancelled" } as const;
    return given.stack === "people-02" ? { ...outcome, failure } : outcome;
  });
  const result = await upAll(organization, { signal: stopping.signal });
  expect(result).toMatchObject({ status: "failed", cancelled: true, applied: undefined });
  expect(result.preview.plan.isComplete).toBe(false);
  expect(previewToText(result.preview)).toMatch(
    /^The preview did not finish, so there is no plan to show\.\n/,
  );
  expect(resultToJson(result).plan).toMatchObject({ complete: false, counts: null });
});

test("one of several stacks that cannot be previewed leaves the figures of the others, and available seats are unknown", async () => {
  const { fixture, roster } = await groundWith(peopleOf(6), 2);
  const joining = { ...roster, seats: 50, people: peopleOf(12) };
  const organization = await fixture.open(joining);
  const run = fixture.engine.run.bind(fixture.engine);
  vi.spyOn(fixture.engine, "run").mockImplementation(async (given, ...more) => {
    const outcome = await run(given, ...more);
    const failure = { code: "pulumi-failed", text: "the passphrase is wrong" } as const;
    return given.stack === "people-02" ? { ...outcome, failure } : outcome;
  });
  const preview = await previewOf(organization, {});
  const text = previewToText(preview);
  expect(text).toMatch(/^\d+ to add, 0 to remove · seats \+\d+ \(available seats unknown\)/);
  expect(text).toMatch(
    /cannot preview stack people-02 \(\d+ people\); no changes are made there:\n {2}the passphrase/,
  );
  expect(previewToJson(preview)).toMatchObject({
    complete: true,
    seats: { purchased: null, availableAfter: null },
  });
});

test("a stack that cannot be previewed names 20 of its people, and counts the others", async () => {
  const { fixture, roster } = await groundWith([]);
  const organization = await fixture.open({ ...roster, people: peopleOf(45) });
  const failure = { code: "pulumi-failed", text: "the passphrase is wrong" } as const;
  vi.spyOn(fixture.engine, "run").mockImplementation(async ({ stack }) => outcomeWithout(stack, failure));
  const text = previewToText(await previewOf(organization, {}));
  expect(text).toMatch(
    /^cannot preview any stack\n\n[\s\S]*Skipped: p0@acme\.example, .*p19@acme\.example, and 25 more$/,
  );
});

test("a plan that guards stop names each person once, the violations first", async () => {
  const people = peopleOf(60).map((person, index) => (index < 2 ? { ...person, protected: true } : person));
  const { fixture, roster } = await groundWith(people.map((person) => ({ ...person, protected: false })));
  const emails = people.slice(0, 40).map(({ email = "" }) => email);
  const preview = await previewOf(
    await fixture.open({
      ...roster,
      people: people.map((one, index) => (index < 40 ? { ...one, token: false } : one)),
    }),
    {},
  );
  expect(preview.violations.map(({ guard }) => guard)).toEqual(["protected-person", "removal-limit"]);
  for (const page of [previewToText(preview), planToMarkdown(preview)]) {
    const named = [...page.matchAll(/p\d+@acme\.example/g)].map(([email]) => email);
    expect(named.toSorted()).toEqual(emails.toSorted());
    expect(page).toContain("p0@acme.example: revoke token");
    expect(page).toContain("and 18 more");
    expect(page.search(/BLOCKED \(removal-limit\)|Blocked \(removal-limit\)/)).toBeLessThan(
      page.indexOf("Cannot be undone"),
    );
  }
});
