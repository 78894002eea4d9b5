/** An organization in which anything may happen from case to case, each held against what its preview said in numbers. */
import fc from "fast-check";
import { expect } from "vitest";
import {
  describeResult,
  isSettled,
  type MemberResult,
} from "../../../sdk/automation/apply/member-results.ts";
import type { Plan } from "../../../sdk/automation/plan/plan.ts";
import type { Action } from "../../../sdk/automation/plan/steps/action-table.ts";
import { membershipReplacements } from "../../../sdk/automation/plan/steps/actions.ts";
import type { Organization } from "../../../sdk/automation/stacks/organization.ts";
import { adoptPeople } from "../../../sdk/automation/verbs/adopt.ts";
import { renewTokens } from "../../../sdk/automation/verbs/tokens.ts";
import type { UpResult } from "../../../sdk/automation/verbs/up.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { type ActionCounts, completedCounts, reportedCounts } from "./action-counts.ts";
import { expectEntries } from "./entry-properties.ts";
import { type CompletedCall, completedCallsIn, type Fixture, type User } from "./fixture.ts";
import { limitOf } from "./guard-cases.ts";
import { type Draw, drawnPeople, type NewPerson, type NewRoster, someOf, withLoss } from "./people.ts";

const DAY_MS = 86_400_000;

interface Seen {
  /** The user ids that the states have. */
  readonly managed: ReadonlySet<string>;
  /** Everybody at the service, by user id. */
  readonly users: ReadonlyMap<string, User>;
}

export class CountedOrganization {
  readonly #fixture: Fixture;
  #roster: NewRoster;
  #cases = 0;
  #takenAway = 0;
  /** The keys of those whose seat was released alone: it stays assigned, nobody manages it, and they can neither go nor get one. */
  readonly #withStraySeats = new Set<string>();

  constructor(fixture: Fixture, { stacks }: { stacks: number }) {
    const { subscriptionExpiresAt } = fixture.sandbox.service.seed;
    this.#fixture = fixture;
    this.#roster = { organizationId: fixture.organizationId, subscriptionExpiresAt, stacks, people: [] };
  }

  /** How often something was not there that a run was to take away. */
  get takenAway(): number {
    return this.#takenAway;
  }

  /** Draws changes, runs them, and compares what was said with what was done. @returns what was done */
  async holds(draw: Draw): Promise<ActionCounts> {
    this.#cases += 1;
    // A removal goes by what the run before has noted.
    const releases = this.#roster.removal === "release";
    // By turns, so that a few cases have each of them.
    const turn = this.#cases % 4;
    if (turn === 0) await this.#renew(draw);
    if (turn === 1) await this.#adopt(draw);
    if (turn === 2) this.#roster = { ...this.#roster, removal: releases ? "remove" : "release" };
    const taken = turn === 3 ? await this.#members(draw, true) : [];
    // Whoever is taken over with a token gets a new value, and so loses something.
    const limit = taken.length > 0 ? 0 : limitOf(this.#roster.people.length);
    const people = [...this.#changed(draw, limit, releases), ...taken, ...this.#joining(draw)];
    const before = this.#roster;
    this.#roster = { ...before, people: someOf(draw, people, people.length) };
    if (draw(fc.integer, { min: 0, max: 2 }) > 0) await this.#takeAway(draw, before, releases);
    const found = await this.#told(this.#roster, (organization) => upAll(organization, {}));
    return found;
  }

  #joining(draw: Draw): NewPerson[] {
    return drawnPeople(draw, draw(fc.integer, { min: 0, max: 4 }), `j${this.#cases}-`);
  }

  /** Some lose something, some get what they did not have; those who were taken over go or stay. */
  #changed(draw: Draw, limit: number, releases: boolean): NewPerson[] {
    const stray = this.#roster.people.filter(({ key }) => this.#withStraySeats.has(key));
    const people = this.#roster.people.filter(({ key }) => !this.#withStraySeats.has(key));
    const most = Math.max(0, Math.min(people.length - 1, limit));
    const losers = new Set(someOf(draw, people, draw(fc.integer, { min: 0, max: most })));
    const mark = `m${this.#cases}`;
    const changed = people.flatMap((person): NewPerson[] => {
      if (!losers.has(person)) return [this.#gaining(draw, person)];
      const after = person.userId === undefined ? withLoss(draw, person, mark) : "dropped";
      if (after === "dropped") return [];
      if (releases && person.seat && !after.seat) this.#withStraySeats.add(person.key);
      return [after];
    });
    return [...stray, ...changed];
  }

  #gaining(draw: Draw, person: NewPerson): NewPerson {
    const what = draw(() => fc.constantFrom("nothing", "nothing", "seat", "token", "team", "names"));
    if (what === "team") return { ...person, team: `team ${this.#cases}` };
    if (person.userId !== undefined) return person;
    if (what === "seat") return { ...person, seat: true };
    if (what === "token") return { ...person, seat: true, token: true };
    return what === "names" && person.email ? { ...person, lastName: `Name ${this.#cases}` } : person;
  }

