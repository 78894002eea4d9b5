/** `membership: directory`: people come and go without orgseat, which owns their seats and tokens alone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { previewToText } from "../../command/cli/results.ts";
import { codeOfPreview, previewToJson } from "../../command/cli/results-json.ts";
import type { PlanDocument } from "../../command/plan/document.ts";
import { planToMarkdown } from "../../command/plan/texts/markdown.ts";
import { previewAll } from "../../command/preview/preview.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { renewTokens, rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { completedCallsIn, directFixture, type Fixture, usersLosingAccessIn } from "./fixture.ts";
import { type Draw, managed, type NewPerson, type NewRoster, person } from "./people.ts";

const suite: Suite = { name: "automation: directory", level: "R", cases: 150, quick: 10 };

function rosterOf({ organizationId, sandbox }: Fixture, people: readonly NewPerson[]): NewRoster {
  const { subscriptionExpiresAt } = sandbox.service.seed;
  return { organizationId, subscriptionExpiresAt, stacks: 2, people, membership: "directory" };
}

function emailOf(key: string): string {
  return `${key}@acme.example`;
}

/** What the identity provider does. */
class Outside {
  readonly #fixture: Fixture;
  /** The key of each user who ever joined, by user id. */
  readonly keys = new Map<string, string>();

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
  }

  async join(key: string): Promise<void> {
    if ((await this.idOf(key)) !== undefined) return;
    this.keys.set(await this.#fixture.makeMember(person(key, { seat: false, token: false })), key);
  }

  async leave(key: string): Promise<void> {
    const id = await this.idOf(key);
    if (id !== undefined) await this.#fixture.sandbox.service.management.removeUser(id);
  }

  async idOf(key: string): Promise<string | undefined> {
    return (await this.#fixture.users()).find(({ email }) => email === emailOf(key))?.userId;
  }

  /** Some of them come, or go. */
  async change(draw: Draw, keys: readonly string[]): Promise<void> {
    for (const key of draw(() => fc.subarray([...keys], { maxLength: 2 })))
      await (draw(fc.boolean) ? this.join(key) : this.leave(key));
  }
}

/** The calls that add or remove a user, whatever became of them. */
async function userCallsOf({ sandbox }: Fixture) {
  const requests = await sandbox.requests();
  const of = (method: string, path: RegExp): number =>
    requests.filter((one) => one.method === method && path.test(one.path.replace(/\?.*/, ""))).length;
  return {
    ...{ added: of("POST", /\/users$/), removed: of("DELETE", /\/users\/[^/]+$/) },
    losing: usersLosingAccessIn(completedCallsIn(requests)),
  };
}

/** The calls that change members, as the interface numbers them. */
async function writesOf(fixture: Fixture): Promise<number[]> {
  return (await fixture.done()).map(({ call }) => call).filter((call) => call >= 5 && call <= 11);
}

test("a directory's people: no run adds or removes a user, doubles anybody, or takes the seat of a row", async () => {
  await checkCases(suite, fc.gen(), async (draw) => {
    const fixture = await directFixture(100, "anaconda");
    const outside = new Outside(fixture);
    const keys = ["p0", "p1", "p2", "p3", "p4", "p5"];
    // The first one stays in the roster and in the directory: a roster without anyone of the state is refused.
    const others = keys.slice(1);
    // After a kill, a token that no state has would wait for a decision.
    const isKilled = draw(fc.boolean);
    const rowOf = (key: string) =>
      person(key, { token: !isKilled && draw(fc.integer, { min: 0, max: 3 }) > 0 });
    const rows = new Map(keys.slice(0, 4).map((key) => [key, rowOf(key)]));
    const open = (engine?: DirectEngine) =>
      fixture.open(rosterOf(fixture, [...rows.values()]), { ...(engine && { engine }) });
    const direct = z.instanceof(DirectEngine).parse(fixture.engine);
    let added = 0;
    const check = async (): Promise<void> => {
      const calls = await userCallsOf(fixture);
      added += calls.added;
      expect({ added, removed: calls.removed }).toEqual({ added: outside.keys.size, removed: 0 });
      for (const id of calls.losing) expect(rows.has(outside.keys.get(id) ?? ""), id).toBe(false);
    };
    for (const key of keys) if (key === "p0" || draw(fc.boolean)) await outside.join(key);
    await upAll(await open(), {});
    for (let round = 0; round < 4; round += 1) {
      const key = draw(() => fc.constantFrom(...others));
      const change = draw(fc.integer, { min: 0, max: 2 });
      if (change === 0) rows.delete(key);
      if (change === 1 && !rows.has(key)) rows.set(key, rowOf(key));
      await outside.change(draw, others);
      await previewAll(await open(), {});
      await outside.change(draw, others);
      let during = Promise.resolve();
      let isStarted = false;
      // The state of a killed run is lost with it.
      await upAll(await open(isKilled && draw(fc.boolean) ? direct.copy() : undefined), {
        onApply: () => outside.change(draw, others),
        listener: () => {
          if (!isStarted) during = outside.change(draw, others);
          isStarted = true;
        },
      });
      await during;
      await check();
    }
    // Without further changes, one run gives everybody what is declared, and the next one finds nothing.
    const { status, preview, applied } = await upAll(await open(), {});
    const texts = [...preview.violations, ...preview.failures, ...(applied?.results ?? [])];
    expect(status, JSON.stringify(texts)).toBe("succeeded");
    const after = await previewAll(await open(), {});
    expect(after.plan.hasChanges, previewToText(after)).toBe(false);
    expect(after.absent.gone).toEqual([]);
    await check();
    const { users, tokens } = await fixture.sandbox.service.management.snapshot();
    const there = new Map(users.map((user) => [user.email, user]));
    expect(there.size).toBe(users.length);
    expect(after.absent.pending.map((one) => one.key)).toEqual(
      [...rows.keys()].filter((key) => !there.has(emailOf(key))),
    );
    const expected = [...rows].flatMap(([key, { token }]) => {
      const user = there.get(emailOf(key));
      if (user === undefined) return [];
      const own = tokens.filter((one) => one.userId === user.userId && !one.revoked);
      expect({ key, seat: user.seat, tokens: own.length }).toEqual({
        key,
        seat: true,
        tokens: token ? 1 : 0,
      });
      return [[key, user.userId] as const];
    });
    expect(await fixture.userIds(await open())).toEqual(new Map(expected));
  });
});

describe("a roster with membership: directory", () => {
  test("says who is pending and who is gone, in text, Markdown, JSON and digest, and succeeds", async () => {
    const fixture = await directFixture(100, "anaconda");
    const outside = new Outside(fixture);
    const [ada, bob] = [person("ada"), person("bob")];
    const open = () => fixture.open(rosterOf(fixture, [ada, bob]));
    await outside.join("ada");
    const first = await previewAll(await open(), {});
    expect(previewToText(first)).toContain(
      "Pending in the directory (not a member yet; a later run gives the seat and the token) (1): bob@acme.example",
    );
    expect(previewToText(first)).toMatch(
      /ada@acme\.example +adopt \(is already a member\), assign seat, issue token$/m,
    );
    expect(planToMarkdown(first)).toContain("Pending in the directory");
    expect(codeOfPreview(first, false)).toBe(0);
    expect(previewToJson(first).absent).toEqual({ pending: [{ key: "bob", who: emailOf("bob") }], gone: [] });
    expect((await upAll(await open(), {})).status).toBe("succeeded");

    const id = await outside.idOf("ada");
    const before = (await previewAll(await open(), {})).document;
    await outside.leave("ada");
    await fixture.sandbox.requests();
    const gone = await previewAll(await open(), {});
    expect(previewToText(gone)).toContain(
      `Gone from the service, so they leave the state without a request (1): ada@acme.example (user ${id})`,
    );
    const absent = ({ pending, gone: left, digest }: PlanDocument) => ({ pending, left, digest });
    expect(absent(gone.document)).toEqual({
      pending: ["ada", "bob"],
      left: [id],
      digest: expect.any(String),
    });
    expect(gone.document.digest).not.toBe(before.digest);
    expect((await upAll(await open(), {})).status).toBe("succeeded");
    expect(await writesOf(fixture)).toEqual([]);
    expect((await fixture.userIds(await open())).size).toBe(0);
  });

  test("leaves a former member's membership: of a deleted row, a changed email, and an offboarded person", async () => {
    const fixture = await directFixture(100, "anaconda");
    const outside = new Outside(fixture);
    const people = ["ada", "bob", "cy", "dan", "eve"].map((key) => person(key));
    const ids = await fixture.bring({ ...rosterOf(fixture, people), membership: undefined });
    await outside.join("ada2");
    await fixture.sandbox.requests();
    const [ada, , cy, dan] = people.map((one) =>
      one.key === "ada" ? { ...one, email: emailOf("ada2") } : one,
    );
    if (!ada || !cy || !dan) throw new Error("people are missing");
    const next = rosterOf(fixture, [ada, cy, dan, person("eve")]);
    const preview = await previewAll(await fixture.open(next), {});
    expect(previewToText(preview)).toContain(
      "change who adds and removes members: membership none -> directory",
    );
    const { status, applied } = await upAll(await fixture.open(next), {});
    expect(status, JSON.stringify(applied)).toBe("succeeded");
    await offboardPeople(await fixture.reopen(), ["cy"], {});
    const calls = await userCallsOf(fixture);
    expect({ added: calls.added, removed: calls.removed }).toEqual({ added: 0, removed: 0 });
    expect(calls.losing).toEqual(new Set(["ada", "bob", "cy"].map((key) => ids.get(key) ?? "")));
    const seats = new Map((await fixture.users()).map(({ email, seat }) => [email, seat]));
    expect(["ada", "ada2", "bob", "cy", "dan", "eve"].map((key) => seats.get(emailOf(key)))).toEqual([
      ...[false, true, false, false, true, true],
    ]);
  });

  test("gives thirty people seats and tokens in one run, and leaves an administrator whose row is deleted", async () => {
    const fixture = await directFixture(100, "anaconda");
    const people = Array.from({ length: 30 }, (_, index) => person(`p${index}`));
    for (const one of people) await fixture.makeMember({ ...one, seat: false, token: false });
    await fixture.sandbox.requests();
    const { status, preview } = await upAll(
      await fixture.open(rosterOf(fixture, [...people, person("admin")])),
      {},
    );
    expect([status, preview.violations]).toEqual(["succeeded", []]);
    expect((await writesOf(fixture)).toSorted()).toEqual([...Array(31).fill(6), ...Array(31).fill(7)]);
    expect((await upAll(await fixture.open(rosterOf(fixture, people)), {})).status).toBe("succeeded");
    expect(await writesOf(fixture)).toEqual([9, 10]);
  });

  test("keeps the user of a person whose email has changed in the directory", async () => {
    const fixture = await directFixture(100, "anaconda");
    const outside = new Outside(fixture);
    await outside.join("ada");
    const open = (email: string) =>
      fixture.open(rosterOf(fixture, [person("ada", { email: emailOf(email) })]));
    await upAll(await open("ada"), {});
    const id = (await outside.idOf("ada")) ?? "";
    await fixture.sandbox.service.management.changeUser(id, { email: emailOf("lovelace") });
    await fixture.sandbox.requests();
    for (const email of ["ada", "lovelace"]) {
      const { status, preview } = await upAll(await open(email), {});
      expect([status, preview.absent.pending]).toEqual(["succeeded", []]);
    }
    expect(await writesOf(fixture)).toEqual([]);
    expect(await fixture.userIds(await open("lovelace"))).toEqual(new Map([["ada", id]]));
  });

  test("adopts existing members with their tokens, and finds those again who left and came back", async () => {
    const fixture = await directFixture(100, "anaconda");
    for (const key of ["ada", "bob"]) await fixture.makeMember(person(key));
    const adopted = await adoptAll(await fixture.open(rosterOf(fixture, [])), {});
    expect(adopted.status).toBe("succeeded");
    const before = await fixture.userIds(await fixture.reopen());
    expect([...before.keys()].toSorted()).toEqual([
      "ada@acme.example",
      "admin@acme.example",
      "bob@acme.example",
    ]);
    const quiet = await previewAll(await fixture.reopen(), {});
    expect(new Set(quiet.plan.entries.map(({ action }) => action))).toEqual(new Set(["changeMembership"]));
    await fixture.sandbox.service.management.removeUser(before.get("ada@acme.example") ?? "");
    const again = await fixture.makeMember(person("ada", { seat: false, token: false }));
    expect((await upAll(await fixture.reopen(), {})).status).toBe("succeeded");
    expect((await fixture.userIds(await fixture.reopen())).get("ada@acme.example")).toBe(again);
    const { preview } = await renewTokens(await fixture.reopen(), {});
    expect(preview).toMatchObject({ otherChanges: 0, warnings: [] });
  });

  test("renews and rotates the tokens of the people in the state without a list", async () => {
    const fixture = await directFixture(100, "anaconda");
    await new Outside(fixture).join("ada");
    const roster = rosterOf(fixture, [person("ada"), person("bob")]);
    await upAll(await fixture.open(roster), {});
    await fixture.sandbox.requests();
    expect((await renewTokens(await fixture.reopen(), {})).status).toBe("succeeded");
    expect((await rotateTokens(await fixture.reopen(), ["ada"], {})).status).toBe("succeeded");
    expect(await writesOf(fixture)).toEqual([7, 9]);
  });

  test("needs a user_id in each row where the platform cannot list users", async () => {
    const fixture = await directFixture(100, "basic");
    await expect(fixture.open(rosterOf(fixture, [person("ada")]))).rejects.toThrow(
      /cannot list users, so with `membership: directory` each row needs a user_id: .*people\.csv, line \d/,
    );
    const userId = await fixture.makeMember(person("ada", { seat: false, token: false }));
    const { status } = await upAll(await fixture.open(rosterOf(fixture, [person("ada", { userId })])), {});
    expect(status).toBe("succeeded");
  });

  test("refuses a machine user without user_id, and on_delete", async () => {
    const fixture = await directFixture(100, "anaconda");
    await expect(fixture.open(rosterOf(fixture, [managed("builds", "Builds")]))).rejects.toThrow(
      /\(user_id\): missing user_id\. With membership: directory, orgseat adds no machine user/,
    );
    await expect(fixture.open({ ...rosterOf(fixture, [person("ada")]), onDelete: "delete" })).rejects.toThrow(
      /\(on_delete\): has no effect together with membership: directory/,
    );
  });
});
