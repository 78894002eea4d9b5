/** An organization whose seats are all but taken, case after case: people join, leave, move and change names. */
import fc from "fast-check";
import { expect } from "vitest";
import type { LoggedRequest } from "../../../sandbox/service/index.ts";
import { previewOf } from "../../../sdk/automation/preview/preview.ts";
import type { Organization } from "../../../sdk/automation/stacks/organization.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { completedCounts, plannedCounts } from "./action-counts.ts";
import { expectEntries } from "./entry-properties.ts";
import { completedCallsIn, type Fixture } from "./fixture.ts";
import { limitOf } from "./guard-cases.ts";
import { type Draw, drawnPeople, type NewPerson, type NewRoster, someOf } from "./people.ts";

/** What happens in one case. */
interface Change {
  readonly people: readonly NewPerson[];
  /** Seats that whoever has none gets, and that whoever has one gives back. */
  readonly wanted: number;
  readonly freed: number;
}

/** What a case has for sure: too few seats unless leavers go first, or nobody who comes or goes. */
export type SwapAim = "short" | "calm";

/** No more people than that, so that a case stays quick. */
export interface SwapSize {
  readonly stacks: number;
  readonly least: number;
  readonly most: number;
}

export class FullOrganization {
  readonly #fixture: Fixture;
  readonly #size: SwapSize;
  #roster: NewRoster;
  /** As it was opened last. */
  #organization: Organization | undefined;
  #cases = 0;

  private constructor(fixture: Fixture, size: SwapSize) {
    this.#fixture = fixture;
    this.#size = size;
    this.#roster = { organizationId: fixture.organizationId, stacks: size.stacks, people: [] };
  }

  static async make(fixture: Fixture, draw: Draw, size: SwapSize): Promise<FullOrganization> {
    const made = new FullOrganization(fixture, size);
    const count = draw(fc.integer, { min: size.least, max: size.most });
    made.#roster = { ...made.#roster, people: drawnPeople(draw, count, "p") };
    made.#organization = await fixture.open(made.#roster);
    const { status } = await upAll(made.#organization, {});
    expect(status).toBe("succeeded");
    return made;
  }

  /** Draws a change, runs it by one command, and looks. @returns whether leavers went first */
  async holds(draw: Draw, aim?: SwapAim): Promise<boolean> {
    const used = seatsIn(this.#roster.people);
    const percent = aim === "short" ? 0 : draw(fc.integer, { min: 0, max: 5 });
    const free = Math.floor((used * percent) / 100);
    const bought = used + free;
    const { people, wanted, freed } = this.#change(draw, free, aim);
    const isDeclared = draw(fc.integer, { min: 0, max: 3 }) > 0;
    const staying = await this.#staying(people);
    await this.#fixture.sandbox.service.management.changeSubscription(this.#fixture.organizationId, {
      seats: bought,
    });
    const roster = { ...this.#roster, people, seats: isDeclared ? bought : undefined };
    const organization = await this.#fixture.open(roster);
    const users = await this.#fixture.users();
    const { status, preview, applied } = await upAll(organization, {});

    expect({ status, stops: preview.violations, failures: applied?.failures ?? [] }).toEqual({
      ...{ status: "succeeded", stops: [], failures: [] },
    });
    const isShort = wanted > 0 && freed > 0 && (!isDeclared || used + wanted > bought);
    expect(applied?.swapped ?? false, `${wanted} wanted, ${freed} freed, ${free} free`).toBe(isShort);
    const requests = await this.#fixture.sandbox.requests();
    expect(plannedCounts(preview.plan)).toEqual(completedCounts(completedCallsIn(requests), 0));
    const { plan } = preview;
    const all = [...users, ...(await this.#fixture.users())];
    await expectEntries({ organization, plan, results: applied?.results ?? [], requests, users: all });
    this.#expectCalls(requests, staying, people);
    await this.#expectAsListed(organization);
    this.#roster = roster;
    this.#organization = organization;
    return isShort;
  }

  #change(draw: Draw, free: number, aim: SwapAim | undefined): Change {
    const before = this.#roster.people;
    const { least, most } = this.#size;
    const isShort = aim === "short";
    const isCalm = aim === "calm" || (!isShort && draw(fc.integer, { min: 0, max: 4 }) === 0);
    const max = isCalm ? 0 : Math.min(limitOf(before.length), before.length - least);
    const first = isShort ? before.filter(({ seat }) => seat).slice(0, 1) : [];
    const leaving = [
      ...first,
      ...someOf(
        draw,
        before.filter((person) => !first.includes(person)),
        draw(fc.integer, { min: 0, max: Math.max(0, max - first.length) }),
      ),
    ];
    const leaves = leaving.length;
    const left = before.filter((person) => !leaving.includes(person));
    const freed = seatsIn(leaving);
    const freeSeats = isCalm ? 0 : Math.min(most - left.length, free + freed);
    const joiners = draw(fc.integer, { min: isShort ? 1 : 0, max: Math.max(isShort ? 1 : 0, freeSeats) });
    const joining = drawnPeople(draw, joiners, `j${this.#cases++}-`).map((person, index) =>
      isShort && index === 0 ? { ...person, seat: true } : person,
    );
    const mayReplace = !isCalm && leaves < limitOf(before.length) && draw(fc.boolean);
    const replaced = mayReplace ? left.find(({ email }) => email !== undefined) : undefined;
    const staying = left.map((person) =>
      person === replaced ? this.#another(person) : this.#movedOrRenamed(draw, person),
    );
    const people = [...staying, ...joining];
    return { people: someOf(draw, people, people.length), wanted: seatsIn(joining), freed };
  }

  #movedOrRenamed(draw: Draw, person: NewPerson): NewPerson {
    const what = draw(() => fc.constantFrom("stays", "moves", "is renamed"));
    if (what === "moves") return { ...person, team: `team ${this.#cases}` };
    return what === "is renamed" && person.email ? { ...person, lastName: `Name ${this.#cases}` } : person;
  }

  /** Another person under the same key, who gets the seat of the one before. */
  #another(person: NewPerson): NewPerson {
    return { ...person, email: `another-${this.#cases}-${person.key}@acme.example` };
  }