  /** Somebody else has revoked what the run is to revoke, or has made who leaves anew, under another user id. */
  async #takeAway(draw: Draw, { people }: NewRoster, releases: boolean): Promise<void> {
    const ids = await this.#fixture.userIds(await this.#fixture.open({ ...this.#roster, people }));
    for (const person of people.filter(({ token, userId }) => token && userId === undefined)) {
      const id = ids.get(person.key);
      const after = this.#roster.people.find(({ key }) => key === person.key);
      const isRevoked = after === undefined || !after.token || after.rotation !== person.rotation;
      if (id === undefined || !isRevoked || draw(fc.boolean)) continue;
      this.#takenAway += 1;
      if (after === undefined && !releases && draw(fc.boolean)) await this.#fixture.remakeMember(id, person);
      else await this.#fixture.behindOurBack((api, operation) => api.revokeToken(id, operation));
    }
  }

  /** The subscription runs on; `orgseat renew` does that and leaves the rest. */
  async #renew(draw: Draw): Promise<void> {
    const { organizationId, subscriptionExpiresAt = "" } = this.#roster;
    const end = new Date(Date.parse(subscriptionExpiresAt) + 30 * DAY_MS).toISOString().replace(".000Z", "Z");
    const { management } = this.#fixture.sandbox.service;
    await management.changeSubscription(organizationId, { expiresAt: end });
    this.#roster = { ...this.#roster, subscriptionExpiresAt: end };
    if (!draw(fc.boolean)) return;
    const roster = { ...this.#roster, people: [...this.#roster.people, ...this.#joining(draw)] };
    await this.#told(roster, (organization) => renewTokens(organization, {}));
  }

  /** `orgseat adopt` of members, which writes nothing. */
  async #adopt(draw: Draw): Promise<void> {
    const people = (await this.#members(draw, false)).map((person) => ({
      ...person,
      token: false,
      place: "a file",
    }));
    const done = await this.#told(this.#roster, (organization) => adoptPeople(organization, { people }));
    expect(new Set(Object.values(done))).toEqual(new Set([0]));
    this.#roster = { ...this.#roster, people: [...this.#roster.people, ...people] };
  }

  /** Members whom nobody manages, with seat and token as they are listed. */
  async #members(draw: Draw, mayHaveTokens: boolean): Promise<NewPerson[]> {
    const prefix = `${mayHaveTokens ? "b" : "a"}${this.#cases}-`;
    const people = drawnPeople(draw, draw(fc.integer, { min: 1, max: 3 }), prefix);
    return Promise.all(
      people.map(async (listed) => {
        const person = { ...listed, token: listed.token && mayHaveTokens };
        return { ...person, userId: await this.#fixture.makeMember(person) };
      }),
    );
  }

  async #told(
    roster: NewRoster,
    command: (organization: Organization) => Promise<UpResult>,
  ): Promise<ActionCounts> {
    const before = await this.#seen();
    const { users } = before;
    await this.#fixture.sandbox.requests();
    const organization = await this.#fixture.open(roster);
    const { status, preview, applied } = await command(organization);
    const unsettled = applied?.results.filter((result) => !isSettled(result)) ?? [];
    const problems = [...preview.violations, ...preview.failures, ...(applied?.failures ?? [])].map(
      ({ text }) => text,
    );
    problems.push(...unsettled.map((result) => describeResult(result)));
    expect({ status, problems }).toEqual({ status: "succeeded", problems: [] });
    const requests = await this.#fixture.sandbox.requests();
    const calls = completedCallsIn(requests);
    const done = await this.#numbersOf(calls, before);
    const { plan } = preview;
    const results = applied?.results ?? [];
    expectTrue(plan, results, calls);
    const all = [...users.values(), ...(await this.#fixture.users())];
    await expectEntries({ organization, plan, results, requests, users: all });
    expect(reportedCounts(plan, results)).toEqual(done);
    return done;
  }

  async #numbersOf(calls: readonly CompletedCall[], before: Seen): Promise<ActionCounts> {
    const { managed, users } = await this.#seen();
    // Whoever is taken over holds the seat already: call 6 makes sure of it, and nothing happens.
    const isTakenOver = (userId: string): boolean => before.users.has(userId) && !before.managed.has(userId);
    const effects = calls.filter(({ call, userId }) => call !== 6 || !isTakenOver(userId));
    const released = [...before.managed].filter((userId) => !managed.has(userId) && users.has(userId));
    return completedCounts(effects, released.length);
  }

  async #seen(): Promise<Seen> {
    const users = await this.#fixture.users();
    const ids = await this.#fixture.userIds(await this.#fixture.open(this.#roster));
    return { managed: new Set(ids.values()), users: new Map(users.map((user) => [user.userId, user])) };
  }
}

/** The calls by which something is taken away, with the deeds that say so. */
const takingCalls: readonly (readonly [call: number, deeds: readonly Action[]])[] = [
  [9, ["revokeToken", "reissueToken"]],
  [10, ["returnSeat"]],
  [11, ["leave", ...membershipReplacements]],
];

/** Each line that says something was taken from somebody is true, and so is each that says it was not there. */
function expectTrue(
  { members }: Plan,
  verdicts: readonly MemberResult[],
  done: readonly CompletedCall[],
): void {
  for (const { key, stack, who, actions, alreadyGone } of verdicts) {
    const member = members.find((one) => one.key === key && one.stack === stack && one.label === who);
    for (const [call, taking] of takingCalls) {
      const said = actions.filter((deed) => taking.includes(deed));
      if (said.length === 0) continue;
      const isDone = done.some((one) => one.call === call && one.userId === member?.userId);
      expect(isDone, `${who}: ${said}, of which gone: ${alreadyGone}`).toBe(
        !said.some((deed) => alreadyGone.includes(deed)),
      );
    }
  }
}
