/** Which rotation mark is in force, and that a token is never rotated because a roster does not know of it yet. */
import { expect, test } from "vitest";
import { markInForce } from "../../command/members/rows.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import type { UpOptions } from "../../command/verbs/up.ts";
import { upAll } from "../../command/verbs/up.ts";
import { broughtFixture } from "./fixture.ts";
import { crowd, person } from "./people.ts";

const [EARLY, LATE] = ["2026-11-22T10:00:00Z", "2026-11-22T10:00:01Z"];

test.each<[string, string | undefined, string | undefined, string | undefined]>([
  ["nothing in both", undefined, undefined, undefined],
  ["a first instant", undefined, EARLY, EARLY],
  ["a first text", undefined, "leak", "leak"],
  ["the same instant in another form", EARLY, "2026-11-22T12:00:00+02:00", EARLY],
  ["a later instant, by a second", EARLY, LATE, LATE],
  ["an earlier instant", LATE, EARLY, LATE],
  ["a later date", EARLY, "2026-11-22", "2026-11-22"],
  ["an earlier date", EARLY, "2026-11-21", EARLY],
  ["another text", "leak", "leak 2", "leak 2"],
  ["an instant after a text", "leak", EARLY, EARLY],
  ["a text after an instant", EARLY, "leak", EARLY],
  ["no instant any more", EARLY, undefined, EARLY],
  ["no text any more", "leak", undefined, "leak"],
])("the mark in force: %s", (_, inState, inRoster, expected) => {
  expect(markInForce(inState, inRoster)).toBe(expected);
});

test("a rotate whose roster was not committed makes up rotate nothing, from the committed one or the new one; a later mark does", async () => {
  const committed = [person("ada"), person("bob", { rotation: "leak" })];
  const { fixture } = await broughtFixture(committed);
  const rotated = await rotateTokens(await fixture.open(), ["ada", "bob"], {});
  expect(rotated.status).toBe("succeeded");
  expect(await fixture.calls()).toEqual([9, 7, 9, 7]);

  const { status, preview } = await fixture.up(committed);
  expect({ status, waits: preview.plan.hasChanges }).toEqual({ status: "succeeded", waits: false });
  expect(preview.warnings.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /orgseat does not rotate the token of bob@acme\.example \(.*people\.csv, line 5\)\. If/,
    ),
  ]);
  const older = [person("ada", { rotation: "2020-01-01" }), person("bob")];
  expect((await fixture.up(older)).preview.plan.hasChanges).toBe(false);
  expect(await fixture.calls()).toEqual([]);

  const later = [person("ada", { rotation: "2999-01-01" }), person("bob")];
  expect((await fixture.up(later)).status).toBe("succeeded");
  expect(await fixture.calls()).toEqual([9, 7]);
});

test("a token that is replaced for another reason keeps its mark, so a mark that is committed late rotates nothing", async () => {
  const { fixture } = await broughtFixture([person("ada")]);
  await rotateTokens(await fixture.open(), ["ada"], {});
  const marked = fixture.text();
  const moved = [person("ada", { email: "lovelace@acme.example" })];
  expect((await fixture.up(moved)).status).toBe("succeeded");
  await fixture.done();
  const late = await fixture.open(marked.replaceAll("ada@acme.example", "lovelace@acme.example"));
  expect((await upAll(late, {})).preview.plan.hasChanges).toBe(false);
  expect(await fixture.calls()).toEqual([]);
});

test("rotate changes one line of a CSV roster of 41 people without the column, and gives the edit as a diff; declined, it does neither", async () => {
  const { fixture } = await broughtFixture(crowd(41));
  const before = fixture.text();
  const rotate = async (at: string, options: UpOptions = {}) => {
    const now = () => Date.parse(at);
    const { edit } = await rotateTokens(await fixture.open(undefined, { now }), ["p7"], options);
    return edit.split("\n").filter((one) => /^[+-](?![+-])/.test(one));
  };
  expect(await rotate("2027-05-01T08:00:00Z", { confirm: async () => false })).toEqual([]);
  expect(fixture.text()).toBe(before);
  const line = "# rotation of p7: 2027-05-01T08:00:00Z";
  expect(await rotate("2027-05-01T08:00:00Z")).toEqual([`+${line}`]);
  expect(fixture.text()).toBe(before.replace("\nkey,", `\n${line}\nkey,`));
  expect(await rotate("2027-06-01T08:00:00Z")).toEqual([
    `-${line}`,
    "+# rotation of p7: 2027-06-01T08:00:00Z",
  ]);
  expect(await fixture.calls()).toEqual([9, 7, 9, 7]);
});
