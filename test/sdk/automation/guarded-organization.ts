/** An organization that stays as it is between cases, each of which changes its roster and looks at what guards let happen. */
import { expect } from "vitest";
import { RosterError } from "../../../sdk/automation/roster/formats/validation.ts";
import type { Organization } from "../../../sdk/automation/stacks/organization.ts";
import type { UpResult } from "../../../sdk/automation/verbs/up.ts";
import { upAll } from "../../../sdk/automation/verbs/up.ts";
import { expectEntries } from "./entry-properties.ts";
import { completedCallsIn, type Fixture, usersLosingAccessIn } from "./fixture.ts";
import { type Aim, drawnCase, type GuardCase, limitOf } from "./guard-cases.ts";
import { type Draw, drawnPeople, type NewRoster } from "./people.ts";

/** How many people, by class. */
export const sizes: readonly { readonly min: number; readonly max: number }[] = [
  { min: 4, max: 4 },
  { min: 5, max: 15 },
  { min: 16, max: 39 },
  { min: 40, max: 40 },
  { min: 41, max: 125 },
  { min: 126, max: 399 },
  { min: 400, max: 400 },
];

export class GuardedOrganization {
  readonly #fixture: Fixture;
  #base: NewRoster;
  #cases = 0;
  /** The user ids by key, as long as everything is as the base says. */
  #ids: Map<string, string> | undefined;

  private constructor(fixture: Fixture, base: NewRoster) {
    this.#fixture = fixture;
    this.#base = base;
  }

  static async make(
    fixture: Fixture,
    draw: Draw,
    { people, stacks }: { people: number; stacks: number },
  ): Promise<GuardedOrganization> {
    const { organizationId } = fixture;
    return new GuardedOrganization(fixture, {
      organizationId,
      stacks,
      people: drawnPeople(draw, people, "p"),
    });
  }

  /** Draws a case, runs it, and looks. @returns the class it turned out to be of */
  async holds(draw: Draw, aim: Aim): Promise<Aim> {
    const [fixture, base] = [this.#fixture, this.#base];
    const before = this.#ids ?? (await fixture.bring(base));
    const mark = `c${this.#cases++}`;
    const now = Date.now();
    const found = await drawnCase(aim, { fixture, base, draw, mark, now });
    const organization = await this.#open(found, now);
    const users = await fixture.users();
    const result = organization && (await upAll(organization, { allowRemovals: found.override }));
    this.#ids = found.guard === undefined || found.leavesTraces === true ? undefined : before;
    const requests = await fixture.sandbox.requests();
    const done = completedCallsIn(requests);
    const limit = limitOf(base.people.length);
    if (found.guard !== undefined) {
      expect(done, `${found.what}: nothing is written`).toEqual([]);
      if (result === undefined) expect(found.mayBeUnreadable).toBe(true);
      else expect(guardsOf(result), found.what).toContain(found.guard);
    } else {
      if (organization === undefined || result === undefined)
        throw new Error(`${found.what}: the roster cannot be read`);
      const { status, applied, preview } = result;
      const told = [...preview.violations, ...preview.failures, ...(applied?.failures ?? [])].map(
        ({ text }) => text,
      );
      expect({ status, told }, found.what).toEqual({ status: "succeeded", told: [] });
      const results = applied?.results ?? [];
      const all = [...users, ...(await fixture.users())];
      await expectEntries({ organization, plan: preview.plan, results, requests, users: all });
      const lost = usersLosingAccessIn(done);
      const meant = found.losers.map((key) => before.get(key) ?? `nobody has the key ${key}`);
      expect([...lost].toSorted(), found.what).toEqual(meant.toSorted());
      if (found.override === undefined) expect(lost.size).toBeLessThanOrEqual(limit);
      this.#base = reissued(base, new Set(found.losers), mark);
    }
    if (Math.abs(found.losers.length - limit) <= 1) return "edge";
    return found.guard === undefined ? "allowed" : "tripped";
  }

  /** Undefined where the roster cannot be read. */
  async #open(found: GuardCase, at: number): Promise<Organization | undefined> {
    const { roster, protect = [], later = 0 } = found;
    try {
      return await this.#fixture.open(roster, { protect, now: () => at + later });
    } catch (error) {
      if (error instanceof RosterError) return undefined;
      throw error;
    }
  }
}

/** A token that ends earlier runs longer again only as a new one. */
function reissued(base: NewRoster, losers: ReadonlySet<string>, mark: string): NewRoster {
  const people = base.people.map((person) =>
    losers.has(person.key) && person.token ? { ...person, rotation: mark } : person,
  );
  return { ...base, people };
}

function guardsOf({ status, preview, applied }: UpResult): string[] {
  expect({ status, applied }).toEqual({ status: "blocked", applied: undefined });
  return preview.violations.map(({ guard }) => guard);
}

/** Which class the next case aims at, and how many there were of each. */
export function countsOfClasses() {
  const aims = ["tripped", "allowed", "edge"] as const;
  const counts: Record<Aim, number> = { tripped: 0, allowed: 0, edge: 0 };
  let index = 0;
  return {
    next: (): Aim => aims[index++ % aims.length] ?? "edge",
    add: (found: Aim): void => void counts[found]++,
    /** At least a fifth of each. Of fewer than 10 cases that says nothing. */
    expectFifths: (): void => {
      if (index < 10) return;
      for (const aim of aims) expect(counts[aim] / index, `${aim} of ${index}`).toBeGreaterThanOrEqual(0.2);
    },
  };
}
