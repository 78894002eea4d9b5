/** One address that is the key of one person and the email of another, now or before. */
import { describe, expect, test } from "vitest";
import { parseRoster } from "../../../sdk/automation/roster/read.ts";
import { sharedNamesIn } from "../../../sdk/automation/roster/roster.ts";
import { newRoster } from "../../../sdk/automation/roster/write.ts";
import { offboardPeople } from "../../../sdk/automation/verbs/offboard.ts";
import { tokenOf } from "../../../sdk/automation/verbs/token-values.ts";
import { rotateTokens } from "../../../sdk/automation/verbs/tokens.ts";
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
