import fc from "fast-check";
import { expect, test } from "vitest";
import { reportForms } from "../../../command/report/report.ts";
import type { Report } from "../../../command/report/schema.ts";
import { checkCases } from "../../setup/cases.ts";
import { type HeldMember, inDays, person, reportOn, roster } from "./organization.ts";

const ago = (days: number) => inDays(-days);

function judged(
  held: readonly HeldMember[],
  lastSeen: Readonly<Record<string, string | null>>,
  idleDays?: number,
): Report {
  const listed = roster(
    held.map(({ key }) => person(key, { team: "Data" })),
    { seats: 10 },
  );
  return reportOn(held, listed, { lastSeen: new Map(Object.entries(lastSeen)), idleDays });
}

/** Of a seat: how many days ago it was assigned, whether adopted, and last used: null is never, undefined is unlisted. */
interface Used {
  readonly created: number;
  readonly adopted: boolean;
  readonly isManaged: boolean;
  readonly seen: number | null | undefined;
}

/** An adopted seat is older than its state says: only its use tells that it is new, and only its age that it is idle. */
function modelOf({ created, adopted, isManaged, seen }: Used, idleDays: number) {
  const unjudged = { lastSeen: null, unusedSince: null, unusedDays: null };
  if (isManaged) return { status: "withoutEmail", ...unjudged };
  if (seen === undefined) return { status: "notInFile", ...unjudged };
  const unused = adopted ? (seen ?? created) : Math.min(seen ?? created, created);
  if (adopted && seen === null && unused < idleDays) return { status: "unknown", ...unjudged };
  const status = unused >= idleDays ? "idle" : seen !== null && seen < idleDays ? "used" : "new";
  const unusedDays = Math.max(0, Math.floor(unused));
  return { status, lastSeen: seen === null ? null : ago(seen), unusedSince: ago(unused), unusedDays };
}

test("whatever states and file hold, each seat has one status, and an idle one is unused for all the days", async () => {
  const halfDays = fc.integer({ min: 0, max: 180 }).map((half) => half / 2);
  const days = fc.oneof(fc.constantFrom(-0.5, 6.5, 7, 29.5, 30), halfDays);
  const memberArbitrary = fc.record({
    created: days,
    adopted: fc.boolean(),
    seat: fc.constantFrom<boolean | "unconfirmed">(true, false, "unconfirmed"),
    isManaged: fc.boolean(),
    seen: fc.oneof(fc.constant(undefined), fc.constant(null), days),
  });
  const arbitrary = fc.record({
    members: fc.array(memberArbitrary, { maxLength: 12 }),
    strangers: fc.nat({ max: 3 }),
    idleDays: fc.constantFrom(7, 30),
  });
  await checkCases({ name: "idle seats", level: "R", cases: 500 }, arbitrary, async (drawn) => {
    const { members, strangers, idleDays } = drawn;
    const held = members.map(({ created, isManaged, adopted, seat }, index) => ({
      ...{
        key: isManaged ? `Machine ${index}` : `p${index}@acme.example`,
        created: ago(created),
        adopted,
        seat,
      },
    }));
    const seen = members.flatMap(({ seen, isManaged }, index) =>
      seen === undefined || isManaged ? [] : [[`p${index}@acme.example`, seen === null ? null : ago(seen)]],
    );
    const others = Array.from({ length: strangers }, (_, index) => [`s${index}@acme.example`, null]);
    const report = judged(held, Object.fromEntries([...seen, ...others]), idleDays);
    const { seatUse, people } = report;
    const { used = 0, idle = 0, unknown = 0, notInFile = 0, withoutEmail = 0, ...rest } = seatUse ?? {};
    expect(used + idle + (seatUse?.new ?? 0) + unknown + notInFile + withoutEmail).toBe(report.seats.used);
    expect(rest).toMatchObject({ idleDays, notInRoster: strangers });
    for (const [index, member] of members.entries()) {
      const found = people.find(({ key }) => key === held[index]?.key)?.seatUse;
      expect(found).toEqual(member.seat === false ? null : modelOf(member, idleDays));
    }
    for (const form of Object.values(reportForms)) form(report);
  });
});
