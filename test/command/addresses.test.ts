/** One address that is the key of one person and the email of another, now or before. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressMovesIn } from "../../command/plan/addresses.ts";
import { violationsOf } from "../../command/plan/guards/guards.ts";
import { withOnDelete } from "../../command/plan/steps/rules.ts";
import { previewAll } from "../../command/preview/preview.ts";
import { addOffboarded } from "../../command/roster/offboarded.ts";
import { parseRoster } from "../../command/roster/read.ts";
import { sharedNamesIn } from "../../command/roster/roster.ts";
import { newRoster } from "../../command/roster/write.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { tokenOf } from "../../command/verbs/token-values.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { checkCases } from "../setup/cases.ts";
import { directFixture } from "./fixture.ts";
import { type Draw, type NewPerson, person } from "./people.ts";
import { guardContext, ORGANIZATION, plan } from "./plan/steps.ts";

const SEATS = 50;
const emailOf = (name: string): string => `${name}@acme.example`;

/** An organization of these people. */
async function organizationOf(people: readonly NewPerson[], stacks = 1) {
  const fixture = await directFixture(SEATS);
  const rosterOf = (some: readonly NewPerson[]) => ({
    ...{ organizationId: fixture.organizationId, stacks, people: some },
    subscriptionExpiresAt: fixture.sandbox.service.seed.subscriptionExpiresAt,
  });
  const ids = await fixture.bring(rosterOf(people));
  return {
    fixture,
    idOf: (key: string): string => ids.get(key) ?? "",
    open: (some: readonly NewPerson[] = people) => fixture.open(rosterOf(some)),
    emails: async (): Promise<string[]> =>
      (await fixture.users()).flatMap(({ email }) => email ?? []).toSorted(),
  };
}

describe("an address that is one person's key and another's email", () => {
  // In different stacks.
  const people = [
    person(emailOf("ada"), { email: emailOf("ada.lovelace") }),
    person("ada2", { email: emailOf("ada") }),
    person("owner"),
  ];

  test("causes a warning of `validate`", () => {
    const text = newRoster({ organizationId: ORGANIZATION, people }, "csv");
    const roster = parseRoster(text, "people.csv");
    expect(sharedNamesIn(roster.people)).toEqual([
      `people.csv, line 4: ${emailOf("ada")} is also the key of ${emailOf("ada.lovelace")} (people.csv, line 3). A command that takes a name refuses this one: pass ada2 or ${emailOf("ada.lovelace")}`,
    ]);
    expect(sharedNamesIn(roster.people.filter(({ key }) => key !== "ada2"))).toEqual([]);
  });

  test("counts as ambiguous for every command that takes a name, which changes nothing", async () => {
    const { fixture, open } = await organizationOf(people, 4);
    const name = emailOf("ada");
    const text = `${name} is ambiguous: ${name} (${emailOf("ada.lovelace")}), ada2 (${name}). Use ${emailOf("ada.lovelace")} or ada2`;
    const organization = await open();
    expect(new Set((await fixture.users()).map(({ userId }) => userId)).size).toBe(people.length);
    await fixture.sandbox.requests();
    await expect(tokenOf(organization, name)).rejects.toThrow(text);
    await expect(rotateTokens(organization, [name], {})).rejects.toThrow(text);
    await expect(offboardPeople(organization, [name], {})).rejects.toThrow(text);
    expect(await fixture.sandbox.requests()).toEqual([]);
  });

  test("leaves each of the two removable by the names that only this person has", async () => {
    const { open, emails } = await organizationOf(people, 4);
    expect((await offboardPeople(await open(), ["ada2"], {})).status).toBe("succeeded");
    expect(await emails()).toEqual([emailOf("ada.lovelace"), emailOf("owner")]);
  });

  test("leaves the email's owner removable if the row that has it as its key is protected", async () => {
    const [first, second, owner] = people as [NewPerson, NewPerson, NewPerson];
    const { open, emails } = await organizationOf([first, second, owner]);
    const organization = await open([{ ...first, protected: true }, second, owner]);
    expect((await offboardPeople(organization, ["ada2"], {})).status).toBe("succeeded");
    expect(await emails()).toEqual([emailOf("ada.lovelace"), emailOf("owner")]);
  });
});

