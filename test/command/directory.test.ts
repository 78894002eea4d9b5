/** `membership: directory`: people come and go without orgseat, which owns their seats and tokens alone. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { previewOf } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { completedCallsIn, directFixture, Fixture, usersLosingAccessIn } from "./fixture.ts";
import { type Draw, type NewPerson, type NewRoster, person } from "./people.ts";

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
