/** The people who joined and left in a month. */

import { CodedError } from "../../provider/util/error-codes.ts";
import { labelOf } from "../roster/roster.ts";
import type { ReportFacts } from "./facts.ts";
import type { Holder } from "./people.ts";
import type { MonthlyChanges } from "./schema.ts";
import { dayOf } from "./texts/phrases.ts";

/** The calls that begin and end a membership. */
const ADDED = 5;
const REMOVED = 11;

type Change = MonthlyChanges["joined"][number];

/**
 * The state shows who joined; the audit log shows who left, and who joined and left again since.
 * @param month such as `2026-11`, in UTC
 * @throws if it is not a month
 */
export function changesIn(month: string, members: readonly Holder[], facts: ReportFacts): MonthlyChanges {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) {
    throw new CodedError("invalid-flag", `"${month}" is not a valid month (expected, for example, 2026-11)`);
  }
  const isWithin = (at: string | undefined) => dayOf(at).startsWith(month);
  const names = namesById(members, facts);
  const change = (userId: string, at: string): Change => ({ who: names.get(userId) ?? userId, userId, at });
  const done = (call: number): Change[] =>
    (facts.audit ?? []).flatMap((line) =>
      line.call === call && line.outcome === "done" && line.id && isWithin(line.time)
        ? [change(line.id, line.time)]
        : [],
    );
  const held = new Set(members.map(({ user }) => user.id));
  const fromState = (adopted: boolean) =>
    members.flatMap((member) =>
      member.since !== undefined && isWithin(member.since) && member.user.adopted === adopted
        ? [change(member.user.id, member.since)]
        : [],
    );
  return {
    month,
    joined: inOrder([...fromState(false), ...done(ADDED).filter(({ userId }) => !held.has(userId))]),
    adopted: inOrder(fromState(true)),
    left: facts.audit === undefined ? null : inOrder(done(REMOVED)),
  };
}

function namesById(members: readonly Holder[], { people, names = {} }: ReportFacts): Map<string, string> {
  return new Map([
    ...Object.entries(names),
    ...people.flatMap((person) =>
      person.userId === undefined ? [] : [[person.userId, labelOf(person)] as const],
    ),
    ...members.map(({ user, label }) => [user.id, label] as const),
  ]);
}

/** By time, and each user once: a repeated removal is done a second time. */
function inOrder(changes: readonly Change[]): Change[] {
  const sorted = changes.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || (a.who < b.who ? -1 : 1));
  return [...Map.groupBy(sorted, ({ userId }) => userId).values()].flatMap(([first]) => first ?? []);
}