describe("an entry of the offboarded list", () => {
  const [ada, bob, owner] = [person("ada"), person("bob"), person("owner")];

  test("removes no one who has its email or key under another user id", async () => {
    const { open, idOf, emails } = await organizationOf([ada, bob, owner]);
    const { status } = await offboardPeople(await open(), ["ada"], {});
    expect(status).toBe("succeeded");
    // As a fresh checkout has it: the entry is still there, and Bob has the address now.
    const renamed = { ...bob, email: emailOf("ada") };
    const organization = await open([renamed, owner]);
    expect(organization.offboarded).toMatchObject([{ key: "ada", userId: idOf("ada") }]);
    const renaming = await upAll(organization, {});
    expect(renaming.preview.plan.members.map(({ actions }) => actions)).toContainEqual(
      expect.arrayContaining(["changeEmail"]),
    );
    expect(renaming.preview.leftOut).toEqual([]);
    expect(await emails()).toEqual([emailOf("ada"), emailOf("owner")]);
    // The key comes back with another user too.
    await upAll(await open([{ ...ada, email: emailOf("ada.new") }, renamed, owner]), {});
    await addOffboarded(organization.offboardedFile, organization.offboarded);
    const again = await previewAll(await open([{ ...ada, email: emailOf("ada.new") }, renamed, owner]), {});
    expect(again.plan.hasChanges).toBe(false);
  });

  test("keeps out the row of a person whom no state has, by key or email", async () => {
    const { open } = await organizationOf([ada, bob, owner]);
    await offboardPeople(await open(), ["ada"], {});
    for (const row of [ada, { ...ada, key: "ada2" }, { ...ada, email: emailOf("ada3") }]) {
      const preview = await previewAll(await open([row, bob, owner]), {});
      expect({ changes: preview.plan.hasChanges, leftOut: preview.leftOut }).toEqual({
        changes: false,
        leftOut: [row.email],
      });
    }
  });

  test("removes the person of its user id whose row has another email by now", async () => {
    const { open, emails, idOf } = await organizationOf([ada, bob, owner]);
    const { offboardedFile } = await open();
    await addOffboarded(offboardedFile, [
      { key: "ada", email: emailOf("ada"), userId: idOf("ada"), leftAt: "2026-11-21T18:00:00Z" },
    ]);
    await upAll(await open([{ ...ada, email: emailOf("ada.new") }, bob, owner]), {});
    expect(await emails()).toEqual([emailOf("bob"), emailOf("owner")]);
  });
});

/** Each person leaves, keeps the email, or takes a free one or that of another person. */
function drawnMoves(draw: Draw, people: readonly NewPerson[], mark: string): NewPerson[] {
  const pool = draw(() =>
    fc.shuffledSubarray(
      people.map(({ email }) => email),
      { minLength: people.length },
    ),
  );
  return people.flatMap((one, index) => {
    const change =
      index === 0 ? "keeps" : draw(() => fc.constantFrom("keeps", "leaves", "free", "taken", "taken"));
    if (change === "leaves") return [];
    if (change === "keeps") return [one];
    return [{ ...one, email: change === "free" ? `${mark}-${one.key}@acme.example` : pool[index] }];
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

test.each([1, 3])(
  "emails move between people of %i stacks in one run, unless they are exchanged",
  async (stacks) => {
    const fixture = await directFixture(1000);
    const seen = { ordered: 0, blocked: 0 };
    let count = 0;
    const suite = {
      name: `moved emails (${stacks} stacks)`,
      level: "R",
      cases: 400,
      quick: 25,
      siblings: 2,
    } as const;
    await checkCases(suite, fc.gen(), async (draw) => {
      const mark = `s${stacks}-${count++}`;
      const people = Array.from({ length: draw(fc.integer, { min: 3, max: 7 }) }, (_, index) => {
        const seat = draw(fc.boolean);
        return person(`${mark}-${index}`, { seat, token: seat && draw(fc.boolean) });
      });
      const rosterOf = (some: readonly NewPerson[]) => ({
        ...{ organizationId: fixture.organizationId, stacks, people: some },
        subscriptionExpiresAt: fixture.sandbox.service.seed.subscriptionExpiresAt,
      });
      await fixture.bring(rosterOf(people));
      const after = drawnMoves(draw, people, mark);
      const emails = after.map(({ email }) => email);
      if (new Set(emails).size < emails.length) return;
      const organization = await fixture.open(rosterOf(after));
      const { violations } = await previewAll(organization, {});
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
      seen.ordered += addressMovesIn(preview.plan.steps).length;
      expect({ status, guards }, applied?.results.map(({ text }) => text).join("; ")).toEqual({
        status: "succeeded",
        guards: [],
      });
      const users = (await fixture.users()).flatMap(({ email }) => (email?.startsWith(mark) ? email : []));
      expect(users.toSorted()).toEqual(emails.toSorted());
      expect(requests.filter((one) => one.status === 409)).toEqual([]);
    });
    expect(seen.ordered).toBeGreaterThan(0);
  },
);

test("an email of a member whom the plan retains is refused before the run", async () => {
  const { fixture, open } = await organizationOf([person("ada"), person("bob"), person("owner")]);
  const organization = await open([person("bob", { email: emailOf("ada") }), person("owner")]);
  const { steps } = (await previewAll(organization, {})).plan;
  const retained = steps.map((step) => (step.action === "delete" ? withOnDelete(step, "retain") : step));
  const [found] = violationsOf(plan(retained, { organizationId: fixture.organizationId }), {
    ...guardContext,
    configuredOrganization: fixture.organizationId,
  });
  expect(found).toMatchObject({
    guard: "address-in-use",
    details: [expect.stringMatching(/^ada@acme.example: bob \(user \S+ of ada\)$/)],
  });
});
