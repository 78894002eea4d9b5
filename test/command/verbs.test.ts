/** What the verbs do beside `up`, against a service. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { readOffboarded } from "../../command/roster/offboarded.ts";
import { shardStackOf } from "../../command/stacks/shards.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { type CompletedCall, directFixture, type Fixture } from "./fixture.ts";
import { managed, type NewPerson, type NewRoster, person } from "./people.ts";

const SEATS = 20;

function rosterOf({ organizationId }: Fixture, people: readonly NewPerson[], stacks = 1): NewRoster {
  return { organizationId, stacks, people };
}

function callsIn(done: readonly { call: number }[]): number[] {
  return done.map(({ call }) => call);
}

test("up: a failed removal before a free seat is needed stops no one else", async () => {
  const fixture = await directFixture(SEATS);
  await fixture.bring(rosterOf(fixture, [person("ada"), person("bob")]));
  const refusal = { kind: "refuse", status: 403 } as const;
  await fixture.sandbox.service.management.addFaults({ match: { call: 9 }, times: "always", fault: refusal });
  const { status, applied } = await upAll(
    await fixture.open(rosterOf(fixture, [person("bob"), person("cyd")])),
    {},
  );
  expect({ status, swapped: applied?.swapped }).toEqual({ status: "failed", swapped: true });
  expect(applied?.results.map(({ key, status: one }) => [key, one])).toEqual([
    ["ada", "failed"],
    ["cyd", "succeeded"],
  ]);
  expect(callsIn(await fixture.done())).toEqual([5, 6, 7]);
});

test("offboard: a machine user whose purpose has an @ goes on the offboarded list by key and user id, and no run after fails", async () => {
  const fixture = await directFixture(SEATS);
  const everybody = rosterOf(fixture, [managed("alerts", "Alerts to ops@acme.example"), person("ops")]);
  const ids = await fixture.bring(everybody);
  const organization = await fixture.open(everybody);
  const { status } = await offboardPeople(organization, ["alerts"], {});

  expect(status).toBe("succeeded");
  expect(callsIn(await fixture.done())).toEqual([9, 10, 11]);
  expect(await readOffboarded(organization.offboardedFile)).toEqual([
    expect.objectContaining({ key: "alerts", userId: ids.get("alerts"), email: undefined }),
  ]);
  const { plan, leftOut } = await previewOf(await fixture.open(everybody), {});
  expect({ hasChanges: plan.hasChanges, leftOut }).toEqual({ hasChanges: false, leftOut: ["alerts"] });
});

test("offboard: an error after the revocation says whose token is gone", async () => {
  const fixture = await directFixture(SEATS);
  const people = rosterOf(fixture, [person("ada"), person("bob")]);
  await fixture.bring(people);
  const organization = await fixture.open(people);
  writeFileSync(organization.offboardedFile, "no offboarded list\n");
  await expect(offboardPeople(organization, ["bob@acme.example"], {})).rejects.toThrow(
    /^cannot remove seats and memberships: [\s\S]*Done so far: token revoked: bob@acme\.example\. Fix the error, then run the command again$/,
  );
  expect(callsIn(await fixture.done())).toEqual([9]);
});

/** Ada has a new email, and the run ended after the new user was added: the old one keeps seat and token. */
async function interruptedReplacement() {
  const fixture = await directFixture(SEATS);
  const ids = await fixture.bring(rosterOf(fixture, [person("ada"), person("bob")]));
  const renamed = rosterOf(fixture, [person("ada", { email: "lovelace@acme.example" }), person("bob")]);
  const organization = await fixture.open(renamed);
  const { management } = fixture.sandbox.service;
  const refusal = { kind: "refuse", status: 403 } as const;
  await management.addFaults({ match: { call: 9 }, times: "always", fault: refusal });
  expect((await upAll(organization, {})).status).toBe("failed");
  await management.clearFaults();
  await fixture.done();
  return { fixture, organization, oldId: ids.get("ada") };
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
    expect.objectContaining({ who: "lovelace@acme.example", outcome: "none" }),
    expect.objectContaining({ who: "ada@acme.example", userId: oldId, outcome: "revoked" }),
  ]);
  expect(before).toEqual([{ call: 9, userId: oldId }]);
  expect(status).toBe("succeeded");
  const { users } = await fixture.sandbox.service.management.snapshot();
  expect(users.map(({ email }) => email)).toEqual(["bob@acme.example"]);
});

test("offboard: a person of whom the state has the replaced user alone is found by the former email", async () => {
  const { fixture, organization, oldId } = await interruptedReplacement();
  if (fixture.engine instanceof DirectEngine) fixture.engine.lose("people", "ada-user");
  const { status, revoked } = await offboardPeople(organization, ["ada@acme.example"], {});
  expect({ status, revoked }).toEqual({
    status: "succeeded",
    revoked: [expect.objectContaining({ userId: oldId, outcome: "revoked" })],
  });
  expect(await fixture.done()).toEqual([9, 10, 11].map((call) => ({ call, userId: oldId })));
});

test("offboard: between a changed number of stacks and its up, everybody is found and put out", async () => {
  const fixture = await directFixture(SEATS);
  const people = ["ada", "bob", "eve"].map((key) => person(key));
  const ids = await fixture.bring(rosterOf(fixture, people));
  const spread = await fixture.open(rosterOf(fixture, people, 4));
  expect((await fixture.userIds(spread)).size).toBe(3);
  const { status } = await offboardPeople(spread, ["bob@acme.example"], {});

  expect(status).toBe("succeeded");
  const id = ids.get("bob");
  expect(await fixture.done()).toEqual([9, 10, 11].map((call) => ({ call, userId: id })));
});

