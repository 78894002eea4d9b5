/** Another run between the preview of an `up` and its writes: nothing is done to anyone that the preview did not show. */
import { describe, expect, test } from "vitest";
import type { UpResult } from "../../command/verbs/up.ts";
import { upAll } from "../../command/verbs/up.ts";
import { type CompletedCall, directFixture, type Fixture, type User } from "./fixture.ts";
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
  readonly done: readonly CompletedCall[];
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
  const { organizationId } = fixture;
  const rosterOf = (people: readonly NewPerson[]) => ({ organizationId, stacks: 1, people });
  const failed: string[] = [];
  const organization = { ...(await fixture.open(rosterOf(waiting))), isFull };
  const result = await upAll(organization, {
    listener: ({ urn, state }) => void (state === "failed" && failed.push(urn)),
    confirm: async () => {
      await upAll(await fixture.open(rosterOf(other)), {});
      await fixture.done();
      return true;
    },
  });
  return { result, failed, done: await fixture.done(), users: await fixture.users() };
}

async function groundOf(people: readonly NewPerson[]): Promise<Fixture> {
  const fixture = await directFixture(50);
  await fixture.bring({ organizationId: fixture.organizationId, stacks: 1, people });
  return fixture;
}

function statuses({ applied }: UpResult): string[] {
  return (applied?.results ?? []).map(({ who, status }) => `${who} ${status}`).toSorted();
}

function reasonFor(who: string, { applied }: UpResult): string | undefined {
  return applied?.results.find((one) => one.who === who)?.text;
}

describe("an up that waits for its confirmation", () => {
  test("adds nobody again whom another run removes, and the result says so", async () => {
    const fixture = await groundOf([ada, eve]);
    const { result, done, users } = await play(fixture, [ada, bob, eve], [ada]);
    expect(result.status).toBe("failed");
    expect(users.map(({ email }) => email).toSorted()).toEqual([ada.email, bob.email]);
    expect(done.map(({ call }) => call)).toEqual([5, 6, 7]);
    expect(statuses(result)).toEqual([`${bob.email} succeeded`, `${eve.email} failed`]);
    expect(reasonFor(eve.email ?? "", result)).toContain(
      `cannot create the membership of ${eve.email}: ${NOT_SHOWN}`,
    );
    expect(reasonFor(eve.email ?? "", result)).toContain("Run `orgseat up` again and check its preview");
  });

  test("reissues no token that another run extends, for the older, earlier expiry", async () => {
    const early = { ...ada, expires: "2027-01-01T00:00:00Z" };
    const fixture = await groundOf([early]);
    const { result, done } = await play(fixture, [early, bob], [ada]);
    expect(result.status).toBe("failed");
    expect(done.map(({ call }) => call)).toEqual([5, 6, 7]);
    expect(statuses(result)).toEqual([`${ada.email} failed`, `${bob.email} succeeded`]);
    expect(reasonFor(ada.email ?? "", result)).toContain(`cannot update the token of ${ada.email}`);
  });

  test.each([true, false])(
    "removes a person once whom both remove, and the result is done (full: %s)",
    async (isFull) => {
      const fixture = await groundOf([ada, eve]);
      const { result, done } = await play(fixture, [ada], [ada], { isFull });
      expect(result.status).toBe("succeeded");
      expect(done).toEqual([]);
      expect(statuses(result)).toEqual([`${eve.email} already-gone`]);
    },
  );

  test("goes on with others, and tries a refused person once", async () => {
    const fixture = await groundOf([ada, eve]);
    const { management } = fixture.sandbox.service;
    await management.addFaults({ match: { call: 6 }, times: 2, fault: { kind: "refuse", status: 409 } });
    const { result, failed } = await play(fixture, [ada, bob, zoe, eve], [ada]);
    expect(statuses(result)).toEqual([
      `${bob.email} succeeded`,
      `${eve.email} failed`,
      `${zoe.email} succeeded`,
    ]);
    expect(failed.filter((urn) => urn.endsWith("::eve-user"))).toHaveLength(1);
  });
});
