/** Random changes of a roster that guards have to judge, each with what is right for it, by a count of its own. */
import fc from "fast-check";
import { previewOf } from "../../../sdk/automation/preview/preview.ts";
import { newRoster } from "../../../sdk/automation/roster/write.ts";
import type { Fixture } from "./fixture.ts";
import { type Draw, drawnPeople, type NewPerson, type NewRoster, someOf, withLoss } from "./people.ts";

/** At most a fifth of the people and at most 25, and up to 3 always. */
export function limitOf(people: number): number {
  return Math.max(3, Math.min(25, Math.floor(people / 5)));
}

export type Aim = "tripped" | "allowed" | "edge";

/** A changed roster, and what has to come of it. */
export interface GuardCase {
  /** What happened to the roster, for a message. */
  readonly what: string;
  readonly roster: NewRoster | string;
  /** The keys of those who lose something. */
  readonly losers: readonly string[];
  readonly protect?: readonly string[];
  readonly override?: string | undefined;
  /** Milliseconds that have passed since the override was printed. */
  readonly later?: number;
  /** The guard that has to stop it; undefined where it has to pass. */
  readonly guard: string | undefined;
  /** Whether the state is not as the base says any more, although nothing was written. */
  readonly leavesTraces?: boolean;
  /** Whether a roster that cannot be read is right too. */
  readonly mayBeUnreadable?: boolean;
}

/** What a case begins with. */
interface Given {
  readonly fixture: Fixture;
  readonly base: NewRoster;
  readonly draw: Draw;
  /** Names nobody and nothing else. */
  readonly mark: string;
  /** When overrides are printed. */
  readonly now: number;
}

/** A roster of which so many lose something. */
function changed({ base, draw, mark }: Given, count: number): { roster: NewRoster; losers: string[] } {
  const { people } = base;
  const isCutOff = draw(fc.integer, { min: 0, max: 3 }) === 0;
  const chosen = isCutOff ? people.slice(people.length - count) : someOf(draw, people, count);
  const losers = new Set(chosen.map(({ key }) => key));
  const left = people.flatMap((person): NewPerson[] => {
    if (!losers.has(person.key)) return [person];
    const after = isCutOff ? "dropped" : withLoss(draw, person, mark);
    return after === "dropped" ? [] : [after];
  });
  const joining = drawnPeople(draw, draw(fc.integer, { min: 0, max: 2 }), `joins-${mark}-`);
  return { roster: { ...base, people: [...left, ...joining] }, losers: [...losers] };
}

/** So many lose something, and nothing else is wrong. */
function counted(given: Given, count: number): GuardCase {
  const { roster, losers } = changed(given, count);
  const isEmptied = roster.people.length === 0;
  const guard = isEmptied
    ? "empty roster"
    : count > limitOf(given.base.people.length)
      ? "removals"
      : undefined;
  return { what: `${count} lose something`, roster, losers, guard };
}

