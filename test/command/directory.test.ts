/** `membership: directory`: people come and go without orgseat, which owns their seats and tokens alone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { codeOfPreview, previewToJson } from "../../command/cli/results-json.ts";
import { offboardToText } from "../../command/cli/verbs/offboard.ts";
import { planToMarkdown } from "../../command/plan/texts/markdown.ts";
import { previewOf } from "../../command/preview/preview.ts";
import { adoptAll } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { renewTokens, rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { requireList } from "../../provider/resources/members/member-list.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { completedCallsIn, directFixture, Fixture, usersLosingAccessIn } from "./fixture.ts";
import { crowd, type Draw, managed, type NewPerson, type NewRoster, person } from "./people.ts";

const suite: Suite = { name: "automation: directory", level: "R", cases: 150, quick: 10 };

const emailOf = (key: string): string => `${key}@acme.example`;

/** An organization whose members an identity provider adds and removes. */
class Directory extends Fixture {
  /** The key of each user who ever joined, by user id. */
  readonly keys = new Map<string, string>();

  static async of(platform: PlatformName = "anaconda"): Promise<Directory> {
    const { sandbox, ...parts } = await directFixture(100, platform);
    return new Directory(sandbox, parts);
  }

  override rosterOf(people: readonly NewPerson[], more: Partial<NewRoster> = {}): NewRoster {
    const { subscriptionExpiresAt } = this.sandbox.service.seed;
    const common = { subscriptionExpiresAt, membership: "directory" } as const;
    return super.rosterOf(people, { ...common, ...more });
  }

  async join(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      if ((await this.idOf(key)) !== undefined) continue;
      this.keys.set(await this.makeMember(person(key, { seat: false, token: false })), key);
    }
  }

  async leave(key: string): Promise<void> {
    const id = await this.idOf(key);
    if (id !== undefined) await this.sandbox.service.management.removeUser(id);
  }

  async idOf(key: string): Promise<string | undefined> {
    return (await this.users()).find(({ email }) => email === emailOf(key))?.userId;
  }

  /** Some of them come, or go. */
  async change(draw: Draw, keys: readonly string[]): Promise<void> {
    for (const key of draw(() => fc.subarray([...keys], { maxLength: 2 })))
      await (draw(fc.boolean) ? this.join(key) : this.leave(key));
  }

  /** The calls that add or remove a user, whatever became of them. */
  async userCalls() {
    const requests = await this.sandbox.requests();
    const of = (method: string, path: RegExp): number =>
      requests.filter((one) => one.method === method && path.test(one.path.replace(/\?.*/, ""))).length;
    return {
      ...{ added: of("POST", /\/users$/), removed: of("DELETE", /\/users\/[^/]+$/) },
      losing: usersLosingAccessIn(completedCallsIn(requests)),
    };
  }

  /** The calls that change members, as the interface numbers them. */
  async writes(): Promise<number[]> {
    return (await this.calls()).filter((call) => call >= 5 && call <= 11);
  }
}

test("a directory's people: no run adds or removes a user, doubles anybody, or takes the seat of a row", async () => {
  await checkCases(suite, fc.gen(), async (draw) => {
    const acme = await Directory.of();
    const keys = ["p0", "p1", "p2", "p3", "p4", "p5"];
    // The first one stays in the roster and in the directory: a roster without anyone of the state is refused.
    const others = keys.slice(1);
    // After a kill, a token that no state has would wait for a decision.
    const isKilled = draw(fc.boolean);
    const rowOf = (key: string) =>
      person(key, { token: !isKilled && draw(fc.integer, { min: 0, max: 3 }) > 0 });
    const rows = new Map(keys.slice(0, 4).map((key) => [key, rowOf(key)]));
    const open = (engine = acme.engine) => acme.open([...rows.values()], { engine });
    let added = 0;
    const check = async (): Promise<void> => {
      const calls = await acme.userCalls();
      added += calls.added;
      expect({ added, removed: calls.removed }).toEqual({ added: acme.keys.size, removed: 0 });
      for (const id of calls.losing) expect(rows.has(acme.keys.get(id) ?? ""), id).toBe(false);
    };
    for (const key of keys) if (key === "p0" || draw(fc.boolean)) await acme.join(key);
    await upAll(await open(), {});
    for (let round = 0; round < 4; round += 1) {
      const key = draw(() => fc.constantFrom(...others));
      const change = draw(fc.integer, { min: 0, max: 2 });
      if (change === 0) rows.delete(key);
      if (change === 1 && !rows.has(key)) rows.set(key, rowOf(key));
      await acme.change(draw, others);
      await previewOf(await open(), {});
      await acme.change(draw, others);
      let during = Promise.resolve();
      let isStarted = false;
      // The state of a killed run is lost with it.
      await upAll(await open(isKilled && draw(fc.boolean) ? acme.engine.copy() : undefined), {
        onApply: () => acme.change(draw, others),
        listener: () => {
          if (!isStarted) during = acme.change(draw, others);
          isStarted = true;
        },
      });
      await during;
      await check();
    }
    // Without further changes, one run gives everybody what is declared, and the next one finds nothing.
    const { status, preview, applied } = await upAll(await open(), {});
    const texts = [...preview.violations, ...(applied?.results ?? [])];
    expect(status, JSON.stringify(texts)).toBe("succeeded");
    const after = await previewOf(await open(), {});
    expect(after.plan.hasChanges, previewToText(after)).toBe(false);
    expect(after.absent.gone).toEqual([]);
    await check();
    const { users, tokens } = await acme.sandbox.service.management.snapshot();
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
    expect(await acme.userIds(await open())).toEqual(new Map(expected));
  });
});

