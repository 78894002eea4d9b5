/** Results per person, where the service is not as the state has it. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { describeResult } from "../../command/cli/result-lines.ts";
import { resultToText } from "../../command/cli/results.ts";
import { codeOfRun } from "../../command/cli/results-json.ts";
import { offboardToText } from "../../command/cli/verbs/offboard.ts";
import type { Applied } from "../../command/run/apply.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import type { FaultRule } from "../../sandbox/service/index.ts";
import { broughtFixture, directFixture, type Fixture } from "./fixture.ts";
import { person } from "./people.ts";

const [ada, bob, eve, zoe] = [person("ada"), person("bob"), person("eve"), person("zoe")];

const three = [ada, bob, eve];

function linesOf(applied: Applied | undefined): string[] {
  return (applied?.results ?? []).map((one) => describeResult(one));
}

/** The emails of all members with a seat, a token or neither. */
async function membersOf(fixture: Fixture): Promise<Record<string, string>> {
  const held = [...(await fixture.held()).values()];
  return Object.fromEntries(
    held.map(({ who, seat, tokens }) => [
      who,
      [...(seat ? ["seat"] : []), ...(tokens.length > 0 ? ["token"] : [])].join(" and "),
    ]),
  );
}

test("a dropped row of a person whom the service knows under another id only: already gone, and never revoked", async () => {
  const { fixture, idOf } = await broughtFixture(three);
  await fixture.remakeMember(idOf("ada"), ada);
  const result = await fixture.up([bob, eve]);
  expect(linesOf(result.applied)).toEqual([
    `gone     ada@acme.example  was already gone from the organization under this user id, had no token, had no seat\n         user id ${idOf("ada")} is unknown to the service. The same email may exist under another user id. Check the service`,
  ]);
  expect(resultToText(result)).toContain("0 succeeded, 1 already gone, 0 failed, 0 skipped");
  // What the roster says holds, as far as the state knows: nothing is left that another run could do.
  expect(codeOfRun(result)).toBe(0);
  expect((await membersOf(fixture))["ada@acme.example"]).toBe("seat and token");
});

test("offboard of a person whom the service knows under another id only: fails and says so, the second time too", async () => {
  const { fixture, idOf } = await broughtFixture(three);
  await fixture.remakeMember(idOf("ada"), ada);
  const result = await offboardPeople(await fixture.open(), ["ada", "bob"], {});
  expect(result.revoked.map(({ who, outcome }) => [who, outcome])).toEqual([
    ["ada@acme.example", "none"],
    ["bob@acme.example", "revoked"],
  ]);
  expect(codeOfRun(result)).toBe(1);
  expect(linesOf(result.applied)).toEqual([
    expect.stringContaining(`user id ${idOf("ada")} is unknown to the service`),
    "ok       bob@acme.example  removed from the organization, seat removed",
  ]);
  expect(offboardToText(result)).toContain("1 succeeded, 1 already gone, 0 failed, 0 skipped");
  expect(await membersOf(fixture)).toEqual({
    "ada@acme.example": "seat and token",
    "eve@acme.example": "seat and token",
  });

  await expect(offboardPeople(await fixture.open(), ["ada"], {})).rejects.toThrow(
    new RegExp(
      `^ada has been on the offboarded list since \\S+, but the stack does not contain this person, and the audit log shows no removal of user id ${idOf("ada")}. Check in the service`,
    ),
  );
});

test("offboard a second time has nothing to do, which the audit log shows to be right", async () => {
  const { fixture, idOf } = await broughtFixture(three);
  const first = await offboardPeople(await fixture.open(), ["ada@acme.example"], {});
  expect(codeOfRun(first)).toBe(0);
  expect(linesOf(first.applied)).toEqual([
    "ok       ada@acme.example  removed from the organization, seat removed",
  ]);
  await fixture.sandbox.requests();
  const second = await offboardPeople(await fixture.open(), ["Ada@acme.example"], {});
  expect(codeOfRun(second)).toBe(0);
  expect(second.alreadyRemoved).toMatchObject([{ who: "Ada@acme.example", userId: idOf("ada") }]);
  expect(offboardToText(second)).toContain("Ada@acme.example: already removed (");
  expect(await fixture.done()).toEqual([]);
});

test("a changed email with the user id of a member adopts the member and removes the old one", async () => {
  const { fixture } = await broughtFixture(three);
  const userId = await fixture.makeMember({ ...zoe, token: false });
  const { status, applied } = await fixture.up([
    { ...ada, email: zoe.email, userId, token: false },
    bob,
    eve,
  ]);
  expect({ status, lines: linesOf(applied) }).toEqual({
    status: "succeeded",
    lines: [expect.stringContaining("zoe@acme.example (was ada@acme.example)  old membership removed")],
  });
  expect(await membersOf(fixture)).toEqual({
    "bob@acme.example": "seat and token",
    "eve@acme.example": "seat and token",
    "zoe@acme.example": "seat",
  });
});

