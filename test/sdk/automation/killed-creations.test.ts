/** Managed users whose creation dies with the provider or with the state, several times, in twelve programs. */
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { upAll } from "../../../sdk/automation/up.ts";
import { checkCases } from "../../setup/cases.ts";
import { configurationOf } from "../../setup/direct.ts";
import { DirectEngine } from "../../setup/direct-engine.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../../setup/sandbox.ts";
import { Fixture } from "./fixture.ts";
import type { Draw, NewPerson, NewRoster } from "./people.ts";

const PROGRAMS = 12;
const deaths = ["before it is sent", "after its commit", "before its result is stored"] as const;

test("killed 300 times over twelve programs, no managed user is created twice, and decisions settle what is open", async () => {
  const service = await sandbox({ seats: 100_000 });
  const environment = configurationOf(service, await makeServiceAccount(service));
  let number = 0;
  await checkCases(
    { name: "creations killed", level: "R", cases: 300, quick: 10 },
    fc.gen(),
    async (draw) => {
      const engine = new DirectEngine(environment);
      const fixture = new Fixture(service, {
        ...{ engine, environment },
        file: join(temporaryFolder(), "people.csv"),
      });
      const roster = rosterOf(fixture, number % PROGRAMS, `p${number}`);
      number += 1;
      await new Case(fixture, engine, roster, draw).holds();
    },
  );
});

/** One to four managed users; some without a seat, some of one purpose, some over several stacks. */
function rosterOf({ organizationId }: Fixture, program: number, prefix: string): NewRoster {
  const people = Array.from({ length: 1 + (program % 4) }, (_, index): NewPerson => {
    const seat = (program + index) % 3 === 0;
    const purpose = program % 5 === 4 ? `${prefix} twins` : `${prefix} builds ${index}`;
    return { key: `${prefix}-m${index}`, purpose, seat, token: seat && program % 2 === 0, protected: false };
  });
  return { organizationId, stacks: program % 3 === 2 ? 2 : 1, people };
}

class Case {
  readonly #fixture: Fixture;
  readonly #engine: DirectEngine;
  readonly #roster: NewRoster;
  readonly #draw: Draw;

  constructor(fixture: Fixture, engine: DirectEngine, roster: NewRoster, draw: Draw) {
    this.#fixture = fixture;
    this.#engine = engine;
    this.#roster = roster;
    this.#draw = draw;
  }

  async holds(): Promise<void> {
    for (let kills = this.#draw(fc.integer, { min: 1, max: 3 }); kills > 0; kills--) {
      await this.#die();
      await this.#expectNobodyTwice();
      await upAll(await this.#open(), {});
      await this.#expectNobodyTwice();
    }
    await this.#decide();
    const { status, applied } = await upAll(await this.#open(), {});
    expect({ status, applied }).toEqual({ status: "succeeded", applied: undefined });
    const ids = [...(await this.#fixture.userIds(await this.#open())).values()];
    expect(ids.toSorted()).toEqual((await this.#users()).map(({ userId }) => userId).toSorted());
    expect(ids).toHaveLength(this.#roster.people.length);
  }

  /** A run in which the creation of one of them dies, where there is one to create. */
  async #die(): Promise<void> {
    const victim = this.#draw(() => fc.constantFrom(...this.#roster.people));
    const death = this.#draw(() => fc.constantFrom(...deaths));
    const { management } = this.#service;
    if (death !== "before its result is stored") {
      const kind = death === "before it is sent" ? "cut-before" : "cut-after";
      await management.addFaults({ match: { call: 5, body: victim.purpose }, fault: { kind } });
      await upAll(await this.#open(), {});
      await management.clearFaults();
      return;
    }
    const organization = await this.#open();
    const before = await this.#fixture.userIds(organization);
    await upAll(organization, {});
    // A seat would say that the state was written.
    if (victim.seat || before.has(victim.key)) return;
    for (const stack of organization.stacks) this.#engine.lose(stack, `${victim.key}-user`);
  }

  /** As somebody decides who looks at the service. */
  async #decide(): Promise<void> {
    const organization = await this.#open();
    const { preview } = await upAll(organization, { confirm: async () => false });
    const known = new Set((await this.#fixture.userIds(organization)).values());
    const taken = new Set(
      preview.creations.map(({ next, userId }) => (next === "take" ? userId : undefined)),
    );
    const unknown = (await this.#users()).filter(({ userId }) => !known.has(userId) && !taken.has(userId));
    const decisions = preview.creations
      .filter(({ next }) => next === "wait")
      .map(({ key, label }) => {
        const index = unknown.findIndex(({ firstName }) => firstName === label);
        return { who: key, userId: index < 0 ? undefined : unknown.splice(index, 1)[0]?.userId };
      });
    const { status, applied } = await upAll(await this.#open(), { decisions });
    expect({
      status,
      unsettled: applied?.results.filter(({ status }) => status !== "succeeded") ?? [],
    }).toEqual({
      status: "succeeded",
      unsettled: [],
    });
    expect(unknown, "users whom nobody knows").toEqual([]);
  }

  async #expectNobodyTwice(): Promise<void> {
    const users = await this.#users();
    for (const [purpose, wanted] of Map.groupBy(this.#roster.people, (person) => person.purpose)) {
      const there = users.filter(({ firstName }) => firstName === purpose);
      expect(there.length, `users for ${purpose}`).toBeLessThanOrEqual(wanted.length);
    }
  }

  async #users() {
    const purposes = new Set(this.#roster.people.map(({ purpose }) => purpose));
    const { users } = await this.#service.management.snapshot();
    return users.filter(({ firstName }) => firstName !== null && purposes.has(firstName));
  }

  #open() {
    return this.#fixture.open(this.#roster);
  }

  get #service(): Sandbox["service"] {
    return this.#fixture.sandbox.service;
  }
}
