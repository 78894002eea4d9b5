/** Lists with an item in a form that no one can read: it concerns its own person, and no one else. */
import { describe, expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { reportOf } from "../../command/verbs/report-all.ts";
import { upAll } from "../../command/verbs/up.ts";
import { broughtFixture, type Fixture } from "./fixture.ts";
import { person } from "./people.ts";

const [ada, bob, eve, zoe] = [person("ada"), person("bob"), person("eve"), person("zoe")];
const UNREADABLE = "in a form that orgseat cannot read: ";

/** Ada, Bob and Eve, of whom Bob's item has this form. */
async function organizationWith(item: unknown) {
  const { fixture, idOf } = await broughtFixture([ada, bob, eve], {}, "anaconda");
  await fixture.sandbox.service.management.setOddItems({ call: 17, id: idOf("bob"), item });
  return { fixture, idOf };
}

type Odd = readonly [what: string, item: unknown, warning?: string];
const oddUsers: readonly Odd[] = [
  ["email null", { email: null }],
  ["role null", { role: null }, "role: expected string, got null"],
  ["subscriptions null", { subscriptions: null }, "subscriptions: expected array, got null"],
  [
    "an object in subscriptions",
    { subscriptions: [{ code: "commercial" }] },
    "subscriptions.0: expected string, got an object",
  ],
  ["no readable id", { id: 7 }, "id: expected string, got a number"],
  ["another form", "bob", "the item: expected object, got a string"],
  [
    "groups, and fields of no description",
    { groups: [{ id: 7 }, "all"], badge: { number: 7 }, status: null },
  ],
];

describe.each(oddUsers)("a user with %s in the list", (_, item, reason) => {
  const warned = reason === undefined ? [] : [expect.stringContaining(UNREADABLE + reason)];

  test("changes nothing in a preview with a refresh, and stops no `up`", async () => {
    const { fixture, idOf } = await organizationWith(item);
    const preview = await fixture.preview(undefined, { refresh: true });
    expect(preview.plan.hasChanges).toBe(false);
    expect(preview.drift.members?.findings).toEqual([]);
    expect(preview.warnings.map(({ text }) => text)).toEqual(warned);
    const { status } = await fixture.up([ada, bob, eve, zoe], { refresh: true });
    expect(status).toBe("succeeded");
    expect(await fixture.heldBy(zoe)).toMatchObject({ seat: true, tokens: [expect.any(String)] });
    expect((await fixture.held()).get(idOf("bob"))).toMatchObject({
      seat: true,
      tokens: [expect.any(String)],
    });
  });

  test("leaves the removal of someone else as it is", async () => {
    const { fixture } = await organizationWith(item);
    const { status } = await offboardPeople(await fixture.open(), ["ada"], {});
    expect(status).toBe("succeeded");
    expect(await fixture.heldBy(ada)).toBeUndefined();
    expect((await fixture.up([bob])).status).toBe("succeeded");
    expect(await fixture.heldBy(eve)).toBeUndefined();
    expect(await fixture.heldBy(bob)).toMatchObject({ seat: true });
  });

  test("becomes a note of the report, and no finding", async () => {
    const { fixture } = await organizationWith(item);
    const { drift, notes } = await reportOf(await fixture.open(), {});
    expect(drift?.findings).toEqual([]);
    expect(notes).toEqual(warned);
  });
});

describe("an odd item of a person", () => {
  test.each([
    ["an administrator's", "admin", "admin"],
    ["unreadable", null, "unknown"],
    ["of no description", "owner", "owner"],
  ])("keeps the membership if the role is %s, but not seat and token", async (_, role, name) => {
    const { fixture } = await organizationWith({ role });
    const writes = async () => (await fixture.calls()).filter((call) => call < 17);
    await writes();
    const { violations } = await fixture.preview([ada, eve]);
    expect(violations).toMatchObject([
      { guard: "administrator-removal", details: [`bob@acme.example: ${name}`] },
    ]);
    expect(await fixture.up([ada, eve])).toMatchObject({ status: "blocked" });
    await expect(offboardPeople(await fixture.open([ada, bob, eve]), ["bob"], {})).rejects.toThrow(
      `cannot offboard bob@acme.example (${name}): orgseat does not remove administrators or billing managers`,
    );
    expect(await fixture.heldBy(bob)).toMatchObject({ seat: true, tokens: [expect.any(String)] });
    const environment = { ORGSEAT_CLIENT_ID: "", ORGSEAT_CLIENT_SECRET: "" };
    const unread = await previewOf(await fixture.open([ada, eve], { environment }), {});
    expect(unread.violations, "needs no credentials").toEqual([]);
    expect(await writes()).toEqual([]);
    await fixture.up([ada, { ...bob, seat: false, token: false }, eve]);
    expect(await writes()).toEqual([9, 10]);
  });

  test("keeps the membership if it has no readable id, and so hides the role", async () => {
    const { fixture } = await organizationWith({ id: null, role: "admin" });
    const { violations } = await fixture.preview([ada, eve], { refresh: true });
    expect(violations).toMatchObject([
      {
        guard: "administrator-removal",
        details: ["bob@acme.example: unknown"],
        text: expect.stringContaining("may be privileged, because the list of users does not say the role"),
      },
    ]);
    await expect(offboardPeople(await fixture.open([ada, bob, eve]), ["bob"], {})).rejects.toThrow(
      "cannot offboard bob@acme.example (unknown): orgseat does not remove administrators or billing managers",
    );
    expect(await fixture.heldBy(bob)).toMatchObject({ seat: true, tokens: [expect.any(String)] });
  });

  test("stays out of an adoption of everyone else", async () => {
    const { fixture } = await broughtFixture([ada], {}, "anaconda");
    const ids = [await fixture.makeMember(bob), await fixture.makeMember(eve), await fixture.makeMember(zoe)];
    const [bobId, eveId] = ids;
    await fixture.sandbox.service.management.setOddItems(
      { call: 17, id: bobId ?? "", item: { subscriptions: null } },
      { call: 17, id: eveId ?? "", item: { email: null } },
      { call: 17, item: { email: "no-id@acme.example" } },
    );
    const organization = await fixture.open();
    const { status, notes } = await adoptAll(organization, {});
    expect(status).toBe("succeeded");
    expect(notes).toEqual([
      {
        who: "no-id@acme.example",
        text: expect.stringContaining(
          "not adopted: orgseat cannot read it: item 6 (no-id@acme.example): id: ",
        ),
      },
      {
        who: "bob@acme.example",
        text: `not adopted: orgseat cannot read it: item 2 (${bobId}, bob@acme.example): subscriptions: expected array, got null. Correct it in the service, or report it to the operator`,
      },
      { who: `user ${eveId}`, text: expect.stringContaining("not adopted: the list shows no email") },
    ]);
    const { roster } = await fixture.open();
    expect(roster.people.map(({ email }) => email)).toContain("zoe@acme.example");
    expect(roster.people.map(({ email }) => email)).not.toContain("bob@acme.example");
  });

  test("proves no one gone while it has no readable id", async () => {
    const { fixture, idOf } = await broughtFixture([ada, bob, eve], {}, "anaconda");
    const { management } = fixture.sandbox.service;
    await management.removeUser(idOf("bob"));
    await management.setOddItems({ call: 17, item: {} });
    const preview = await fixture.preview(undefined, { refresh: true });
    expect(preview.plan.hasChanges).toBe(false);
    expect(preview.drift.members?.findings).toEqual([]);
    await management.setOddItems();
    const after = await fixture.preview(undefined, { refresh: true });
    expect(after.drift.members?.findings).toMatchObject([{ who: "bob@acme.example", kind: "memberRemoved" }]);
  });
});

test("a row whose user the list may hide fails alone", async () => {
  const { fixture } = await broughtFixture([ada], {}, "anaconda");
  const userId = await fixture.makeMember(bob);
  await fixture.sandbox.service.management.setOddItems({ call: 17, id: userId, item: { id: null } });
  const result = await fixture.up([ada, { ...bob, userId }, zoe]);
  expect(result.preview.violations).toEqual([]);
  expect(result.applied?.results).toMatchObject([
    {
      ...{ key: "bob", status: "failed", code: "unreadable-item" },
      text: expect.stringContaining("cannot tell whether bob@acme.example exists"),
    },
    { key: "zoe", status: "succeeded" },
  ]);
});

describe("a list of tokens with an odd item", () => {
  async function withOddToken(): Promise<Fixture> {
    const { fixture, idOf } = await broughtFixture([ada, bob], {}, "anaconda");
    const { tokens } = await fixture.sandbox.service.management.snapshot();
    const id = tokens.find(({ userId }) => userId === idOf("bob"))?.tokenId ?? "";
    await fixture.sandbox.service.management.setOddItems({ call: 18, id, item: { id: null } });
    return fixture;
  }

  test("leaves this person's token as the state has it, and reads the others", async () => {
    const fixture = await withOddToken();
    const preview = await fixture.preview(undefined, { refresh: true });
    expect(preview.plan.hasChanges).toBe(false);
    expect(preview.drift).toMatchObject({ readTokens: 1, unreadTokens: 1 });
    expect(preview.warnings.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^cannot list tokens: item 1 \(no readable id\): id: expected string, got null\. /,
      ),
    ]);
    expect((await fixture.up([bob], { refresh: true })).status).toBe("succeeded");
    expect(await fixture.heldBy(ada)).toBeUndefined();
  });

  test("adopts everyone else", async () => {
    const fixture = await withOddToken();
    const eveId = await fixture.makeMember(eve);
    await fixture.makeMember(zoe);
    const { tokens } = await fixture.sandbox.service.management.snapshot();
    const id = tokens.find(({ userId }) => userId === eveId)?.tokenId ?? "";
    await fixture.sandbox.service.management.setOddItems({ call: 18, id, item: { id: {} } });
    const { status, notes } = await adoptAll(await fixture.open(), { onlyUnmanaged: true });
    expect(status).toBe("succeeded");
    expect(notes).toEqual([
      { who: "eve@acme.example", text: expect.stringMatching(/^not adopted: cannot list tokens: item 1/) },
    ]);
    const { roster } = await fixture.open();
    expect(roster.people.map(({ email }) => email)).toContain("zoe@acme.example");
  });
});

