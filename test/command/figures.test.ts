/** What a plan shows that is not the whole truth: no figures where they would mean nothing, and no one named twice. */
import { expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { previewToJson, previewToMarkdown } from "../../command/cli/results-json.ts";
import type { Preview } from "../../command/preview/preview.ts";
import { broughtFixture } from "./fixture.ts";
import { crowd } from "./people.ts";

const OTHER = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";

function expectNoFigures(preview: Preview): void {
  const [text, markdown] = [previewToText(preview), previewToMarkdown(preview)];
  for (const page of [text, markdown]) {
    expect(page).not.toMatch(/to add|to remove|seats|issue|revoke|approve|emails|Drift/);
    expect(page).not.toContain("@acme.example");
  }
  expect(previewToJson(preview)).toMatchObject({
    ...{ complete: false, hasChanges: false, counts: null, seats: null, people: [], settings: [] },
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
  expect(previewToMarkdown(preview)).toMatch(/^### orgseat: blocked\n/);
});

test("an emptied roster shows the violation alone, with how many people it is about", async () => {
  const { fixture } = await broughtFixture(crowd(40));
  const preview = await fixture.preview(fixture.rosterOf([], { rows: 40 }));
  expect(preview.violations.map(({ guard }) => guard)).toEqual(["empty-roster", "short-roster"]);
  expectNoFigures(preview);
  expect(previewToText(preview)).toMatch(/^BLOCKED \(empty-roster\): .* 40 people would lose access\./);
});

test("a plan that guards stop names each person once, the violations first", async () => {
  const people = crowd(60).map((one, index) => ({ ...one, protected: index < 2 }));
  const { fixture } = await broughtFixture(people);
  const emails = people.slice(0, 40).map(({ email = "" }) => email);
  const preview = await fixture.preview(people.map((one, index) => ({ ...one, token: index >= 40 })));
  expect(preview.violations.map(({ guard }) => guard)).toEqual(["protected-person", "removal-limit"]);
  for (const page of [previewToText(preview), previewToMarkdown(preview)]) {
    const named = [...page.matchAll(/p\d+@acme\.example/g)].map(([email]) => email);
    expect(named.toSorted()).toEqual(emails.toSorted());
    expect(page).toContain("p2@acme.example: revoke token");
    expect(page).toContain("and 18 more");
    expect(page.search(/BLOCKED \(removal-limit\)|Blocked \(removal-limit\)/)).toBeLessThan(
      page.indexOf("Cannot be undone"),
    );
  }
});
