/** One address that is the key of one person and the email of another, now or before. */
import { describe, expect, test } from "vitest";
import { previewAll } from "../../../sdk/automation/preview/preview.ts";
import { addOffboarded } from "../../../sdk/automation/roster/offboarded.ts";
import { parseRoster } from "../../../sdk/automation/roster/read.ts";
import { sharedNamesIn } from "../../../sdk/automation/roster/roster.ts";
import { newRoster } from "../../../sdk/automation/roster/write.ts";
import { offboardPeople } from "../../../sdk/automation/verbs/offboard.ts";
import { tokenOf } from "../../../sdk/automation/verbs/token-values.ts";
import { rotateTokens } from "../../../sdk/automation/verbs/tokens.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { directFixture } from "./fixture.ts";
import { type NewPerson, person } from "./people.ts";
import { ORGANIZATION } from "./plan/steps.ts";

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
