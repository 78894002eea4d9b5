/** What the verbs do beside `up`, against a service. */
import { appendFileSync, writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { readOffboarded } from "../../command/roster/offboarded.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { broughtFixture, type CompletedCall } from "./fixture.ts";
import { managed, person } from "./people.ts";

const [ada, bob, cyd] = [person("ada"), person("bob"), person("cyd")];
const REMOVAL = [9, 10, 11];

test("up: a failed removal before a free seat is needed stops no one else", async () => {
  const { fixture } = await broughtFixture([ada, bob]);
  await fixture.refuse(9, 403);
  const { status, applied } = await fixture.up([bob, cyd]);
  expect({ status, swapped: applied?.swapped }).toEqual({ status: "failed", swapped: true });
  expect(applied?.results.map(({ key, status: one }) => [key, one])).toEqual([
    ["ada", "failed"],
    ["cyd", "succeeded"],
  ]);
  expect(await fixture.calls()).toEqual([5, 6, 7]);
});

test("offboard: a machine user whose purpose has an @ goes on the offboarded list by key and user id, and no run after fails", async () => {
  const alerts = managed("alerts", "Alerts to ops@acme.example");
  const { fixture, idOf } = await broughtFixture([alerts, person("ops")]);
  const organization = await fixture.open();
  expect((await offboardPeople(organization, ["alerts"], {})).status).toBe("succeeded");
  expect(await fixture.calls()).toEqual(REMOVAL);
  expect(await readOffboarded(organization.offboardedFile)).toEqual([
    expect.objectContaining({ key: "alerts", userId: idOf("alerts"), email: undefined }),
  ]);
  const { plan, leftOut } = await fixture.preview([alerts, person("ops")]);
  expect({ hasChanges: plan.hasChanges, leftOut }).toEqual({ hasChanges: false, leftOut: ["alerts"] });
});

test("offboard: an error after the revocation says whose token is gone", async () => {
  const { fixture } = await broughtFixture([ada, bob]);
  const organization = await fixture.open();
  writeFileSync(organization.offboardedFile, "no offboarded list\n");
  await expect(offboardPeople(organization, ["bob@acme.example"], {})).rejects.toThrow(
    /^cannot remove seats and memberships: [\s\S]*Done so far: token revoked: bob@acme\.example\. Fix the error, then run the command again$/,
  );
  expect(await fixture.calls()).toEqual([9]);
});

/** Ada has a new email, and the run ended after the new user was added: the old one keeps seat and token. */
async function interruptedReplacement() {
  const { fixture, idOf } = await broughtFixture([ada, bob]);
  await fixture.refuse(9, 403);
  expect((await fixture.up([person("ada", { email: "lovelace@acme.example" }), bob])).status).toBe("failed");
  await fixture.sandbox.service.management.clearFaults();
  await fixture.done();
  return { fixture, organization: await fixture.open(), oldId: idOf("ada") };
}

test("offboard: of a person whose replacement was interrupted, the token of the old user is revoked at once too", async () => {
  const { fixture, organization, oldId } = await interruptedReplacement();
  const before: CompletedCall[] = [];
  const onRevoked = vi.fn();
  const { status } = await offboardPeople(organization, ["ada"], {
    onRevoked,
    confirm: async () => {
      before.push(...(await fixture.done()));
      return true;
    },
  });
  expect(onRevoked).toHaveBeenCalledWith([
    expect.objectContaining({ who: "ada@acme.example", userId: oldId, outcome: "revoked" }),
    expect.objectContaining({ who: "ada@acme.example", outcome: "none" }),
  ]);
  expect(before).toEqual([{ call: 9, userId: oldId }]);
  expect(status).toBe("succeeded");
  expect((await fixture.users()).map(({ email }) => email)).toEqual(["bob@acme.example"]);
});

test("rotate: who is still to join, or gets another email, waits for up: nothing is issued to the user of before", async () => {
  const { fixture, idOf } = await broughtFixture([ada, bob]);
  await fixture.open([ada, person("bob", { email: "robert@acme.example" }), cyd]);
  const rotate = async (keys: readonly string[] | "all") => rotateTokens(await fixture.open(), keys, {});
  const rotated = ["ada"].flatMap((key) => [9, 7].map((call) => ({ call, userId: idOf(key) })));
  expect(await rotate("all")).toMatchObject({ status: "succeeded", preview: { otherChanges: 2 } });
  expect(await fixture.done()).toEqual(rotated);

  await expect(rotate(["bob"])).rejects.toThrow(
    "cannot rotate robert@acme.example: another change comes first",
  );
  const { status, applied } = await rotate(["ada", "bob"]);
  expect(status).toBe("failed");
  expect(applied?.warnings.map(({ text }) => text).join()).toContain("cannot rotate robert@acme.example");
  expect(await fixture.done()).toEqual(rotated);
});

test("rotate: of a named person without a token is an error that says why, and nothing is sent or marked", async () => {
  const { fixture } = await broughtFixture([ada, bob]);
  await offboardPeople(await fixture.open(), ["bob"], {});
  await fixture.sandbox.requests();
  const organization = await fixture.open([ada, bob, cyd]);
  const before = fixture.text();
  await expect(rotateTokens(organization, ["ada", "cyd"], {})).rejects.toThrow(
    /^cannot rotate cyd@acme\.example: the state has no token of this person\. Run `orgseat up` first, which issues it$/,
  );
  await expect(rotateTokens(organization, ["bob"], {})).rejects.toThrow(
    /^cannot rotate bob@acme\.example: on the offboarded list .*offboarded\.csv$/,
  );
  expect(fixture.text()).toBe(before);
  expect(await fixture.sandbox.requests()).toEqual([]);
});

test("rotate: a roster that changes while the plan is read is not overwritten", async () => {
  const { fixture } = await broughtFixture([ada]);
  const organization = await fixture.open();
  const confirm = async (): Promise<boolean> => {
    appendFileSync(organization.file, "bob,bob@acme.example\n");
    return true;
  };
  await expect(rotateTokens(organization, "all", { confirm })).rejects.toThrow(
    /people\.csv changed while the command was running\. No changes were made/,
  );
  expect(await fixture.done()).toEqual([]);
});

const bareRefusal = { kind: "refuse", status: 404, body: { error: { message: "Not Found" } } } as const;

test.each(["basic", "anaconda"] as const)(
  "offboard and up: a service that answers 404 to all deletions loses nobody from the state, in the platform %s",
  async (platform) => {
    const { fixture } = await broughtFixture([ada, bob, cyd], {}, platform);
    const { management } = fixture.sandbox.service;
    await management.addFaults({ match: { method: "DELETE" }, times: "always", fault: bareRefusal });

    const left = await fixture.up([bob, cyd]);
    expect(left.status).toBe("failed");
    const { status, revoked } = await offboardPeople(await fixture.open(), ["bob@acme.example"], {});
    expect(status).toBe("failed");
    const reason = expect.stringMatching(/does not say that there is no such token|but still lists it/);
    expect(revoked).toMatchObject([{ outcome: "failed", reason }]);

    expect(await fixture.userIds(await fixture.open())).toHaveLength(3);
    await management.clearFaults();
    // The state still has all that it needs.
    await offboardPeople(await fixture.open(), ["bob@acme.example"], {});
    await fixture.up();
    const emails = (await fixture.users()).map(({ email }) => email);
    expect(emails).not.toContain("ada@acme.example");
    expect(emails).not.toContain("bob@acme.example");
    expect(emails).toContain("cyd@acme.example");
  },
);

test("offboard: a token that the command has revoked is not revoked twice, so that its error need not say anything", async () => {
  const { fixture } = await broughtFixture([ada, bob]);
  const fault = { match: { call: 9 }, after: 1, times: "always", fault: bareRefusal } as const;
  await fixture.sandbox.service.management.addFaults(fault);
  const organization = await fixture.open();
  const { status } = await offboardPeople(organization, ["ada@acme.example"], {});
  expect(status).toBe("succeeded");
  expect(await fixture.calls()).toEqual(REMOVAL);
});
