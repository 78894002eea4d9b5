/** Two years of nightly runs over people with drawn ends of access: the real rule, plan, and guards over a pure state. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { accessEndsIn, endedAccessIn, isEndedForAll, isEnding } from "../../command/plan/access-ends.ts";
import { violationsOf } from "../../command/plan/guards/guards.ts";
import { planOf } from "../../command/plan/plan.ts";
import type { Step } from "../../command/plan/steps/steps.ts";
import { rosterMembers } from "../../command/roster/members.ts";
import { parseRoster } from "../../command/roster/read.ts";
import type { Roster } from "../../command/roster/roster.ts";
import { checkCases } from "../setup/cases.ts";
import { expectNamed } from "./entry-properties.ts";
import { guardContext, member, ORGANIZATION } from "./plan/steps.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse("2026-01-01T00:00:00Z");
const DAYS = 730;

/** What a cell of `access_until` says, and when that is, computed apart from the code under test. */
interface End {
  readonly text: string;
  readonly at: number;
}
const NEVER: End = { text: "", at: Number.POSITIVE_INFINITY };

function endOf(day: number, hour: number | undefined): End {
  const date = new Date(START + day * DAY).toISOString().slice(0, 10);
  if (hour === undefined) return { text: date, at: START + (day + 1) * DAY - 1000 };
  return {
    text: `${date}T${String(hour).padStart(2, "0")}:30:00Z`,
    at: START + day * DAY + hour * HOUR + HOUR / 2,
  };
}

const anEnd = fc.oneof(
  { weight: 1, arbitrary: fc.constant(NEVER) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.integer({ min: -30, max: DAYS + 30 }),
        fc.option(fc.integer({ min: 0, max: 23 }), { nil: undefined }),
      )
      .map(([day, hour]) => endOf(day, hour)),
  },
);

const history = fc.record({
  ends: fc.array(anEnd, { minLength: 1, maxLength: 15 }),
  edits: fc.array(fc.record({ day: fc.integer({ min: 0, max: DAYS }), who: fc.nat(), end: anEnd }), {
    maxLength: 25,
  }),
  /** Days between two runs: mostly nightly, with gaps. */
  pauses: fc.array(fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 45 })), {
    minLength: 1,
    maxLength: 12,
  }),
  /** Which runs are `renew` and not `up`. */
  renewals: fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
  hour: fc.integer({ min: 0, max: 23 }),
});

function rosterOf(ends: readonly End[]): Roster {
  const rows = ends.map(({ text }, index) => `p${index},p${index}@acme.example,${text}\n`);
  return parseRoster(
    `# organization: ${ORGANIZATION}\nkey,email,access_until\nowner,owner@acme.example,\n${rows.join("")}`,
    "people.csv",
  );
}

/** What the engine would show: the program of the roster against the state. */
function stepsOf(roster: Roster, state: ReadonlyMap<string, string>, now: number): Step[] {
  const declared = new Set(rosterMembers(roster, { now }).map(({ key }) => key));
  const keys = [...new Set([...declared, ...state.keys()])];
  return keys.flatMap((key) => {
    const id = state.get(key);
    if (id === undefined) return member(key, "create");
    return member(key, declared.has(key) ? "same" : "delete", { id });
  });
}

/** Checks the guards as a run does. @returns the steps to apply */
function approved(roster: Roster, steps: readonly Step[], now: number): readonly Step[] {
  const endedAccess = endedAccessIn(roster.people, now);
  const plan = planOf(steps, { organizationId: ORGANIZATION, declaredSeats: undefined, endedAccess, now });
  const allEnded = isEndedForAll(roster.people, now);
  const context = { ...guardContext, roster, configuredOrganization: ORGANIZATION, now, allEnded };
  expectNamed(plan);
  const [violation, ...others] = violationsOf(plan, context);
  expect(others).toEqual([]);
  if (violation !== undefined) {
    expect(violation.guard).toBe("removal-limit");
    expect(new Set(violation.people).size).toBe(plan.losingAccess.length);
    expect(violationsOf(plan, { ...context, override: violation.override })).toEqual([]);
  }
  for (const { key, reasons } of plan.losingAccess) {
    const end = roster.people.find((person) => person.key === key)?.accessUntil ?? "";
    expect(reasons).toEqual([`access ended on ${end.replace(/T23:59:59Z$/, "")} (access_until)`]);
  }
  return steps;
}

test("access_until: over two years, each person loses access at the first run after the date, never before, and comes back only when it moves", async () => {
  let removals = 0;
  let returns = 0;
  const suite = { name: "access until", level: "R", cases: 1000, quick: 20 } as const;
  await checkCases(suite, history, async ({ ends: first, edits, pauses, renewals, hour }) => {
    const ends = [...first];
    const waiting = edits.toSorted((a, b) => a.day - b.day);
    const state = new Map<string, string>();
    let roster = rosterOf(ends);
    const former = new Set<string>();
    let ids = 0;
    for (let day = 0, round = 0; day <= DAYS; day += pauses[round++ % pauses.length] ?? 1) {
      const now = START + day * DAY + hour * HOUR;
      while ((waiting[0]?.day ?? Number.POSITIVE_INFINITY) <= day) {
        const edit = waiting.shift();
        if (edit === undefined) continue;
        ends[edit.who % ends.length] = edit.end;
        roster = rosterOf(ends);
      }
      const isRenewal = round > 0 && renewals[round % renewals.length] === true;
      const shown = stepsOf(roster, state, now);
      const ended = endedAccessIn(roster.people, now);
      const before = new Map(state);
      const meant = isRenewal
        ? shown.flatMap((step): Step[] => {
            if (step.action === "create") return [];
            return [isEnding(step, ended) ? step : { ...step, action: "same" }];
          })
        : shown;
      for (const { type, action, member: key } of approved(roster, meant, now)) {
        if (type !== "OrgUser") continue;
        if (action === "delete") state.delete(key);
        if (action === "create") state.set(key, `id-${++ids}`);
      }
      const expected = ends.map(({ at }, index) => {
        const key = `p${index}`;
        const id = before.get(key);
        if (at > now) {
          if (id === undefined && state.has(key) && former.delete(key)) returns += 1;
          const status = at - now <= 14 * DAY ? "endsSoon" : undefined;
          return { key, id: id ?? (isRenewal ? undefined : (state.get(key) ?? "added")), status };
        }
        if (id !== undefined) {
          former.add(key);
          removals += 1;
        }
        return { key, id: undefined, status: id === undefined ? "ended" : undefined };
      });
      const listed = new Map(
        accessEndsIn(roster.people, (key) => before.has(key), now).map(({ key, status }) => [key, status]),
      );
      const found = ends.map((_, index) => {
        const key = `p${index}`;
        return { key, id: state.get(key), status: listed.get(key) };
      });
      expect(found, `day ${day}`).toEqual(expected);
      const again = stepsOf(roster, state, now).filter(({ action }) => action !== "same");
      if (!isRenewal) expect(again).toEqual([]);
      expect(again.every(({ action }) => action === "create")).toBe(true);
    }
  });
  expect(removals).toBeGreaterThan(0);
  expect(returns).toBeGreaterThan(0);
  console.log(`${removals} removals, ${returns} returns`);
});