  /** The user ids of those who stay. */
  async #staying(people: readonly NewPerson[]): Promise<Set<string>> {
    const ids = this.#organization && (await this.#fixture.userIds(this.#organization));
    await this.#fixture.sandbox.requests();
    const before = new Map(this.#roster.people.map(({ key, email }) => [key, email]));
    return new Set(
      people.flatMap(({ key, email }) => (before.get(key) === email ? (ids?.get(key) ?? []) : [])),
    );
  }

  /** Nothing is refused, nobody who stays loses the seat for a moment, and who moves or is renamed is not written at all. */
  #expectCalls(
    requests: readonly LoggedRequest[],
    staying: ReadonlySet<string>,
    people: readonly NewPerson[],
  ): void {
    expect(requests.filter(({ status }) => status === null || status >= 400)).toEqual([]);
    const writes = requests.filter(({ call }) => call !== "token");
    expect(writes.filter(({ userId }) => userId !== null && staying.has(userId))).toEqual([]);
    const gone = this.#roster.people.length - staying.size;
    const came = people.length - staying.size;
    expect(writes.filter(({ call }) => call === 5 || call === 11)).toHaveLength(gone + came);
    if (gone + came === 0) expect(writes).toEqual([]);
  }

  /** The next preview is empty, and the service has everybody who is listed, with seat and token as listed, and nobody else. */
  async #expectAsListed(organization: Organization): Promise<void> {
    const { roster } = organization;
    const { plan, failures } = await previewOf(organization, {});
    expect({ waits: plan.hasChanges, failures }).toEqual({ waits: false, failures: [] });
    const { users, tokens } = await this.#fixture.sandbox.service.management.snapshot();
    const withToken = new Set(tokens.map(({ userId }) => userId));
    const there = users.map(({ userId, email, firstName, seat }) =>
      row(email ?? firstName ?? "", seat, withToken.has(userId)),
    );
    const listed = roster.people.map(({ email, purpose, seat, token }) =>
      row(email ?? purpose ?? "", seat, token),
    );
    expect(there.toSorted()).toEqual(listed.toSorted());
  }
}

function row(who: string, seat: boolean, token: boolean): string {
  return [who, ...(seat ? ["seat"] : []), ...(token ? ["token"] : [])].join(" ");
}

function seatsIn(people: readonly NewPerson[]): number {
  return people.filter(({ seat }) => seat).length;
}
