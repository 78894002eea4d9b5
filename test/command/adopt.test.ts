/** What `adopt` writes into the roster. */
import { expect, test } from "vitest";
import { readRoster } from "../../command/roster/read.ts";
import { adoptAll, adoptPeople } from "../../command/verbs/adopt.ts";
import { upAll } from "../../command/verbs/up.ts";
import { directFixture } from "./fixture.ts";

const ada = { key: "ada", email: "ada@acme.example", seat: true, token: false, protected: false };

test("adopt with nobody left to take over writes what a removal shall mean all the same, and asks nobody", async () => {
  const fixture = await directFixture(10);
  const { organizationId } = fixture;
  const roster = { organizationId, stacks: 1, people: [ada] };
  await fixture.bring(roster);
  const organization = await fixture.open(roster);
  const confirm = async () => expect.unreachable();
  const { status, applied } = await adoptPeople(organization, { onDelete: "retain", confirm });
  expect({ status, applied }).toEqual({ status: "succeeded", applied: undefined });
  expect(await readRoster(organization.file)).toMatchObject({ onDelete: "retain" });
  expect(await fixture.sandbox.requests()).toEqual([]);
});

test("adopt that is declined writes nothing", async () => {
  const fixture = await directFixture(10);
  const userId = await fixture.makeMember(ada);
  await fixture.sandbox.requests();
  const { organizationId } = fixture;
  const organization = await fixture.open({ organizationId, stacks: 1, people: [{ ...ada, userId }] });
  const confirm = async () => false;
  expect(await adoptPeople(organization, { onDelete: "retain", confirm })).toMatchObject({
    status: "declined",
  });
  expect((await readRoster(organization.file)).onDelete).toBeUndefined();
});

test("adopt takes the user ids of a file for rows that have none, and makes no machine user again", async () => {
  const fixture = await directFixture(10);
  const { organizationId } = fixture;
  const builds = { key: "builds", purpose: "Builds", seat: true, token: false, protected: false };
  const ids = [await fixture.makeMember(ada), await fixture.makeMember(builds)];
  await fixture.sandbox.requests();
  const organization = await fixture.open({ organizationId, stacks: 1, people: [ada, builds] });
  const people = [ada, builds].map((one, index) => ({ ...one, userId: ids[index], place: "members.csv" }));
  expect(await adoptPeople(organization, { people, onDelete: "retain" })).toMatchObject({
    status: "succeeded",
  });
  const { people: rows } = await readRoster(organization.file);
  expect(rows.map(({ userId }) => userId)).toEqual(ids);
  expect((await upAll(await fixture.reopen(), {})).status).toBe("succeeded");
  expect((await fixture.done()).filter(({ call }) => call === 5)).toEqual([]);
});

test("adopt leaves the tokens of rows that get user ids from a file, and says so", async () => {
  const fixture = await directFixture(10);
  const wanting = { ...ada, token: true };
  const userId = await fixture.makeMember(wanting);
  await fixture.sandbox.requests();
  const organization = await fixture.open({
    organizationId: fixture.organizationId,
    stacks: 1,
    people: [wanting],
  });
  const people = [{ ...wanting, userId, place: "members.csv" }];
  expect(await adoptPeople(organization, { people, onDelete: "retain" })).toMatchObject({
    status: "succeeded",
    notes: [{ who: "ada@acme.example", text: expect.stringContaining("the row now has `token: no`") }],
  });
  expect((await upAll(await fixture.reopen(), {})).applied).toBeUndefined();
  expect(await fixture.done()).toEqual([]);
});

test("adopt without user ids is an error where the service has no list", async () => {
  const fixture = await directFixture(10);
  const organization = await fixture.open({
    organizationId: fixture.organizationId,
    stacks: 1,
    people: [ada],
  });
  await expect(adoptAll(organization, { onDelete: "delete" })).rejects.toThrow(
    /Copy the user ids from the service/,
  );
  expect(await readRoster(organization.file)).toMatchObject({ onDelete: undefined });
});
