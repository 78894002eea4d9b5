// @module-tag ci
/** Two years of nightly runs over people with drawn ends of access: the real rule, plan, and guards over a pure state. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type MemberPlan, planRoster } from "../../command/members/plan.ts";
import type { StateMember } from "../../command/members/state-members.ts";
import { accessEndsIn } from "../../command/plan/access-ends.ts";
import { violationsOf } from "../../command/plan/guards/guards.ts";
import { planOf } from "../../command/plan/plan.ts";
import { parseRoster } from "../../command/roster/read.ts";
import type { Roster } from "../../command/roster/roster.ts";
import { checkCases } from "../setup/cases.ts";
import { expectNamed } from "./entry-properties.ts";
import { guardContext, inputOf, memberAfter, ORGANIZATION } from "./plan/planned.ts";

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

function rosterAt(ends: readonly End[]): Roster {
  const rows = ends.map(({ text }, index) => `p${index},p${index}@acme.example,${text}\n`);
  const header = `# organization: ${ORGANIZATION}\n# subscription: 2029-01-31T23:59:59Z\n# on_delete: delete\n`;
  return parseRoster(
    `${header}key,email,access_until\nowner,owner@acme.example,\n${rows.join("")}`,
    "people.csv",
  );
}

type State = ReadonlyMap<string, StateMember>;

/** What a run would do: the rows against the state. */
async function plansOf(roster: Roster, state: State, now: number): Promise<readonly MemberPlan[]> {
  const members = [...state.values()];
  const { subscriptionExpiresAt } = roster;
  const { members: plans } = await planRoster({
    ...inputOf({ subscriptionExpiresAt }, roster.people, {}),
    ...{ roster, members, now, subscriptionExpiresAt },
  });
  return plans;
}

/** Checks the guards as a run does. */
function expectApproved(roster: Roster, plans: readonly MemberPlan[], state: State, now: number): void {
  const members = [...state.values()];
  const plan = planOf(plans, { organizationId: ORGANIZATION, stack: "people", state: members, settings: [] });
  const context = { ...guardContext, roster, now };
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
    expect(reasons).toContain(`access ended on ${end.replace(/T23:59:59Z$/, "")} (access_until)`);
  }
}

function isTaking({ units }: MemberPlan["plan"]): boolean {
  return units.some(({ steps }) => steps.some(({ call = "" }) => /^re(move|voke)/.test(call)));
}

/** Whether a renewal, which runs unattended, ends the access. */
function isEnding({ plan, row, observed }: MemberPlan, now: number): boolean {
  const { accessUntil } = observed.stored.agreed;
  const isEnd = plan.units.some(({ steps }) => steps.some(({ cause }) => cause === "accessEnded"));
  return isEnd && row !== undefined && accessUntil !== undefined && Date.parse(accessUntil) < now;
}

test("access_until: over two years, each person loses access at the first run after the date, never before, and comes back only when it moves", async () => {
  let removals = 0;
  let returns = 0;
  const suite = { name: "access until", level: "R", cases: 1000, quick: 20 } as const;
  await checkCases(suite, history, async ({ ends: first, edits, pauses, renewals, hour }) => {
    const ends = [...first];
    const waiting = edits.toSorted((a, b) => a.day - b.day);
    const state = new Map<string, StateMember>();
    let roster = rosterAt(ends);
    const former = new Set<string>();
    /** The end of each row that an `up` has shown. */
    const shownEnds = new Map<string, number>();
    let ids = 0;
    for (let day = 0, round = 0; day <= DAYS; day += pauses[round++ % pauses.length] ?? 1) {
      const now = START + day * DAY + hour * HOUR;
      while ((waiting[0]?.day ?? Number.POSITIVE_INFINITY) <= day) {
        const edit = waiting.shift();
        if (edit === undefined) continue;
        ends[edit.who % ends.length] = edit.end;
        roster = rosterAt(ends);
      }
      const isRenewal = round > 0 && renewals[round % renewals.length] === true;
      const before = new Map(state);
      const shown = await plansOf(roster, state, now);
      const meant = isRenewal ? shown.filter((one) => isEnding(one, now)) : shown;
      expectApproved(roster, meant, state, now);
      for (const one of meant) {
        const after = memberAfter(one, now, `id-${++ids}`);
        if (after.held.users.length > 0) state.set(one.key, after);
        else state.delete(one.key);
      }
      const expected = ends.map(({ at }, index) => {
        const key = `p${index}`;
        const id = before.get(key)?.userId;
        if (at > now) {
          if (id === undefined && state.has(key) && former.delete(key)) returns += 1;
          const status = at - now <= 14 * DAY ? "endsSoon" : undefined;
          return { key, id: id ?? (isRenewal ? undefined : (state.get(key)?.userId ?? "added")), status };
        }
        // An unattended renewal ends no access by a date that no plan has shown.
        const isShown = !isRenewal || (shownEnds.get(key) ?? Number.POSITIVE_INFINITY) <= now;
        if (id !== undefined && !isShown) return { key, id, status: undefined };
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
        return { key, id: state.get(key)?.userId, status: listed.get(key) };
      });
      expect(found, `day ${day}`).toEqual(expected);
      const again = (await plansOf(roster, state, now)).filter(({ plan }) => plan.units.length > 0);
      if (!isRenewal) expect(again).toEqual([]);
      const isWaiting = (key: string): boolean => (shownEnds.get(key) ?? Number.POSITIVE_INFINITY) > now;
      expect(again.filter(({ key, member, plan }) => member && isTaking(plan) && !isWaiting(key))).toEqual(
        [],
      );
      if (!isRenewal) for (const [index, { at }] of ends.entries()) shownEnds.set(`p${index}`, at);
    }
  });
  expect(removals).toBeGreaterThan(0);
  expect(returns).toBeGreaterThan(0);
  console.log(`${removals} removals, ${returns} returns`);
});