test("up does nothing with an odd item that it would not do without", async () => {
  const { fixture } = await organizationWith({ subscriptions: null });
  await fixture.sandbox.requests();
  const { status } = await upAll(await fixture.open(), { refresh: true });
  expect(status).toBe("succeeded");
  expect(await fixture.done()).not.toContainEqual(expect.objectContaining({ call: 6 }));
});

test("a member whom the list shows only after the first sign-in keeps everything, and stops no one else", async () => {
  const { fixture, idOf } = await broughtFixture([ada, bob], {}, "anaconda");
  const { management } = fixture.sandbox.service;
  await management.setOddItems({ call: 17, id: idOf("bob") });
  const preview = await fixture.preview(undefined, { refresh: true });
  expect(preview.plan.hasChanges).toBe(false);
  expect(preview.drift.members?.findings).toEqual([]);
  const rotated = { ...bob, rotation: "2" };
  expect((await fixture.up([ada, rotated, zoe], { refresh: true })).status).toBe("succeeded");
  expect(await fixture.heldBy(bob)).toMatchObject({ seat: true, tokens: [expect.any(String)] });
  expect(await fixture.heldBy(zoe)).toMatchObject({ seat: true });
  await management.setOddItems();
  expect((await fixture.preview(undefined, { refresh: true })).plan.hasChanges).toBe(false);
  await management.setOddItems({ call: 17, id: idOf("bob") });
  expect((await fixture.up([ada, zoe])).status).toBe("succeeded");
  expect(await fixture.heldBy(bob)).toBeUndefined();
});
