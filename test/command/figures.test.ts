/** What a plan shows that is not the whole truth: no figures where they would mean nothing, and no one named twice. */
import { expect, test, vi } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { previewToJson, resultToJson } from "../../command/cli/results-json.ts";
import type { StackOutcome } from "../../command/engine/engine.ts";
import { planToMarkdown } from "../../command/plan/texts/markdown.ts";
import type { Preview } from "../../command/preview/preview.ts";
import { broughtFixture, type Fixture } from "./fixture.ts";
import { crowd } from "./people.ts";

const OTHER = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";

/** Every preview of the stack fails, and those of others end well. */
function failPreview(
  { engine }: Fixture,
  failing: readonly string[],
  failure: StackOutcome["failure"],
  onFailure: () => void = () => undefined,
): void {
  const run = engine.run.bind(engine);
  vi.spyOn(engine, "run").mockImplementation(async (given) => {
    const outcome = await run(given);
    if (!failing.includes(given.stack)) return outcome;
    onFailure();
    return { ...outcome, failure };
  });
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
  const { fixture } = await broughtFixture(crowd(40));
  const preview = await fixture.preview(fixture.rosterOf(crowd(40), { organizationId: OTHER, seats: 10 }));
  expect(preview.violations.map(({ guard }) => guard)).toEqual(["wrong-organization"]);
  expectNoFigures(preview);
  expect(previewToText(preview)).toMatch(
    /^BLOCKED \(wrong-organization\): the roster is for organization 1b4e28ba/,
  );
  expect(planToMarkdown(preview)).toMatch(/^### orgseat: blocked\n/);
});

test("an emptied roster shows the violation alone, with how many people it is about", async () => {
  const { fixture } = await broughtFixture(crowd(40));
  const preview = await fixture.preview(fixture.rosterOf([], { rows: 40 }));
  expect(preview.violations.map(({ guard }) => guard)).toEqual(["empty-roster", "short-roster"]);
  expectNoFigures(preview);
  expect(previewToText(preview)).toMatch(/^BLOCKED \(empty-roster\): .* 40 people would lose access\./);
});

test.each([
  ["some stacks", ["people-02"]],
  ["all stacks", ["people-01", "people-02"]],
])("a preview that was stopped in %s shows no figures, of no stack", async (_, stopped) => {
  const { fixture } = await broughtFixture(crowd(6), { stacks: 2 });
  const stopping = new AbortController();
  failPreview(fixture, stopped, { code: "cancelled", text: "cancelled" }, () => stopping.abort());
  const { signal } = stopping;
  const result = await fixture.up(fixture.rosterOf(crowd(9), { stacks: 2 }), { signal });
  expect(result).toMatchObject({ status: "failed", cancelled: true, applied: undefined });
  expect(result.preview.plan.isComplete).toBe(false);
  expect(previewToText(result.preview)).toMatch(
    /^The preview did not finish, so there is no plan to show\.\n/,
  );
  expect(resultToJson(result).plan).toMatchObject({ complete: false, counts: null });
});

test("one of several stacks that cannot be previewed leaves the figures of the others, and available seats are unknown", async () => {
  const { fixture } = await broughtFixture(crowd(6), { stacks: 2 });
  failPreview(fixture, ["people-02"], { code: "pulumi-failed", text: "the passphrase is wrong" });
  const preview = await fixture.preview(fixture.rosterOf(crowd(12), { stacks: 2, seats: 50 }));
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
  const { fixture } = await broughtFixture([]);
  failPreview(fixture, ["people"], { code: "pulumi-failed", text: "the passphrase is wrong" });
  const text = previewToText(await fixture.preview(crowd(45)));
  expect(text).toMatch(
    /^cannot preview any stack\n\n[\s\S]*Skipped: p0@acme\.example, .*p19@acme\.example, and 25 more$/,
  );
});

test("a plan that guards stop names each person once, the violations first", async () => {
  const people = crowd(60);
  const { fixture } = await broughtFixture(people);
  const emails = people.slice(0, 40).map(({ email = "" }) => email);
  const preview = await fixture.preview(
    people.map((one, index) => ({ ...one, protected: index < 2, token: index >= 40 })),
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
