/** One address that is the key of one person and the email of another, now or before. */
import { rmSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resultToText } from "../../command/cli/results.ts";
import { codeOfRun, resultToJson } from "../../command/cli/results-json.ts";
import { previewOf } from "../../command/preview/preview.ts";
import { addOffboarded } from "../../command/roster/offboarded.ts";
import { parseRoster } from "../../command/roster/read.ts";
import { sharedNamesIn } from "../../command/roster/roster.ts";
import { newRoster } from "../../command/roster/write.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { tokenOf } from "../../command/verbs/token-values.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { checkCases } from "../setup/cases.ts";
import { broughtFixture, directFixture, type Fixture } from "./fixture.ts";
import { type Draw, managed, type NewPerson, person } from "./people.ts";

const emailOf = (name: string): string => `${name}@acme.example`;
const [ada, bob, owner] = [person("ada"), person("bob"), person("owner")];

async function emailsOf(fixture: Fixture): Promise<string[]> {
  return (await fixture.users()).flatMap(({ email }) => email ?? []).toSorted();
}

describe("an address that is one person's key and another's email", () => {
  const people = [
    person(emailOf("ada"), { email: emailOf("ada.lovelace") }),
    person("ada2", { email: emailOf("ada") }),
    owner,
  ];

  test("causes a warning of `validate`", () => {
    const text = newRoster({ organizationId: "7f3a8e52-0000-4000-8000-000000000001", people }, "csv");
    const roster = parseRoster(text, "people.csv");
    expect(sharedNamesIn(roster.people)).toEqual([
      `people.csv, line 4: ${emailOf("ada")} is also the key of ${emailOf("ada.lovelace")} (people.csv, line 3). A command that takes a name refuses this one: pass ada2 or ${emailOf("ada.lovelace")}`,
    ]);
    expect(sharedNamesIn(roster.people.filter(({ key }) => key !== "ada2"))).toEqual([]);
  });

  test("counts as ambiguous for every command that takes a name, and the names that one person alone has remove each", async () => {
    // The row that has the other one's email as its key is protected.
    const spread = people.map((one, index) => ({ ...one, protected: index === 0 }));
    const { fixture } = await broughtFixture(spread);
    const name = emailOf("ada");
    const text = `${name} is ambiguous: ${name} (${emailOf("ada.lovelace")}), ada2 (${name}). Use ${emailOf("ada.lovelace")} or ada2`;
    const organization = await fixture.open();
    await expect(tokenOf(organization, name)).rejects.toThrow(text);
    await expect(rotateTokens(organization, [name], {})).rejects.toThrow(text);
    await expect(offboardPeople(organization, [name], {})).rejects.toThrow(text);
    expect(await fixture.sandbox.requests()).toEqual([]);

    expect((await offboardPeople(await fixture.open(), ["ada2"], {})).status).toBe("succeeded");
    expect(await emailsOf(fixture)).toEqual([emailOf("ada.lovelace"), emailOf("owner")]);
  });
});

test("a key that is the purpose of another machine user is ambiguous, also without that one's row", async () => {
  const builds = managed("builds", "Linux builds");
  const { fixture } = await broughtFixture([builds, managed("other", "builds"), ada]);
  const organization = await fixture.open(fixture.rosterOf([builds, ada]));
  await expect(offboardPeople(organization, ["builds"], {})).rejects.toThrow(
    `builds is ambiguous: builds (Linux builds), other (builds). Use Linux builds or other`,
  );
  expect(await fixture.sandbox.requests()).toEqual([]);
});

describe("an entry of the offboarded list", () => {
  test("removes no one who has its email or key under another user id", async () => {
    const { fixture, idOf } = await broughtFixture([ada, bob, owner]);
    const { status } = await offboardPeople(await fixture.open(), ["ada"], {});
    expect(status).toBe("succeeded");
    // As a fresh checkout has it: the entry is still there, and Bob has the address now.
    const renamed = { ...bob, email: emailOf("ada") };
    const organization = await fixture.open([renamed, owner]);
    expect(organization.offboarded).toMatchObject([{ key: "ada", userId: idOf("ada") }]);
    const renaming = await upAll(organization, {});
    expect(renaming.preview.plan.members.map(({ actions }) => actions)).toContainEqual(
      expect.arrayContaining(["changeEmail"]),
    );
    expect(renaming.preview.leftOut).toEqual([]);
    expect(await emailsOf(fixture)).toEqual([emailOf("ada"), emailOf("owner")]);
    // The key comes back with another user too.
    await fixture.up([{ ...ada, email: emailOf("ada.new") }, renamed, owner]);
    await addOffboarded(organization.offboardedFile, organization.offboarded);
    expect((await fixture.preview()).plan.hasChanges).toBe(false);
  });

  test("keeps out the row of a person whom the state does not have, by key or email", async () => {
    const { fixture } = await broughtFixture([ada, bob, owner]);
    await offboardPeople(await fixture.open(), ["ada"], {});
    for (const row of [ada, { ...ada, key: "ada2" }, { ...ada, email: emailOf("ada3") }]) {
      const preview = await fixture.preview([row, bob, owner]);
      expect({ changes: preview.plan.hasChanges, leftOut: preview.leftOut }).toEqual({
        changes: false,
        leftOut: [row.email],
      });
    }
  });

  test("fails the `up` that ignores the row of a person who comes back, and applies the rest, until the entry is deleted", async () => {
    const { fixture } = await broughtFixture([ada, bob, owner]);
    const organization = await fixture.open();
    expect((await offboardPeople(organization, ["ada"], {})).status).toBe("succeeded");
    const ignoring = await fixture.up([ada, bob, owner, person("eve")]);
    expect(resultToJson(ignoring)).toMatchObject({ status: "failed", leftOut: [ada.email] });
    expect(codeOfRun(ignoring)).toBe(1);
    expect(resultToText(ignoring)).toMatch(
      /1 succeeded, 0 failed[\s\S]*Ignored, because they are on the offboarded list: ada@acme\.example\. Delete/,
    );
    expect(await emailsOf(fixture)).toEqual(["bob", "eve", "owner"].map(emailOf));
    // Nothing to apply is no success either.
    expect(codeOfRun(await fixture.up())).toBe(1);
    rmSync(organization.offboardedFile);
    expect(codeOfRun(await fixture.up())).toBe(0);
    expect(await emailsOf(fixture)).toEqual(["ada", "bob", "eve", "owner"].map(emailOf));
  });

  test("removes the person of its user id whose row has another email by now", async () => {
    const { fixture, idOf } = await broughtFixture([ada, bob, owner]);
    const { offboardedFile } = await fixture.open();
    await addOffboarded(offboardedFile, [
      { key: "ada", email: emailOf("ada"), userId: idOf("ada"), leftAt: "2026-11-21T18:00:00Z" },
    ]);
    await fixture.up([{ ...ada, email: emailOf("ada.new") }, bob, owner]);
    expect(await emailsOf(fixture)).toEqual([emailOf("bob"), emailOf("owner")]);
  });
});

