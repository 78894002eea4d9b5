/** Drift: what someone changes in the service is named by a preview with refresh, and repaired by an up with refresh. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Preview } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import type { LoggedRequest } from "../../sandbox/service/index.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { changeNames, changeSome, LASTING } from "../setup/service-changes.ts";
import { checkedRun } from "./entry-properties.ts";
import { directFixture } from "./fixture.ts";
import { drawnPeople, managed, person } from "./people.ts";

const suite: Suite = { name: "automation: drift", level: "R", cases: 300 };
/** The removal limit is 25 people, and no case needs more. */
const MOST_PEOPLE = 8;

function kindsOf({ drift }: Preview): string[] {
  return (drift.members?.findings ?? []).map(({ key, kind }) => `${key} ${kind}`).toSorted();
}

function countOf(requests: readonly LoggedRequest[], end: string): number {
  return requests.filter(({ path }) => path.replace(/\?.*/, "").endsWith(end)).length;
}

test("drift: each change in the service is named, what is declared is repaired, and nothing else is taken away", async () => {
  const seen = new Set<string>();
  let count = 0;
  await checkCases(suite, fc.gen(), async (draw) => {
    const fixture = await directFixture(100, "anaconda");
    const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
    // Each change fits one of the first two.
    const people = [
      managed("builds", "Builds"),
      person("idle", { seat: false, token: false }),
      ...drawnPeople(draw, draw(fc.integer, { min: 0, max: MOST_PEOPLE - 2 }), "p"),
    ];
    const organization = await fixture.open(fixture.rosterOf(people, { subscriptionExpiresAt }));
    expect((await upAll(organization, {})).status).toBe("succeeded");
    const expected = await changeSome(
      fixture,
      draw,
      people,
      await fixture.userIds(organization),
      changeNames[count++ % changeNames.length],
    );
    const unmanaged = await fixture.makeMember(person("stranger", { seat: false, token: false }));
    await fixture.sandbox.requests();

    const preview = await fixture.preview(undefined, { refresh: true });
    expect(kindsOf(preview)).toEqual(expected);
    const strangers = preview.drift.members?.unmanaged.map(({ email }) => email);
    expect(strangers?.toSorted()).toEqual(["admin@acme.example", "stranger@acme.example"]);
    const read = (await fixture.sandbox.requests()).filter(({ call }) => call !== "token");
    expect(read.filter(({ method }) => method !== "GET")).toEqual([]);
    // The second list of users confirms what the first one lacks; so does one list of tokens for each user.
    const removed = expected.filter((found) => found.endsWith("memberRemoved")).length;
    const lacks = removed > 0 || expected.some((found) => found.endsWith("seatRemoved"));
    expect(countOf(read, "/users")).toBe(lacks ? 2 : 1);
    expect(countOf(read, "/tokens")).toBeLessThanOrEqual(
      people.filter(({ token }) => token).length + removed,
    );

    const repaired = await checkedRun(fixture, await fixture.open(), (opened) =>
      upAll(opened, { refresh: true }),
    );
    const failures = [...repaired.preview.violations, repaired.applied?.failure];
    expect({ status: repaired.status, texts: failures.flatMap((one) => one?.text ?? []) }).toEqual({
      ...{ status: "succeeded", texts: [] },
    });
    const after = await fixture.preview(undefined, { refresh: true });
    expect(after.plan.hasChanges, JSON.stringify(after.plan.entries)).toBe(false);
    expect(kindsOf(after)).toEqual(expected.filter((found) => LASTING.has(found.split(" ")[1] ?? "")));
    const { users } = requireList(await fixture.behindOurBack((api, operation) => api.listUsers(operation)));
    expect(users.map(({ id }) => id)).toContain(unmanaged);
    for (const found of expected) seen.add(found.split(" ")[1] ?? "");
  });
  expect([...seen].toSorted()).toEqual([
    "emailChanged",
    "memberRemoved",
    "nameChanged",
    "roleChanged",
    "seatAssigned",
    "seatRemoved",
    "tokenExtended",
    "tokenIssued",
    "tokenRevoked",
    "tokenShortened",
  ]);
});
