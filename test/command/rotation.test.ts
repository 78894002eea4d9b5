/** Which rotation mark is in force, and that a token is never rotated because a roster does not know of it yet. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { markInForce } from "../../command/stacks/rotation.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { directFixture, type Fixture } from "./fixture.ts";
import { type NewPerson, type NewRoster, person } from "./people.ts";

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

async function groundWith(people: readonly NewPerson[]): Promise<{ fixture: Fixture; roster: NewRoster }> {
  const fixture = await directFixture(20);
  const roster = { organizationId: fixture.organizationId, people };
  await fixture.bring(roster);
  return { fixture, roster };
}

const calls = async (fixture: Fixture) => (await fixture.done()).map(({ call }) => call);

test("rotate of a person whose user another change replaces is no success", async () => {
  const { fixture, roster } = await groundWith([person("ada"), person("bob")]);
  const renamed = { ...roster, people: [person("ada", { email: "lovelace@acme.example" }), person("bob")] };
  await expect(rotateTokens(await fixture.open(renamed), ["ada"], {})).rejects.toThrow(
    "cannot rotate lovelace@acme.example: another change comes first",
  );
  expect(await calls(fixture)).toEqual([]);
  const { status, applied } = await rotateTokens(await fixture.open(renamed), ["ada", "bob"], {});
  expect(status).toBe("failed");
  expect(applied?.warnings.map(({ text }) => text).join()).toContain("cannot rotate lovelace@acme.example");
  expect(await calls(fixture)).toEqual([9, 7]);
});

test("a rotate whose roster was not committed makes up rotate nothing, from the committed one or the new one; a later mark does", async () => {
  const { fixture, roster } = await groundWith([person("ada"), person("bob", { rotation: "leak" })]);
  const rotated = await rotateTokens(await fixture.open(roster), ["ada", "bob"], {});
  expect(rotated.status).toBe("succeeded");
  expect(await calls(fixture)).toEqual([9, 7, 9, 7]);

  const committed = await upAll(await fixture.open(roster), {});
  expect({ status: committed.status, waits: committed.preview.plan.hasChanges }).toEqual({
    ...{ status: "succeeded", waits: false },
  });
  const warnings = committed.preview.diagnostics.filter(({ severity }) => severity === "warning");
  expect(warnings.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /orgseat does not rotate the token of bob@acme\.example \(.*people\.csv, line 5\)\. If/,
    ),
  ]);
  const older = { ...roster, people: [person("ada", { rotation: "2020-01-01" }), person("bob")] };
  expect((await upAll(await fixture.open(older), {})).preview.plan.hasChanges).toBe(false);
  expect(await calls(fixture)).toEqual([]);

  const later = { ...roster, people: [person("ada", { rotation: "2999-01-01" }), person("bob")] };
  expect((await upAll(await fixture.open(later), {})).status).toBe("succeeded");
  expect(await calls(fixture)).toEqual([9, 7]);
});

test("a token that is replaced for another reason keeps its mark, so a mark that is committed late rotates nothing", async () => {
  const { fixture, roster } = await groundWith([person("ada")]);
  const organization = await fixture.open(roster);
  await rotateTokens(organization, ["ada"], {});
  const marked = readFileSync(organization.file, "utf8");
  const moved = { ...roster, people: [person("ada", { email: "lovelace@acme.example" })] };
  expect((await upAll(await fixture.open(moved), {})).status).toBe("succeeded");
  await fixture.done();
  const late = await fixture.open(marked.replaceAll("ada@acme.example", "lovelace@acme.example"));
  expect((await upAll(late, {})).preview.plan.hasChanges).toBe(false);
  expect(await calls(fixture)).toEqual([]);
});

test("rotate changes one line of a CSV roster of 41 people without the column, and gives the edit as a diff", async () => {
  const people = Array.from({ length: 41 }, (_, index) => person(`p${index}`));
  const fixture = await directFixture(50);
  const roster = { organizationId: fixture.organizationId, people };
  await fixture.bring(roster);
  const organization = await fixture.open(roster, { now: () => Date.parse("2027-05-01T08:00:00Z") });
  const before = readFileSync(organization.file, "utf8");
  const { edit, status } = await rotateTokens(organization, ["p7"], {});
  expect(status).toBe("succeeded");
  const line = "# rotation of p7: 2027-05-01T08:00:00Z";
  expect(readFileSync(organization.file, "utf8")).toBe(before.replace("\nkey,", `\n${line}\nkey,`));
  expect(edit.split("\n").filter((one) => /^[+-](?![+-])/.test(one))).toEqual([`+${line}`]);
  const again = await fixture.open(readFileSync(organization.file, "utf8"), {
    now: () => Date.parse("2027-06-01T08:00:00Z"),
  });
  const second = await rotateTokens(again, ["p7"], {});
  expect(second.edit.split("\n").filter((one) => /^[+-](?![+-])/.test(one))).toEqual([
    `-${line}`,
    "+# rotation of p7: 2027-06-01T08:00:00Z",
  ]);
  expect(await calls(fixture)).toEqual([9, 7, 9, 7]);
});

test("rotate that is declined gives no edit, and leaves the roster as it is", async () => {
  const { fixture, roster } = await groundWith([person("ada")]);
  const organization = await fixture.open(roster);
  const before = readFileSync(organization.file, "utf8");
  const { edit } = await rotateTokens(organization, "all", { confirm: async () => false });
  expect(edit).toBe("");
  expect(readFileSync(organization.file, "utf8")).toBe(before);
});