/** Each person leaves, keeps the email, or takes a free one or that of another person who does not keep it. */
function drawnMoves(draw: Draw, people: readonly NewPerson[], mark: string): NewPerson[] {
  const drawn = people.map((one, index) => ({
    one,
    change: index === 0 ? "keeps" : draw(() => fc.constantFrom("keeps", "leaves", "free", "taken", "taken")),
  }));
  const left = drawn.filter(({ change }) => change !== "keeps").map(({ one }) => one.email);
  const pool = draw(() => fc.shuffledSubarray(left, { minLength: left.length }));
  return drawn.flatMap(({ one, change }) => {
    if (change === "leaves") return [];
    if (change === "keeps") return [one];
    return [{ ...one, email: change === "free" ? `${mark}-${one.key}@acme.example` : pool.pop() }];
  });
}

/** Whether someone waits for an email that only becomes free after that. */
function hasCycle(before: readonly NewPerson[], after: readonly NewPerson[]): boolean {
  const next = new Map(
    after.map(({ key, email }) => [key, before.find((one) => one.email === email && one.key !== key)?.key]),
  );
  return after.some(({ key }) => {
    let one = next.get(key);
    for (let steps = 0; one !== undefined && steps < before.length; steps++) {
      if (one === key) return true;
      one = next.get(one);
    }
    return false;
  });
}

test("emails move between people in one run, unless they are exchanged", async () => {
  const fixture = await directFixture(1000);
  const seen = { ordered: 0, blocked: 0 };
  let count = 0;
  const suite = {
    name: "moved emails",
    level: "R",
    cases: 400,
    quick: 25,
    siblings: 2,
  } as const;
  await checkCases(suite, fc.gen(), async (draw) => {
    const mark = `s${count++}`;
    const people = Array.from({ length: draw(fc.integer, { min: 3, max: 7 }) }, (_, index) => {
      const seat = draw(fc.boolean);
      return person(`${mark}-${index}`, { seat, token: seat && draw(fc.boolean) });
    });
    await fixture.bring(fixture.rosterOf(people));
    const after = drawnMoves(draw, people, mark);
    const emails = after.map(({ email }) => email);
    const organization = await fixture.open(fixture.rosterOf(after));
    const { violations } = await previewOf(organization, {});
    const approve = violations.find(({ override }) => override !== undefined)?.override;
    const { status, preview, applied } = await upAll(organization, { approve });
    const requests = await fixture.sandbox.requests();
    const guards = preview.violations.map(({ guard }) => guard);
    if (hasCycle(people, after)) {
      seen.blocked += 1;
      expect(guards).toContain("address-in-use");
      expect(requests).toEqual([]);
      return;
    }
    seen.ordered += preview.plan.members.filter(({ steps }) => steps.after.length > 0).length;
    expect({ status, guards }, applied?.results.map(({ text }) => text).join("; ")).toEqual({
      status: "succeeded",
      guards: [],
    });
    const users = (await fixture.users()).flatMap(({ email }) => (email?.startsWith(mark) ? email : []));
    expect(users.toSorted()).toEqual(emails.toSorted());
    expect(requests.filter((one) => one.status === 409)).toEqual([]);
  });
  expect(seen.ordered).toBeGreaterThan(0);
});

test("an email of a member whom the plan retains is refused before the run", async () => {
  const { fixture } = await broughtFixture([ada, bob, owner], { onDelete: "retain" });
  const renamed = fixture.rosterOf([{ ...bob, email: emailOf("ada") }, owner], { onDelete: "retain" });
  const { status, preview } = await fixture.up(renamed);
  expect(status).toBe("blocked");
  expect(preview.violations).toMatchObject([
    { guard: "address-in-use", details: [expect.stringMatching(/^ada@acme.example: bob /)] },
  ]);
  expect(await fixture.done()).toEqual([]);
});
