/** Another run between the preview of an `up` and its writes: nothing is done to anyone that the preview did not show. */
import { describe, expect, test } from "vitest";
import type { UpResult } from "../../command/verbs/up.ts";
import { upAll } from "../../command/verbs/up.ts";
import { directFixture, type Fixture, type User } from "./fixture.ts";
import { type NewPerson, person } from "./people.ts";

const NOT_SHOWN = "the preview did not show this change, and something has changed since";

const [ada, bob, eve, zoe] = ["ada", "bob", "eve", "zoe"].map((key) => person(key)) as [
  NewPerson,
  NewPerson,
  NewPerson,
  NewPerson,
];

interface Played {
  readonly result: UpResult;
  /** The URNs of what failed, once for each time. */
  readonly failed: readonly string[];
  /** What the run did that had to wait, after the other one was over. */
  readonly calls: readonly number[];
  readonly users: readonly User[];
}

/**
 * One `up` waits for its confirmation while the other one runs from beginning to end.
 * @param isFull whether the one that waits is about everybody, not only those whom its preview changes
 */
async function play(
  fixture: Fixture,
  waiting: readonly NewPerson[],
  other: readonly NewPerson[],
  { isFull = true } = {},
): Promise<Played> {
  const failed: string[] = [];
  const organization = { ...(await fixture.open(waiting)), isFull };
  const result = await upAll(organization, {
    listener: ({ urn, state }) => void (state === "failed" && failed.push(urn)),
    confirm: async () => {
      await fixture.up(other);
      await fixture.done();
      return true;
    },
  });
  return { result, failed, calls: await fixture.calls(), users: await fixture.users() };
}

async function groundOf(...people: readonly NewPerson[]): Promise<Fixture> {
  const fixture = await directFixture(50);
  await fixture.bring(people);
  return fixture;
}

function statuses({ applied }: UpResult): string[] {
  return (applied?.results ?? []).map(({ key, status }) => `${key} ${status}`).toSorted();
}

function reasonFor(who: string, { applied }: UpResult): string | undefined {
  return applied?.results.find(({ key }) => key === who)?.text;
}

describe("an up that waits for its confirmation", () => {
  test("adds nobody again whom another run removes, tries that once, says so, and goes on with others", async () => {
    const fixture = await groundOf(ada, eve);
    const { management } = fixture.sandbox.service;
    await management.addFaults({ match: { call: 6 }, times: 2, fault: { kind: "refuse", status: 409 } });
    const { result, failed, users } = await play(fixture, [ada, bob, zoe, eve], [ada]);
    expect(result.status).toBe("failed");
    expect(users.map(({ email }) => email).toSorted()).toEqual([ada.email, bob.email, zoe.email]);
    expect(statuses(result)).toEqual(["bob succeeded", "eve failed", "zoe succeeded"]);
    expect(reasonFor("eve", result)).toContain(`cannot create the membership of ${eve.email}: ${NOT_SHOWN}`);
    expect(reasonFor("eve", result)).toContain("Run `orgseat up` again and check its preview");
    expect(failed.filter((urn) => urn.endsWith("::eve-user"))).toHaveLength(1);
  });

  test("removes nobody whom another run adds, in a run about everybody", async () => {
    const { result, calls } = await play(await groundOf(ada, bob), [ada], [ada, bob, zoe]);
    expect(statuses(result)).toEqual(["bob succeeded", "zoe failed"]);
    expect(reasonFor("zoe", result)).toMatch(
      RegExp(`cannot delete the token of ${zoe.email} .*${NOT_SHOWN}`),
    );
    expect(calls).toEqual([9, 10, 11]);
  });

  test("reissues no token that another run extends, for the older, earlier expiry", async () => {
    const early = { ...ada, expires: "2027-01-01T00:00:00Z" };
    const { result, calls } = await play(await groundOf(early), [early, bob], [ada]);
    expect(calls).toEqual([5, 6, 7]);
    expect(statuses(result)).toEqual(["ada failed", "bob succeeded"]);
    expect(reasonFor("ada", result)).toContain(`cannot update the token of ${ada.email}`);
  });

  test.each([true, false])(
    "removes a person once whom both remove, and the result is done (full: %s)",
    async (isFull) => {
      const { result, calls } = await play(await groundOf(ada, eve), [ada], [ada], { isFull });
      expect(result.status).toBe("succeeded");
      expect(calls).toEqual([]);
      expect(statuses(result)).toEqual(["eve already-gone"]);
    },
  );
});
