/** Another run between the preview of an `up` and its writes: nothing is done to anyone that the preview did not show. */
import { describe, expect, test } from "vitest";
import type { UpResult } from "../../command/verbs/up.ts";
import { upAll } from "../../command/verbs/up.ts";
import { directFixture, type Fixture, type User } from "./fixture.ts";
import { type NewPerson, person } from "./people.ts";

const [ada, bob, eve, zoe] = ["ada", "bob", "eve", "zoe"].map((key) => person(key)) as [
  NewPerson,
  NewPerson,
  NewPerson,
  NewPerson,
];

interface Played {
  readonly result: UpResult;
  /** What the run did that had to wait, after the other one was over. */
  readonly calls: readonly number[];
  readonly users: readonly User[];
}

/** One `up` waits for its confirmation while the other one runs from beginning to end. */
async function play(
  fixture: Fixture,
  waiting: readonly NewPerson[],
  other: readonly NewPerson[],
): Promise<Played> {
  const result = await upAll(await fixture.open(waiting), {
    confirm: async () => {
      await fixture.up(other);
      await fixture.done();
      return true;
    },
  });
  return { result, calls: await fixture.calls(), users: await fixture.users() };
}

async function groundOf(...people: readonly NewPerson[]): Promise<Fixture> {
  const fixture = await directFixture(50);
  await fixture.bring(people);
  return fixture;
}

function statuses({ applied }: UpResult): string[] {
  return (applied?.results ?? []).map(({ key, status }) => `${key} ${status}`).toSorted();
}

describe("an up that waits for its confirmation", () => {
  test("adds nobody again whom another run removes, and goes on with others", async () => {
    const { result, calls, users } = await play(await groundOf(ada, eve), [ada, bob, zoe, eve], [ada]);
    expect(statuses(result)).toEqual(["bob succeeded", "zoe succeeded"]);
    expect(users.map(({ email }) => email).toSorted()).toEqual([ada.email, bob.email, zoe.email]);
    expect(calls).toEqual([5, 6, 7, 5, 6, 7]);
  });

  test("changes nobody whom another run removes", async () => {
    const rotated = { ...eve, rotation: "2026-11-28T00:00:00Z" };
    const { result, calls } = await play(await groundOf(ada, eve), [ada, bob, rotated], [ada]);
    expect(calls).toEqual([5, 6, 7]);
    expect(statuses(result)).toEqual(["bob succeeded", "eve failed"]);
  });

  test("removes nobody whom another run adds", async () => {
    const { result, calls } = await play(await groundOf(ada, bob), [ada], [ada, bob, zoe]);
    expect(statuses(result)).toEqual(["bob succeeded"]);
    expect(calls).toEqual([9, 10, 11]);
  });

  test("reissues no token that another run extends, for the older, earlier expiry", async () => {
    const early = { ...ada, expires: "2027-01-01T00:00:00Z" };
    const { result, calls } = await play(await groundOf(early), [early, bob], [ada]);
    expect(calls).toEqual([5, 6, 7]);
    expect(statuses(result)).toEqual(["bob succeeded"]);
  });

  test("rotates a token once that both rotate", async () => {
    const rotated = { ...ada, rotation: "2026-11-28T00:00:00Z" };
    const { calls } = await play(await groundOf(ada), [rotated], [rotated]);
    expect(calls).toEqual([]);
  });

  test("removes a person once whom both remove, and the result says it", async () => {
    const { result, calls } = await play(await groundOf(ada, eve), [ada], [ada]);
    expect(result.status).toBe("succeeded");
    expect(calls).toEqual([]);
    expect(statuses(result)).toEqual(["eve succeeded"]);
  });
});
