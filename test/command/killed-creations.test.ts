/** Machine users whose creation is killed or loses its answer, several times, in twelve programs; each run has a fresh folder. */
import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { type UpOptions, type UpResult, upAll } from "../../command/verbs/up.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import { configurationOf } from "../setup/direct.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { makeServiceAccount, type Sandbox, sandbox, temporaryFolder } from "../setup/sandbox.ts";
import { checkedRun } from "./entry-properties.ts";
import { Fixture } from "./fixture.ts";
import type { Draw, NewPerson, NewRoster } from "./people.ts";

const PROGRAMS = 12;
const places = ["before", "after"] as const;
const endings = ["killed", "lost"] as const;

for (const platform of ["basic", "anaconda"] as const) {
  test.each(endings)(
    `creates no machine user twice after creations were %s (${platform})`,
    async (ending) => {
      const service = await sandbox({ seats: 100_000 }, undefined, platform);
      const account = await makeServiceAccount(service);
      const environment = { ...configurationOf(service, account), ORGSEAT_PLATFORM: platform };
      const proxy = await CutoffProxy.to(service.service.orgUrl);
      let number = 0;
      const name = `creations ${ending} (${platform})`;
      await checkCases({ name, level: "R", cases: 300, quick: 5, siblings: 4 }, fc.gen(), async (draw) => {
        const file = join(temporaryFolder(), "people.csv");
        const fixture = new Fixture(service, { engine: new DirectEngine(environment), environment, file });
        const roster = rosterOf(fixture, number % PROGRAMS, `p${number}`, ending === "lost");
        number += 1;
        await new Case({ fixture, environment, roster, draw, proxy, platform, file }).holds(ending);
      });
    },
  );
}

/** One to four machine users; some with a seat, some of one purpose. */
function rosterOf(
  { organizationId }: Fixture,
  program: number,
  prefix: string,
  hasSeats: boolean,
): NewRoster {
  const people = Array.from({ length: 1 + (program % 4) }, (_, index): NewPerson => {
    const seat = hasSeats && (program + index) % 3 === 0;
    const purpose = program % 5 === 4 ? `${prefix} twins` : `${prefix} builds ${index}`;
    return { key: `${prefix}-m${index}`, purpose, seat, token: seat && program % 2 === 0, protected: false };
  });
  return { organizationId, people };
}

interface CaseParts {
  readonly fixture: Fixture;
  readonly environment: Readonly<Record<string, string>>;
  readonly roster: NewRoster;
  readonly draw: Draw;
  readonly proxy: CutoffProxy;
  readonly platform: PlatformName;
  readonly file: string;
}

class Case {
  readonly #parts: CaseParts;
  /** What a killed run leaves is what the next one finds. */
  #engine: DirectEngine;
  #file: string;
  #roster: NewRoster;

  constructor(parts: CaseParts) {
    this.#parts = parts;
    this.#engine = new DirectEngine(parts.environment);
    this.#file = parts.file;
    this.#roster = parts.roster;
  }

