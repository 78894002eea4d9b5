/** Guards before a run and within it: what passes is exactly what the preview showed, and what is stopped writes nothing. */
import { describe, expect, test } from "vitest";
import type { Organization } from "../../command/stacks/organization.ts";
import { upAll } from "../../command/verbs/up.ts";
import { directFixture, type Fixture, usersLosingAccessIn } from "./fixture.ts";
import { OneMissingEngine } from "./one-missing-engine.ts";
import { limitOf, type NewPerson, type NewRoster, person } from "./people.ts";

const SEATS = 2000;

function rosterOf({ organizationId }: Fixture, people: readonly NewPerson[], stacks = 2): NewRoster {
  return { organizationId, stacks, people };
}

function everybody(count: number): NewPerson[] {
  return Array.from({ length: count }, (_, index) => person(`p${index}`));
}

/** The first of them lose something: every second one the membership, the others the token's value. */
function withLosers(people: readonly NewPerson[], count: number, mark: string): NewPerson[] {
  return people.flatMap((person, index) => {
    if (index >= count) return [person];
    return index % 2 === 0 ? [] : [{ ...person, rotation: mark }];
  });
}

describe("the removal limit", () => {
  test.each([4, 40])(
    "holds exactly in a service of %i people: limit-1 and limit lose something, of limit+1 nobody does",
    async (size) => {
      const fixture = await directFixture(SEATS);
      const people = everybody(size);
      for (const count of [-1, 0, 1].map((more) => limitOf(size) + more)) {
        await fixture.bring(rosterOf(fixture, people));
        const changed = rosterOf(fixture, withLosers(people, count, `${count}`));
        const { status, preview } = await upAll(await fixture.open(changed), {});
        const requests = await fixture.sandbox.requests();
        const isStopped = count > limitOf(size);
        expect({ status, guards: preview.violations.map(({ guard }) => guard) }).toEqual(
          isStopped ? { status: "blocked", guards: ["removal-limit"] } : { status: "succeeded", guards: [] },
        );
        if (isStopped) expect(requests).toEqual([]);
        const losers = requests.flatMap(({ call, userId }) => (call === 9 ? [userId] : []));
        expect(new Set(losers).size).toBe(isStopped ? 0 : count);
      }
    },
  );
});

describe("a program that drops one more person between preview and run", () => {
  test("loses nobody whom the preview did not show, and says so", async () => {
    const fixture = await directFixture(SEATS);
    const people = everybody(12);
    const before = await fixture.bring(rosterOf(fixture, people, 1));
    const open = async (): Promise<Organization> =>
      fixture.open(rosterOf(fixture, people.slice(2), 1), {
        engine: new OneMissingEngine(fixture.engine, "p7"),
      });
    // A narrowed run would not declare this person at all.
    const { status, applied } = await upAll({ ...(await open()), isFull: true }, {});

    expect(status).toBe("failed");
    expect([...usersLosingAccessIn(await fixture.done())].toSorted()).toEqual(
      ["p0", "p1"].map((key) => before.get(key)).toSorted(),
    );
    expect(applied?.results.find(({ key }) => key === "p7")?.text).toContain(
      `cannot delete the token of p7@acme.example (user ${before.get("p7")}): the preview did not show this change`,
    );
    const statuses = applied?.results.map(({ key, status }) => `${key} ${status}`);
    expect(statuses?.toSorted()).toEqual(["p0 succeeded", "p1 succeeded", "p7 failed"]);
  });
});