test("offboard: reads the state of the person's stack alone before the revocation, and all of them for other names", async () => {
  const fixture = await directFixture(SEATS);
  const people = ["ada", "bob", "eve"].map((key) => person(key));
  await fixture.bring(rosterOf(fixture, people, 3));
  const statesBefore = async (name: string): Promise<readonly string[]> => {
    const organization = await fixture.open(rosterOf(fixture, people, 3));
    const exports = vi.spyOn(organization.engine, "exportStack");
    let read: string[] = [];
    const onRevoked = () => {
      read = exports.mock.calls.map(([stack]) => stack);
    };
    const { status, revoked } = await offboardPeople(organization, [name], { onRevoked });
    exports.mockRestore();
    expect(revoked).toMatchObject([{ who: `${name.slice(0, 3)}@acme.example`, outcome: "revoked" }]);
    expect(status).toBe("succeeded");
    return read;
  };
  const stacks = ["people-01", "people-02", "people-03"];
  expect(await statesBefore("ada")).toEqual([shardStackOf("ada", stacks)]);
  expect(new Set(await statesBefore("bob@acme.example"))).toHaveProperty("size", 3);
});

test("rotate: of everybody, who is still to join waits for up, with user and seat", async () => {
  const fixture = await directFixture(SEATS);
  const ids = await fixture.bring(rosterOf(fixture, [person("ada")]));
  const organization = await fixture.open(rosterOf(fixture, [person("ada"), person("bob")]));
  const { status, preview } = await rotateTokens(organization, "all", {});

  expect({ status, others: preview.otherChanges }).toEqual({ status: "succeeded", others: 1 });
  expect(await fixture.done()).toEqual([9, 7].map((call) => ({ call, userId: ids.get("ada") })));
});

test("rotate: a person under a new email waits for up, which replaces the user: the old token is not issued again", async () => {
  const fixture = await directFixture(SEATS);
  const ids = await fixture.bring(rosterOf(fixture, [person("ada"), person("bob")]));
  const organization = await fixture.open(
    rosterOf(fixture, [person("ada", { email: "ada.l@acme.example" }), person("bob")]),
  );
  const { status, preview } = await rotateTokens(organization, "all", {});

  expect({ status, otherChanges: preview.otherChanges }).toEqual({ status: "succeeded", otherChanges: 1 });
  expect(await fixture.done()).toEqual([9, 7].map((call) => ({ call, userId: ids.get("bob") })));
});

test("rotate: of a named person whom no stack has is an error that names up, and nothing is sent or marked", async () => {
  const fixture = await directFixture(SEATS);
  await fixture.bring(rosterOf(fixture, [person("ada")]));
  const organization = await fixture.open(rosterOf(fixture, [person("ada"), person("bob")]));
  const before = readFileSync(organization.file, "utf8");
  await expect(rotateTokens(organization, ["ada", "bob"], {})).rejects.toThrow(
    /^cannot rotate bob@acme\.example: no stack has a token of this person\. Run `orgseat up` first, which issues it$/,
  );
  expect(readFileSync(organization.file, "utf8")).toBe(before);
  expect(await fixture.sandbox.requests()).toEqual([]);
});

test("rotate: of a named person on the offboarded list is an error that says so", async () => {
  const fixture = await directFixture(SEATS);
  const people = rosterOf(fixture, [person("ada"), person("bob")]);
  await fixture.bring(people);
  await offboardPeople(await fixture.open(people), ["bob"], {});
  await expect(rotateTokens(await fixture.open(people), ["bob"], {})).rejects.toThrow(
    /^cannot rotate bob@acme\.example: on the offboarded list .*offboarded\.csv$/,
  );
});

test("rotate: a roster that changes while the plan is read is not overwritten", async () => {
  const fixture = await directFixture(SEATS);
  const people = rosterOf(fixture, [person("ada")]);
  await fixture.bring(people);
  const organization = await fixture.open(people);
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
    const fixture = await directFixture(SEATS, platform);
    const { management } = fixture.sandbox.service;
    await fixture.bring(rosterOf(fixture, [person("ada"), person("bob"), person("cyd")]));
    await management.addFaults({ match: { method: "DELETE" }, times: "always", fault: bareRefusal });

    const left = await upAll(await fixture.open(rosterOf(fixture, [person("bob"), person("cyd")])), {});
    expect(left.status).toBe("failed");
    const { status, revoked } = await offboardPeople(await fixture.reopen(), ["bob@acme.example"], {});
    expect(status).toBe("failed");
    const reason = expect.stringMatching(/does not say that there is no such token|but still lists it/);
    expect(revoked).toMatchObject([{ outcome: "failed", reason }]);

    expect(await fixture.userIds(await fixture.reopen())).toHaveLength(3);
    await management.clearFaults();
    // The state still has all that it needs.
    await offboardPeople(await fixture.reopen(), ["bob@acme.example"], {});
    await upAll(await fixture.reopen(), {});
    const emails = (await fixture.users()).map(({ email }) => email);
    expect(emails).not.toContain("ada@acme.example");
    expect(emails).not.toContain("bob@acme.example");
    expect(emails).toContain("cyd@acme.example");
  },
);

test("offboard: a token that the command has revoked is not revoked twice, so that its error need not say anything", async () => {
  const fixture = await directFixture(SEATS);
  await fixture.bring(rosterOf(fixture, [person("ada"), person("bob")]));
  const fault = { match: { call: 9 }, after: 1, times: "always", fault: bareRefusal } as const;
  await fixture.sandbox.service.management.addFaults(fault);
  const organization = await fixture.open(rosterOf(fixture, [person("ada"), person("bob")]));
  const { status } = await offboardPeople(organization, ["ada@acme.example"], {});
  expect(status).toBe("succeeded");
  expect(callsIn(await fixture.done())).toEqual([9, 10, 11]);
});
