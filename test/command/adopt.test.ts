/** What `adopt` writes into the roster. */
import { describe, expect, test } from "vitest";
import { readRoster } from "../../command/roster/read.ts";
import { adoptAll, adoptPeople } from "../../command/verbs/adopt.ts";
import { broughtFixture, directFixture } from "./fixture.ts";
import { managed, person } from "./people.ts";

const ada = person("ada", { token: false });

test("adopt with nobody left to take over writes what a removal shall mean all the same, and asks nobody", async () => {
  const { fixture } = await broughtFixture([ada]);
  const organization = await fixture.open();
  const confirm = async () => expect.unreachable();
  const { status, applied } = await adoptPeople(organization, { onDelete: "delete", confirm });
  expect({ status, applied }).toEqual({ status: "succeeded", applied: undefined });
  expect(await readRoster(organization.file)).toMatchObject({ onDelete: "delete" });
  expect(await fixture.sandbox.requests()).toEqual([]);
});

describe("adopt --on-delete", () => {
  test.each([
    ["another value than the roster's", "delete", "retain", "says on_delete: delete"],
    ["another value than the roster's", "retain", "delete", "says on_delete: retain"],
    [
      "another value than the default of managed rows",
      undefined,
      "retain",
      "has no on_delete, which means delete",
    ],
  ] as const)("refuses %s, with the rows: %s -> %s", async (_, onDelete, given, says) => {
    const { fixture } = await broughtFixture([ada], { onDelete }, "anaconda");
    const bob = person("bob", { token: false });
    await fixture.makeMember(bob);
    const before = fixture.text();
    const adopting = adoptAll(await fixture.open(), { onDelete: given, onlyUnmanaged: true });
    await expect(adopting).rejects.toMatchObject({
      code: "invalid-flag",
      message: expect.stringMatching(
        RegExp(
          `^cannot write on_delete: ${given}: \\S+people\\.csv ${says}, and the change would concern 1 row: ada@acme\\.example \\(\\S+people\\.csv, line \\d+\\)\\. No changes were made\\. (Omit --on-delete|Pass --on-delete delete);`,
        ),
      ),
    });
    expect(fixture.text()).toBe(before);
  });

  test("keeps the value of the roster, and its other settings, without the flag", async () => {
    const { fixture } = await broughtFixture([ada], { onDelete: "delete" }, "anaconda");
    await fixture.makeMember(person("bob", { token: false }));
    const headerOf = (text: string) => text.split("\n").filter((line) => line.startsWith("#"));
    const before = headerOf(fixture.text());
    for (const onDelete of [undefined, "delete"] as const)
      expect((await adoptAll(await fixture.open(), { onDelete, onlyUnmanaged: true })).status).toBe(
        "succeeded",
      );
    expect(fixture.text()).toContain("bob@acme.example");
    expect(headerOf(fixture.text())).toEqual(before);
  });
});

test("adopt that is declined writes nothing", async () => {
  const fixture = await directFixture(10);
  const userId = await fixture.makeMember(ada);
  await fixture.sandbox.requests();
  const organization = await fixture.open([{ ...ada, userId }]);
  const confirm = async () => false;
  expect(await adoptPeople(organization, { onDelete: "retain", confirm })).toMatchObject({
    status: "declined",
  });
  expect((await readRoster(organization.file)).onDelete).toBeUndefined();
});

test("adopt takes the user ids of a file for rows that have none, and makes no machine user again", async () => {
  const fixture = await directFixture(10);
  const builds = { ...managed("builds", "Builds"), token: false };
  const ids = [await fixture.makeMember(ada), await fixture.makeMember(builds)];
  await fixture.sandbox.requests();
  const organization = await fixture.open([ada, builds]);
  const people = [ada, builds].map((one, index) => ({ ...one, userId: ids[index], place: "members.csv" }));
  expect(await adoptPeople(organization, { people, onDelete: "retain" })).toMatchObject({
    status: "succeeded",
  });
  const { people: rows } = await readRoster(organization.file);
  expect(rows.map(({ userId }) => userId)).toEqual(ids);
  expect((await fixture.up()).status).toBe("succeeded");
  expect((await fixture.done()).filter(({ call }) => call === 5)).toEqual([]);
});

test("adopt leaves the tokens of rows that get user ids from a file, and says so", async () => {
  const fixture = await directFixture(10);
  const wanting = { ...ada, token: true };
  const userId = await fixture.makeMember(wanting);
  await fixture.sandbox.requests();
  const organization = await fixture.open([wanting]);
  const people = [{ ...wanting, userId, place: "members.csv" }];
  expect(await adoptPeople(organization, { people, onDelete: "retain" })).toMatchObject({
    status: "succeeded",
    notes: [{ who: "ada@acme.example", text: expect.stringContaining("the row now has `token: no`") }],
  });
  expect((await fixture.up()).applied).toBeUndefined();
  expect(await fixture.done()).toEqual([]);
});

test("adopt without user ids is an error where the service has no list", async () => {
  const fixture = await directFixture(10);
  const organization = await fixture.open([ada]);
  await expect(adoptAll(organization, { onDelete: "delete" })).rejects.toThrow(
    /Copy the user ids from the service/,
  );
  expect(await readRoster(organization.file)).toMatchObject({ onDelete: undefined });
});