  async holds(ending: (typeof endings)[number]): Promise<void> {
    const { draw, roster, fixture, platform } = this.#parts;
    for (let times = draw(fc.integer, { min: 1, max: 3 }); times > 0; times--) {
      await (ending === "lost" ? this.#loseAnswer() : this.#kill());
      await this.#expectNobodyTwice();
      await this.#up();
      await this.#expectNobodyTwice();
    }
    const decisions = await this.#decide();
    // The list settles what it shows without doubt. After a kill, no one knows who was there before.
    if (
      ending === "lost" &&
      platform === "anaconda" &&
      new Set(roster.people.map(({ purpose }) => purpose)).size > 1
    )
      expect(decisions).toEqual([]);
    const { status, applied } = await upAll(await this.#open(), {});
    expect({ status, applied }).toEqual({ status: "succeeded", applied: undefined });
    const ids = [...(await fixture.userIds(await this.#open())).values()];
    expect(ids.toSorted()).toEqual((await this.#users()).map(({ userId }) => userId).toSorted());
    expect(ids).toHaveLength(roster.people.length);
  }

  /** A run in which the creation of one of them gets no answer, if there is one to create. */
  async #loseAnswer(): Promise<void> {
    const { draw, roster } = this.#parts;
    const victim = draw(() => fc.constantFrom(...roster.people));
    const kind = draw(() => fc.constantFrom("cut-before" as const, "cut-after"));
    const { management } = this.#service;
    await management.addFaults({ match: { call: 5, body: victim.purpose }, fault: { kind } });
    // The list that would settle it is lost too.
    if (draw(fc.boolean))
      await management.addFaults({ match: { call: 17 }, after: 1, times: "always", fault: { kind } });
    await this.#up();
    await management.clearFaults();
  }

  /** A run that is killed at the creation of one of them, or before the state has it. */
  async #kill(): Promise<void> {
    const { draw, roster, proxy, environment, fixture } = this.#parts;
    const place = draw(() => fc.constantFrom(...places, "answered" as const));
    if (place === "answered") {
      const victim = draw(() => fc.constantFrom(...roster.people));
      const organization = await this.#open();
      const before = await fixture.userIds(organization);
      await upAll(organization, {});
      if (!before.has(victim.key)) this.#engine.lose(organization.stack, victim.key);
      return;
    }
    const write = draw(fc.integer, { min: 1, max: roster.people.length });
    const orgUrl = environment.ORGSEAT_ORG_URL ?? "";
    let run = this.#engine;
    const isCutOff = new Promise<void>((resolve) => {
      const address = proxy.addressFor(orgUrl, { write, place }, resolve);
      run = this.#engine.copy({ ORGSEAT_ORG_URL: address });
    });
    this.#engine = run;
    // Nothing that the run does from then on reaches the service or the next run.
    await Promise.race([upAll(await this.#open(), {}), isCutOff]);
    this.#engine = run.copy({ ORGSEAT_ORG_URL: orgUrl });
  }

  /** As someone decides who looks at the service. @returns the keys about whom a decision was due */
  async #decide(): Promise<string[]> {
    const { preview } = await this.#up();
    const waiting = preview.plan.members.filter(({ actions }) => actions.includes("undecided"));
    const known = new Set((await this.#parts.fixture.userIds(await this.#open())).values());
    const unknown = (await this.#users()).filter(({ userId }) => !known.has(userId));
    for (const { key, label } of waiting) {
      const index = unknown.findIndex(({ firstName }) => firstName === label);
      if (index < 0) continue;
      this.#name(key, unknown.splice(index, 1)[0]?.userId);
    }
    // Those who exist are adopted, and those who do not are approved.
    const { undecidedOverride: approve } = await previewOf(await this.#open(), {});
    const { status, applied } = await this.#up({ approve });
    const unsettled = applied?.results.filter((result) => result.status !== "succeeded") ?? [];
    expect({ status, unsettled }).toEqual({ status: "succeeded", unsettled: [] });
    expect(unknown, "users whom nobody knows").toEqual([]);
    return waiting.map(({ key }) => key);
  }

  /** Writes the id of the user into the row. */
  #name(key: string, userId: string | undefined): void {
    const people = this.#roster.people.map((one) => (one.key === key ? { ...one, userId } : one));
    this.#roster = { ...this.#roster, people };
  }

  async #up(options: UpOptions = {}): Promise<UpResult> {
    return checkedRun(this.#parts.fixture, await this.#open(), (organization) =>
      upAll(organization, options),
    );
  }

  async #expectNobodyTwice(): Promise<void> {
    const users = await this.#users();
    for (const [purpose, wanted] of Map.groupBy(this.#parts.roster.people, (person) => person.purpose)) {
      const there = users.filter(({ firstName }) => firstName === purpose);
      expect(there.length, `users for ${purpose}`).toBeLessThanOrEqual(wanted.length);
    }
  }

  async #users() {
    const purposes = new Set(this.#parts.roster.people.map(({ purpose }) => purpose));
    const { users } = await this.#service.management.snapshot();
    return users.filter(({ firstName }) => firstName !== null && purposes.has(firstName));
  }

  /** In a folder that has the roster of the repository alone. */
  #open() {
    const before = this.#file;
    this.#file = join(temporaryFolder(), "people.csv");
    if (existsSync(before)) copyFileSync(before, this.#file);
    return this.#parts.fixture.beside(this.#file).open(this.#roster, { engine: this.#engine });
  }

  get #service(): Sandbox["service"] {
    return this.#parts.fixture.sandbox.service;
  }
}