describe("a roster with membership: directory", () => {
  test("says who is pending and who is gone, in text, Markdown, JSON and digest, and succeeds", async () => {
    const acme = await Directory.of();
    await acme.join("ada");
    const first = await acme.preview([person("ada"), person("bob")]);
    expect(previewToText(first)).toContain(
      "Pending in the directory (not a member yet; a later run gives the seat and the token) (1): bob@acme.example",
    );
    expect(previewToText(first)).toMatch(
      /ada@acme\.example +adopt \(is already a member\), assign seat, issue token$/m,
    );
    expect(planToMarkdown({ ...first, undecided: [] })).toContain("Pending in the directory");
    expect(codeOfPreview(first, false)).toBe(0);
    expect(previewToJson(first).absent).toEqual({ pending: [{ key: "bob", who: emailOf("bob") }], gone: [] });
    expect((await acme.up()).status).toBe("succeeded");

    const id = await acme.idOf("ada");
    const before = (await acme.preview()).document;
    await acme.leave("ada");
    await acme.sandbox.requests();
    const gone = await acme.preview();
    expect(previewToText(gone)).toContain(
      `Gone from the service, so they leave the state without a request (1): ada@acme.example (user ${id})`,
    );
    expect(gone.document).toMatchObject({ pending: ["ada", "bob"], gone: [id] });
    expect(gone.document.digest).not.toBe(before.digest);
    expect((await acme.up()).status).toBe("succeeded");
    expect(await acme.writes()).toEqual([]);
    expect((await acme.userIds(await acme.open())).size).toBe(0);
  });

  test("leaves a former member's membership: of a deleted row, a changed email, and an offboarded person", async () => {
    const acme = await Directory.of();
    const [cy, dan, eve] = ["cy", "dan", "eve"].map((key) => person(key)) as [
      NewPerson,
      NewPerson,
      NewPerson,
    ];
    const ids = await acme.bring(
      acme.rosterOf([person("ada"), person("bob"), cy, dan, eve], { membership: undefined }),
    );
    await acme.join("ada2");
    await acme.sandbox.requests();
    const next = [person("ada", { email: emailOf("ada2") }), cy, dan, eve];
    const { status, applied, preview } = await acme.up(next);
    expect(previewToText(preview)).toContain(
      "change who adds and removes members: membership none -> directory",
    );
    expect(status, JSON.stringify(applied)).toBe("succeeded");
    await offboardPeople(await acme.open(), ["cy"], {});
    const losing = new Set(["ada", "bob", "cy"].map((key) => ids.get(key) ?? ""));
    expect(await acme.userCalls()).toEqual({ added: 0, removed: 0, losing });
    const seats = new Map((await acme.users()).map(({ email, seat }) => [email, seat]));
    expect(["ada", "ada2", "bob", "cy", "dan", "eve"].map((key) => seats.get(emailOf(key)))).toEqual([
      ...[false, true, false, false, true, true],
    ]);
  });

  test("gives thirty people seats and tokens in one run, and leaves an administrator whose row is deleted", async () => {
    const acme = await Directory.of();
    const people = crowd(30);
    await acme.join(...people.map(({ key }) => key));
    await acme.sandbox.requests();
    const { status, preview } = await acme.up([...people, person("admin")]);
    expect([status, preview.violations]).toEqual(["succeeded", []]);
    expect((await acme.writes()).toSorted()).toEqual([...Array(31).fill(6), ...Array(31).fill(7)]);
    expect((await acme.up(people)).status).toBe("succeeded");
    expect(await acme.writes()).toEqual([9, 10]);
  });

  test("keeps the user of a person whose email has changed in the directory", async () => {
    const acme = await Directory.of();
    await acme.join("ada");
    await acme.up([person("ada")]);
    const id = (await acme.idOf("ada")) ?? "";
    await acme.sandbox.service.management.changeUser(id, { email: emailOf("lovelace") });
    await acme.sandbox.requests();
    for (const email of ["ada", "lovelace"]) {
      const { status, preview } = await acme.up([person("ada", { email: emailOf(email) })]);
      expect([status, preview.absent.pending]).toEqual(["succeeded", []]);
    }
    expect(await acme.writes()).toEqual([]);
    expect(await acme.userIds(await acme.open())).toEqual(new Map([["ada", id]]));
  });

  test("follows a person who married, and hands over nothing of the person who has the former address now", async () => {
    const acme = await Directory.of();
    await acme.join("ada", "bob");
    await acme.up([person("ada"), person("bob")]);
    const [ada = "", bob = ""] = [await acme.idOf("ada"), await acme.idOf("bob")];
    const { management } = acme.sandbox.service;
    await management.changeUser(ada, { email: emailOf("lovelace") });
    await acme.join("ada");
    const other = (await acme.idOf("ada")) ?? "";
    const before = await acme.held();
    await acme.sandbox.requests();
    const rows = [person("ada", { email: emailOf("lovelace") }), person("bob")];
    expect((await acme.up(rows)).status).toBe("succeeded");
    expect(await acme.writes()).toEqual([]);
    expect(await acme.userIds(await acme.open())).toEqual(
      new Map([
        ["ada", ada],
        ["bob", bob],
      ]),
    );
    expect(await acme.held()).toEqual(before);

    // The former address is that of a new colleague, who gets an own seat and token.
    expect((await acme.up([...rows, person("ada2", { email: emailOf("ada") })])).status).toBe("succeeded");
    const writes = (await acme.done()).filter(({ call }) => call >= 5 && call <= 11);
    expect(writes).toEqual([6, 7].map((call) => ({ call, userId: other })));
    const after = await acme.held();
    for (const id of [ada, bob]) expect(after.get(id)).toEqual(before.get(id));
  });

  test("stops the row whose address is now that of another person, who keeps everything", async () => {
    const acme = await Directory.of();
    await acme.join("ada", "bob", "cy");
    const rows = [person("ada"), person("bob"), person("cy")];
    await acme.up(rows);
    const [ada = "", bob = ""] = [await acme.idOf("ada"), await acme.idOf("bob")];
    const { management } = acme.sandbox.service;
    await management.changeUser(ada, { email: emailOf("lovelace") });
    await management.changeUser(bob, { email: emailOf("ada") });
    const before = await acme.held();
    await acme.sandbox.requests();
    const { status, preview, applied } = await acme.up([
      ...rows.slice(0, 2),
      person("cy", { rotation: "2026-11-28" }),
    ]);
    expect(status).toBe("failed");
    expect(preview.stopped).toMatchObject([{ key: "ada", code: "address-in-use" }]);
    expect(applied?.results.map(({ key, status: result }) => `${key} ${result}`)).toEqual([
      "ada failed",
      "cy succeeded",
    ]);
    const calls = await acme.userCalls();
    expect(calls).toMatchObject({ added: 0, removed: 0 });
    const after = await acme.held();
    for (const id of [ada, bob]) expect(after.get(id)).toEqual(before.get(id));
  });

  test("adopts existing members with their tokens, and finds those again who left and came back", async () => {
    const acme = await Directory.of();
    for (const key of ["ada", "bob"]) await acme.makeMember(person(key));
    expect((await adoptAll(await acme.open([]), {})).status).toBe("succeeded");
    const before = await acme.userIds(await acme.open());
    expect([...before.keys()].toSorted()).toEqual(["ada", "admin", "bob"].map(emailOf));
    const quiet = await acme.preview();
    expect(new Set(quiet.plan.entries.map(({ action }) => action))).toEqual(new Set(["changeMembership"]));
    await acme.leave("ada");
    await acme.join("ada");
    expect((await acme.up()).status).toBe("succeeded");
    expect((await acme.userIds(await acme.open())).get(emailOf("ada"))).toBe(await acme.idOf("ada"));
    const { preview } = await renewTokens(await acme.open(), {});
    expect(preview).toMatchObject({ otherChanges: 0, warnings: [] });
  });

  test("renews and rotates the tokens of the people in the state without a list", async () => {
    const acme = await Directory.of();
    await acme.join("ada");
    await acme.up([person("ada"), person("bob")]);
    await acme.sandbox.requests();
    expect((await renewTokens(await acme.open(), {})).status).toBe("succeeded");
    expect((await rotateTokens(await acme.open(), ["ada"], {})).status).toBe("succeeded");
    expect(await acme.writes()).toEqual([7, 9]);
  });

  test("leaves one person alone whose row cannot be applied, names the row, and applies the others", async () => {
    const acme = await Directory.of();
    await acme.join("ada", "bob", "cy", "dan", "eve");
    const rows = ["ada", "bob", "cy", "dan"].map((key) => person(key));
    expect((await acme.up(rows)).status).toBe("succeeded");
    const id = async (key: string) => (await acme.idOf(key)) ?? "";
    const [bob, cy, dan, eve] = [await id("bob"), await id("cy"), await id("dan"), await id("eve")];
    const held = await acme.held();
    const { management } = acme.sandbox.service;
    // Two users have the address of a row, another row is about a user of a third, and the lists lack someone with a token.
    await acme.join("frank", "gil");
    const gil = await id("gil");
    await acme.sandbox.requests();
    const { users } = requireList(await acme.behindOurBack((api, operation) => api.listUsers(operation)));
    const items = users.flatMap((user) => {
      if (user.id === dan) return [];
      return { ...user, email: user.id === gil ? emailOf("Frank") : user.email };
    });
    await management.addFaults({
      ...{ match: { call: 17 }, times: "always" },
      fault: { kind: "refuse", status: 200, body: { items } },
    });
    const wanted = [...rows, person("frank"), person("cy2", { userId: cy }), person("eve")];
    const preview = await acme.preview(wanted, { refresh: true });
    expect(codeOfPreview(preview, true)).toBe(1);
    expect(preview.drift.members?.findings, "nothing shows that dan has left").toEqual([]);
    const { status, applied, preview: shown } = await acme.up(wanted);
    expect(status).toBe("failed");
    expect(shown.stopped.map(({ key, text }) => [key, text]).toSorted()).toEqual(
      [
        [
          "frank",
          expect.stringMatching(
            /people\.csv, line \d+: the service lists several users with the email frank@acme\.example: \S+, \S+\. Write the right one into user_id$/,
          ),
        ],
        [
          "cy2",
          expect.stringMatching(
            /line \d+: cy2@acme\.example is the same member as .*people\.csv, line \d+\. Remove one of the two rows, or correct its key, email, or user_id$/,
          ),
        ],
        [
          "dan",
          expect.stringMatching(
            /^cannot tell whether dan@acme\.example \(user \S+\) is a member: the list of users does not contain this user, but the service lists the user's tokens\. Check the user in the service$/,
          ),
        ],
      ].toSorted(),
    );
    const failed = applied?.results.filter((one) => one.status === "failed");
    expect(failed?.map(({ key, code }) => `${key} ${code}`).toSorted()).toEqual([
      "cy2 duplicate-declaration",
      "dan incomplete-list",
      "frank cannot-adopt",
    ]);
    expect(applied?.results.filter((one) => one.status === "succeeded").map(({ key }) => key)).toEqual([
      "eve",
    ]);
    expect(previewToText(shown)).toContain("Left as they are, because their rows cannot be applied (3):");
    await management.clearFaults();
    const after = await acme.held();
    for (const one of [bob, cy, dan]) expect(after.get(one)).toEqual(held.get(one));
    expect(after.get(eve)).toMatchObject({ seat: true, tokens: [expect.any(String)] });
    expect([...(await acme.userIds(await acme.open())).keys()].toSorted()).toEqual([
      "ada",
      "bob",
      "cy",
      "dan",
      "eve",
    ]);
  });

  test("ends seat and token of an offboarded administrator, and says what the directory has to do", async () => {
    const acme = await Directory.of();
    await acme.join("ada");
    expect((await acme.up([person("ada"), person("admin")])).status).toBe("succeeded");
    await acme.sandbox.requests();
    const result = await offboardPeople(await acme.open(), ["admin"], {});
    expect(result.status, JSON.stringify(result.applied?.results)).toBe("succeeded");
    expect(result.leftToDirectory).toEqual([emailOf("admin")]);
    expect(offboardToText(result)).toContain(
      "The directory owns the membership of admin@acme.example: remove or disable the user there.",
    );
    expect(await acme.writes()).toEqual([9, 10]);
    expect([...(await acme.userIds(await acme.open())).keys()]).toEqual(["ada"]);
  });

  test("needs a user_id in each row where the platform cannot list users", async () => {
    const acme = await Directory.of("basic");
    await expect(acme.open([person("ada")])).rejects.toThrow(
      /cannot list users, so with `membership: directory` each row needs a user_id: .*people\.csv, line \d/,
    );
    const userId = await acme.makeMember(person("ada", { seat: false, token: false }));
    expect((await acme.up([person("ada", { userId })])).status).toBe("succeeded");
  });

  test("refuses a machine user without user_id, and on_delete", async () => {
    const acme = await Directory.of();
    await expect(acme.open([managed("builds", "Builds")])).rejects.toThrow(
      /\(user_id\): missing user_id\. With membership: directory, orgseat adds no machine user/,
    );
    await expect(acme.open(acme.rosterOf([person("ada")], { onDelete: "delete" }))).rejects.toThrow(
      /\(on_delete\): has no effect together with membership: directory/,
    );
  });
});