test("says in the line of a failed person what was done, what was not, and why", async () => {
  const { fixture } = await broughtFixture(three);
  await fixture.refuse(6, 402);
  const { applied } = await fixture.up([...three, zoe]);
  expect(linesOf(applied)).toEqual([
    expect.stringMatching(
      /^failed {3}zoe@acme\.example .* {2}added; not sent: issue token; cannot assign seat: .* \(HTTP 402 /,
    ),
  ]);
});

const after = { kind: "raw", phase: "after", status: 201 } as const;

test("a creation whose answer is lost or unreadable is sent once in a command, and its reason is kept", async () => {
  const fixture = await directFixture(50);
  const lost = ["cut", "numeric", "packed"];
  const people = [...lost, "tokenless", "refused", "ada"].map((key) => person(key));
  const creation = (one: string, fault: FaultRule["fault"], times: FaultRule["times"]): FaultRule => ({
    ...{ match: { call: 5, body: `${one}@` }, fault, times },
  });
  const { management } = fixture.sandbox.service;
  await management.addFaults(
    creation("cut", { kind: "cut-middle" }, "always"),
    creation("numeric", { ...after, body: '{"id":4711,"email":"numeric@acme.example"}' }, "always"),
    creation("packed", { ...after, body: gzipSync("{}").toString("base64"), encoding: "base64" }, "always"),
    creation("refused", { kind: "refuse", status: 403 }, 1),
    { match: { call: 7 }, fault: { kind: "cut-after" } },
    // It can pass, so the command makes another run for this person.
    { match: { call: 6 }, fault: { kind: "refuse", status: 500 } },
  );
  const { applied, status } = await fixture.up(people);
  expect(status).toBe("failed");

  const results = new Map(applied?.results.map((one) => [one.key, one]));
  for (const key of lost) {
    expect(results.get(key)?.code, key).toBe("user-unknown");
    expect(results.get(key)?.text, key).toContain(
      `${key}@acme.example may have been added. Run the command again`,
    );
    expect(results.get(key)?.text, key).not.toContain("HTTP 409");
  }
  expect(results.get("refused")).toMatchObject({ status: "failed", code: "refused" });
  // A token whose value is lost is revoked and issued again.
  expect([...results.values()].filter(({ status }) => status === "succeeded")).toHaveLength(2);
  for (const { text = "" } of results.values()) expect(text).not.toContain("pulumi");

  const requests = await fixture.sandbox.requests();
  expect(requests.filter(({ call }) => call === 5)).toHaveLength(people.length);
  expect(requests.filter(({ call }) => call === 7)).toHaveLength(3);
  expect(requests.filter(({ call }) => call === 9)).toHaveLength(1);
});

test("people whom a rotation left without a token come first and alone, despite another person's refusal", async () => {
  const { fixture, idOf } = await broughtFixture(three);
  const { management, seed } = fixture.sandbox.service;
  const rotation = "2026-11-21T12:00:00Z";
  const [newAda, newBob] = [person("ada", { rotation }), person("bob", { rotation })];
  await fixture.refuse(7, 422);
  expect((await fixture.up([newAda, newBob, eve])).status).toBe("failed");
  await management.clearFaults();
  expect(await membersOf(fixture)).toMatchObject({ "ada@acme.example": "seat", "bob@acme.example": "seat" });
  await fixture.behindOurBack((api, operation) =>
    api.issueToken(idOf("ada"), seed.subscriptionExpiresAt, operation),
  );
  await fixture.sandbox.requests();

  const { applied, status } = await fixture.up([newAda, { ...eve, rotation }, newBob]);
  expect(status).toBe("failed");
  expect(applied?.results.map(({ key, status, code }) => [key, status, code])).toEqual([
    ["ada", "failed", "token-exists"],
    ["eve", "succeeded", undefined],
    ["bob", "succeeded", undefined],
  ]);
  expect(applied?.results[0]?.text).toContain(`Write ${idOf("ada")} into \`user_id\` of the row`);
  const calls = (await fixture.done()).map(({ call, userId }) => [call, userId]);
  // Whoever is without a token comes before anybody loses one.
  expect(calls).toEqual([
    [7, idOf("bob")],
    [9, idOf("eve")],
    [7, idOf("eve")],
  ]);
});

test("advice to people of a roster is about their row, and works", async () => {
  const { fixture, idOf } = await broughtFixture([{ ...ada, token: false }, bob]);
  await fixture.behindOurBack(async (api, operation) => {
    await api.removeSeat(idOf("ada"), operation);
    await api.removeUser(idOf("ada"), operation);
  });
  const failed = await fixture.up([ada, bob]);
  expect(failed.applied?.results).toMatchObject([{ key: "ada", status: "failed", code: "user-gone" }]);
  const text = resultToText(failed);
  expect(text).toContain(
    `ada@acme.example is no longer in the organization. Remove the row and run \`orgseat up\` again. To add the person again, restore the row after that run`,
  );
  expect(text).not.toMatch(/pulumi|URN/);

  const removed = await fixture.up([bob]);
  expect(removed).toMatchObject({ status: "succeeded", applied: { results: [{ status: "already-gone" }] } });
  expect(await fixture.up([ada, bob])).toMatchObject({ status: "succeeded" });
  expect((await membersOf(fixture))["ada@acme.example"]).toBe("seat and token");
});

test("says of a renewal that the service confirms without an effect that it failed, and nothing else", async () => {
  const { fixture } = await broughtFixture([ada]);
  const later = fixture.rosterOf([ada], { subscriptionExpiresAt: "2040-12-31" });
  const expires_at = fixture.sandbox.service.seed.subscriptionExpiresAt;
  await fixture.sandbox.service.management.addFaults({
    ...{ match: { call: 8 }, times: "always" },
    fault: { kind: "refuse", status: 200, body: { expires_at } },
  });
  const { applied } = await fixture.up(later);
  expect(applied?.results).toMatchObject([
    { status: "failed", code: "token-date", entries: [{ operation: "renew token", result: "failed" }] },
  ]);
  const [line = ""] = linesOf(applied);
  expect(line).toMatch(/failed: renew token; cannot renew the token of ada@acme\.example/);
  expect(line).not.toContain("renewed,");
  expect(line).not.toContain("token renewed");
});
