/** Lists of users that lack managed people: how many may be gone, and what a run then forgets. */
import { expect, test } from "vitest";
import { previewToJson } from "../../command/cli/results-json.ts";
import { previewOf } from "../../command/preview/preview.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { codeOf } from "../../provider/util/error-codes.ts";
import { broughtFixture, directFixture, type Fixture } from "./fixture.ts";
import { crowd, managed, person } from "./people.ts";

const COUNT = 25;

async function crowded(membership?: "directory") {
  const found = await broughtFixture(crowd(COUNT), {}, "anaconda");
  const { fixture } = found;
  const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
  const rosterOf = (people = crowd(COUNT)) => fixture.rosterOf(people, { membership, subscriptionExpiresAt });
  const { status } = await fixture.up(rosterOf());
  expect(status).toBe("succeeded");
  return { ...found, rosterOf };
}

const keysOf = async (fixture: Fixture) => [...(await fixture.userIds(await fixture.open())).keys()];

async function remove(fixture: Fixture, ids: readonly string[]): Promise<void> {
  for (const id of ids) await fixture.sandbox.service.management.removeUser(id);
}

test.each([undefined, "directory"] as const)(
  "forgets the people of a list that lacks as many as the removal limit, and nobody above it (membership: %s)",
  async (membership) => {
    const { fixture, idOf } = await crowded(membership);
    const keys = crowd(COUNT).map(({ key }) => key);
    await remove(fixture, keys.slice(0, 6).map(idOf));
    const options = { refresh: true };
    const refused = await fixture.up(undefined, options).catch((error: unknown) => error);
    expect(codeOf(refused)).toBe("incomplete-list");
    expect(String(refused)).toContain("lacks 6 people of the state (limit 5: 20%, at least 3, at most 25)");
    expect(await keysOf(fixture)).toHaveLength(COUNT);

    const environment = { ORGSEAT_MAX_REMOVALS: "6" };
    const { drift, absent } = await previewOf(await fixture.open(undefined, { environment }), options);
    expect(drift.members?.findings.filter(({ kind }) => kind === "memberRemoved")).toHaveLength(6);
    expect(absent.gone).toHaveLength(membership === undefined ? 0 : 6);
  },
);

test.each([undefined, "directory"] as const)(
  "--no-removals forgets nobody whom the list lacks, and changes nothing of them (membership: %s)",
  async (membership) => {
    const { fixture, idOf, rosterOf } = await crowded(membership);
    const [first, second, ...rest] = crowd(COUNT);
    if (!first || !second) throw new Error("the crowd is empty");
    await remove(
      fixture,
      [first, second].map(({ key }) => idOf(key)),
    );
    await fixture.sandbox.requests();
    // One of them has no row any more.
    const up = await fixture.up(rosterOf([first, ...rest]), { refresh: true, noRemovals: true });
    expect(up.status, JSON.stringify(up.applied?.results)).toBe("succeeded");
    expect(previewToJson(up.preview).absent).toEqual({ pending: [], gone: [] });
    expect(up.preview.withheld.map(({ key }) => key)).toEqual([first.key, second.key]);
    expect(up.preview.drift.members?.findings.map(({ key, kind }) => [key, kind])).toEqual([
      [first.key, "memberRemoved"],
      [second.key, "memberRemoved"],
    ]);
    expect((await fixture.calls()).filter((call) => call < 17)).toEqual([]);
    expect(await keysOf(fixture)).toHaveLength(COUNT);

    const next = await fixture.up(undefined, { refresh: true });
    expect(next.status, JSON.stringify(next.applied?.results)).toBe("succeeded");
    expect(await keysOf(fixture)).toHaveLength(membership === undefined ? COUNT - 1 : COUNT - 2);
  },
);

test("neither adopts members nor decides about machine users by a list that has more", async () => {
  const fixture = await directFixture(100, "anaconda");
  for (const { key } of crowd(8)) await fixture.makeMember(person(key));
  for (const pages of ["total_count", "next", "limit", "has_more"] as const) {
    await fixture.sandbox.service.management.setSwitches({ pages });
    await expect(adoptAll(await fixture.open([]), {}), pages).rejects.toThrow(
      /the list is incomplete: it (has 5 of 9 items|says that there are more|has as many items as it may have)/,
    );
    expect(await keysOf(fixture)).toEqual([]);
  }
});

test("offboard keeps a person in the state whom an account without rights does not see", async () => {
  const { fixture } = await broughtFixture([person("ada"), person("bob")], {}, "anaconda");
  await fixture.sandbox.service.management.setSwitches({ accountRights: "none" });
  const result = await offboardPeople(await fixture.open(), ["ada"], {}).catch((error: unknown) => error);
  const text = result instanceof Error ? result.message : JSON.stringify(result);
  expect(text).toContain("The service account may have lost its rights");
  expect(await keysOf(fixture)).toEqual(["ada", "bob"]);
});

test("an undecided machine user is not created again by a list that lacks the people of the state", async () => {
  const people = [managed("builds", "Builds"), ...crowd(4)];
  const { fixture } = await broughtFixture(people.slice(1), {}, "anaconda");
  const { management } = fixture.sandbox.service;
  await management.addFaults({ match: { call: 5 }, fault: { kind: "cut-after" } });
  await management.addFaults({
    match: { call: 17 },
    after: 2,
    times: "always",
    fault: { kind: "refuse", status: 500 },
  });
  await fixture.up(people);
  await management.clearFaults();
  await management.setSwitches({ accountRights: "none" });
  await expect(fixture.up(people)).rejects.toThrow("lacks 4 people of the state");
  await management.setSwitches({ accountRights: "all" });
  const { status } = await fixture.up(people);
  expect(status).toBe("succeeded");
  expect((await fixture.users()).filter(({ firstName }) => firstName === "Builds")).toHaveLength(1);
});

test("an undecided machine user is not created again while an item of the list may be it", async () => {
  const people = [managed("builds", "Builds"), person("ada")];
  const { fixture } = await broughtFixture(people.slice(1), {}, "anaconda");
  const { management } = fixture.sandbox.service;
  await management.addFaults({ match: { call: 5 }, fault: { kind: "cut-after" } });
  await management.addFaults({
    match: { call: 17 },
    after: 2,
    times: "always",
    fault: { kind: "refuse", status: 500 },
  });
  await fixture.up(people);
  await management.clearFaults();
  const builds = (await fixture.users()).find(({ firstName }) => firstName === "Builds");
  await management.setOddItems({ call: 17, id: builds?.userId, item: { id: null } });
  await fixture.up(people);
  expect((await fixture.preview()).undecided).toMatchObject([{ key: "builds" }]);
  await management.setOddItems();
  expect((await fixture.up(people)).status).toBe("succeeded");
  expect((await fixture.users()).filter(({ firstName }) => firstName === "Builds")).toHaveLength(1);
});
