/** Who uses the seat, by a file of last uses. */
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { reportForms } from "../../../command/report/report.ts";
import type { Report } from "../../../command/report/schema.ts";
import { checkCases } from "../../setup/cases.ts";
import { type HeldMember, inDays, person, reportOn, roster } from "./organization.ts";

const ago = (days: number) => inDays(-days);
const old = ago(400);

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

describe("the report of idle seats", () => {
  const held: readonly HeldMember[] = [
    { key: "idle@acme.example", created: old },
    { key: "never@acme.example", created: ago(100) },
    { key: "used@acme.example", created: old },
    { key: "new@acme.example", created: ago(2) },
    { key: "adopted@acme.example", created: ago(2), adopted: true },
    { key: "missing@acme.example", created: old },
    { key: "Linux builds", created: old },
    { key: "nobody@acme.example", created: old, seat: false, token: null },
  ];
  const report = judged(held, {
    "idle@acme.example": ago(50),
    "never@acme.example": null,
    "used@acme.example": ago(1),
    "new@acme.example": null,
    "adopted@acme.example": null,
    "stranger@acme.example": ago(1),
    "nobody@acme.example": ago(1),
  });

  test("counts each seat once, and the people of the file who are in no roster", () => {
    expect(report.seatUse).toEqual({
      ...{
        idleDays: 30,
        used: 1,
        idle: 2,
        new: 1,
        unknown: 1,
        notInFile: 1,
        withoutEmail: 1,
        notInRoster: 1,
      },
    });
    expect(report.seats.used).toBe(7);
  });

  test("says as text what is freed, who, and since when, the longest without use first", () => {
    expect(reportForms.text(report)).toContain(
      "Seat use: 2 idle for 30 days or more (5 available without them), 1 used, 1 assigned less than 30 days ago, 1 never used, but adopted recently, so unknown, 1 not in the file, so unknown, 1 without an email, such as machine users, so not counted. 1 person of the file in no roster and no state\n",
    );
    expect(reportForms.text(report)).toContain(`\
Idle seats: 2. No use for 30 days or more. To free these seats, write no for seat and token in the rows, then run \`orgseat up\`.
Person or purpose   Team  Last seen   Unused for
never@acme.example  Data  never       100 days
idle@acme.example   Data  2026-10-02  50 days
`);
  });

  test("shows a tile, a section and the counts as HTML", () => {
    const page = reportForms.html(report);
    expect(page).toContain('<span class="soft">Idle seats</span><b>2</b>');
    expect(page).toContain("<h2>Idle seats: 2</h2>");
    expect(page).toContain("Seat use: 2 idle for 30 days or more");
    expect(page).toContain('<td class="date">2026-10-02</td><td>50 days</td>');
  });

  test("gives four columns as CSV, and each person as JSON", () => {
    const rows: Record<string, string>[] = parse(reportForms.csv(report), { columns: true, bom: true });
    const row = rows.find(({ email }) => email === "idle@acme.example");
    expect(row).toMatchObject({
      ...{ seat_use: "idle", last_seen: ago(50), unused_since: ago(50), unused_days: "50" },
    });
    expect(JSON.parse(reportForms.json(report))).toEqual(report);
  });

  test("says in the head alone that no seat is idle", () => {
    const text = reportForms.text(judged(held.slice(2, 3), { "used@acme.example": ago(1) }));
    expect(text).toContain("Seat use: 0 idle for 30 days or more, 1 used\n");
    expect(text).not.toContain("Idle seats");
  });
});

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