const trips: readonly ((given: Given) => GuardCase | Promise<GuardCase>)[] = [
  (given) => counted(given, tooMany(given)),
  ({ base }) => ({
    ...{ what: "it is emptied", roster: { ...base, people: [] }, guard: "empty roster" },
    losers: base.people.map(({ key }) => key),
  }),
  cutOff,
  ({ base }) => ({
    ...{ what: "it is about another organization", guard: "organization" },
    roster: { ...base, organizationId: "00000000-0000-4000-8000-0000000000ff" },
    losers: base.people.map(({ key }) => key),
  }),
  (given) => {
    const found = changed(
      given,
      given.draw(fc.integer, { min: 1, max: limitOf(given.base.people.length) - 2 }),
    );
    const [first = ""] = found.losers;
    return { ...found, what: "somebody is protected", protect: [first.toUpperCase()], guard: "protected" };
  },
  async ({ fixture, base, draw }) => {
    const [held] = someOf(draw, base.people, 1);
    const people = base.people.map((person) => ({ ...person, protected: person === held }));
    await fixture.bring({ ...base, people });
    return {
      ...{ what: "the row of somebody protected is dropped", losers: [held?.key ?? ""], guard: "protected" },
      leavesTraces: true,
      roster: { ...base, people: base.people.filter((person) => person !== held) },
    };
  },
  ({ base, draw, mark }) => {
    const renamed = draw(() => fc.constantFrom(...base.people.filter(({ email }) => email !== undefined)));
    const people = base.people.map((person) =>
      person === renamed ? { ...person, key: `${person.key}-${mark}` } : person,
    );
    return {
      what: "a key is renamed",
      roster: { ...base, people },
      losers: [renamed.key],
      guard: "changed key",
    };
  },
  ({ base, draw, mark }) => {
    const joining = drawnPeople(draw, draw(fc.integer, { min: 1, max: 3 }), `joins-${mark}-`);
    const people = [...base.people, ...joining.map((person) => ({ ...person, seat: true }))];
    const seats = people.filter(({ seat }) => seat).length - 1;
    return { what: "seats run short", roster: { ...base, seats, people }, losers: [], guard: "seats" };
  },
  async (given) => {
    const wanted = counted(given, tooMany(given));
    const other = counted({ ...given, mark: `${given.mark}-other` }, tooMany(given));
    if (wanted.guard !== "removals" || sameLosers(wanted, other)) return wanted;
    return { ...wanted, what: "the override is for another list", override: await overrideOf(given, other) };
  },
  async (given) => {
    const wanted = counted(given, tooMany(given));
    const override = await overrideOf(given, wanted);
    return { ...wanted, what: "the override has expired", override, later: 3_600_000 };
  },
];

/** A file that lost its end, at any place before its last row, and says how many rows it had. */
function cutOff({ base, draw }: Given): GuardCase {
  const text = newRoster({ ...base, rows: base.people.length }, "csv");
  const lines = text.trimEnd().split("\n");
  const header = lines.slice(0, -base.people.length).join("\n").length;
  const end = lines.slice(0, -1).join("\n").length;
  return {
    what: "the file is cut off and says how many rows it had",
    roster: text.slice(0, draw(fc.integer, { min: header + 1, max: end })),
    losers: base.people.map(({ key }) => key),
    guard: "short roster",
    mayBeUnreadable: true,
  };
}

const passes: readonly ((given: Given) => GuardCase | Promise<GuardCase>)[] = [
  (given) => counted(given, given.draw(fc.integer, { min: 0, max: limitOf(given.base.people.length) - 2 })),
  ({ base, draw }) => ({
    ...{ what: "people change teams", losers: [], guard: undefined },
    roster: { ...base, people: someOf(draw, base.people, base.people.length).map(moved) },
  }),
  async (given) => {
    const wanted = counted(given, tooMany(given));
    if (wanted.guard !== "removals") return counted(given, 0);
    const override = await overrideOf(given, wanted);
    return { ...wanted, what: "the override is for this list", override, later: 3_599_000, guard: undefined };
  },
];

function moved(person: NewPerson): NewPerson {
  return { ...person, team: "Another team" };
}

/** More than the limit by two or more, where there are as many. */
function tooMany({ base, draw }: Given): number {
  const all = base.people.length;
  return draw(fc.integer, { min: Math.min(all, limitOf(all) + 2), max: all });
}

function sameLosers(one: GuardCase, other: GuardCase): boolean {
  return one.losers.toSorted().join() === other.losers.toSorted().join();
}

async function overrideOf({ fixture, now }: Given, { roster }: GuardCase): Promise<string | undefined> {
  const { violations } = await previewOf(await fixture.open(roster, { now: () => now }), {});
  return violations.find(({ override }) => override !== undefined)?.override;
}

export async function drawnCase(aim: Aim, given: Given): Promise<GuardCase> {
  const { draw, base } = given;
  if (aim === "edge") {
    const limit = limitOf(base.people.length);
    return counted(given, draw(fc.integer, { min: limit - 1, max: limit + 1 }));
  }
  const kinds = aim === "tripped" ? trips : passes;
  const make = kinds[draw(fc.integer, { min: 0, max: kinds.length - 1 })];
  if (make === undefined) throw new Error("no such case");
  return make(given);
}
