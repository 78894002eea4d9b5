/** `orgseat reclaim`: idle seats leave the roster, after a notice. */
import { describe, expect, test } from "vitest";
import type { ReportedPerson } from "../../command/report/schema.ts";
import { staleness } from "../../command/roster/last-seen.ts";
import { decisionOn, reclaimSeats } from "../../command/verbs/reclaim.ts";
import { reportOf } from "../../command/verbs/report-all.ts";
import { temporaryFile } from "../setup/temporary.ts";
import { broughtFixture } from "./fixture.ts";
import { person } from "./people.ts";

const NOW = Date.parse("2026-11-26T12:00:00Z");
const ago = (days: number) => new Date(NOW - days * 86_400_000).toISOString();

type Status = NonNullable<ReportedPerson["seatUse"]>["status"];
const use = (status: Status, unusedSince: string | null = null) => ({
  ...{ status, lastSeen: unusedSince, unusedSince, unusedDays: null },
});
const row = (more: object) => ({ ...person("ada"), place: "people.csv, line 2", ...more });

describe("an idle seat", () => {
  test.each([
    ["that nobody has noticed", {}, "notice"],
    ["with a notice of today", { idleNotice: ago(0) }, "wait"],
    ["with a notice of the 6th day before", { idleNotice: `${ago(6).slice(0, 10)}T23:59:59Z` }, "wait"],
    ["with a notice of the 7th day before", { idleNotice: `${ago(7).slice(0, 10)}T23:59:59Z` }, "reclaim"],
    ["of a protected person", { protected: true }, undefined],
    ["of a protected person who is not exempt", { protected: true, exempt: false }, "notice"],
    ["of an exempt person", { exempt: true }, undefined],
    ["of a person who became exempt", { exempt: true, idleNotice: ago(9) }, "withdraw"],
    ["that the roster no longer declares", { seat: false, token: false }, undefined],
  ] as const)("%s: %s", (_, more, decision) => {
    expect(decisionOn(row(more), use("idle"), NOW)).toBe(decision);
  });
});

test("gets a new notice after a use that followed the first one", () => {
  const noticed = row({ idleNotice: ago(100) });
  expect(decisionOn(noticed, use("idle", ago(99)), NOW)).toBe("notice");
  expect(decisionOn(noticed, use("idle", ago(101)), NOW)).toBe("reclaim");
});

describe("any other seat stays", () => {
  const statuses: readonly Status[] = ["used", "new", "unknown", "notInFile", "withoutEmail"];
  test.each(statuses)("%s", (status) => {
    expect(decisionOn(row({}), use(status), NOW)).toBeUndefined();
    const noticed = decisionOn(row({ idleNotice: ago(90) }), use(status), NOW);
    expect(noticed).toBe(status === "used" || status === "new" ? "withdraw" : undefined);
  });
});

describe("a file of last uses that is too old", () => {
  const newest = (text: string) => `email,last_seen\nada@acme.example,2026-01-01\nzed@acme.example,${text}\n`;

  test.each([
    [
      "49 days old",
      newest(ago(49)),
      /its newest last use is 49 days old \(2026-10-08T12:00:00Z\), and the limit is 7 days/,
    ],
    ["just older than 7 days", newest(ago(7.001)), /is 7 days old/],
    ["without any use", newest(""), /is 328 days old/],
    ["without any date", "email,last_seen\nada@acme.example,\n", /it has no last use of anyone/],
    ["without lines", "email,last_seen\n", /it has no last use of anyone/],
  ])("takes no seat, and says why: %s", async (_, text, reason) => {
    const noticed = person("ada", { idleNotice: ago(30) });
    const { fixture } = await broughtFixture([noticed, person("bob")]);
    await fixture.sandbox.service.management.setSwitches({ dateHeader: "none" });
    const before = fixture.text();
    const organization = await fixture.open(before, { now: () => NOW });
    const reclaiming = reclaimSeats(organization, { lastSeen: temporaryFile("seen.csv", text) });
    await expect(reclaiming).rejects.toMatchObject({
      code: "file-error",
      message: expect.stringMatching(reason),
    });
    await expect(reclaiming).rejects.toThrow(
      /^cannot judge seats by \S+seen\.csv: .*\. Export the last uses of everyone again from the identity provider, then run the command again$/,
    );
    expect(fixture.text()).toBe(before);
  });

  test.each([
    ["7 days old", ago(7)],
    ["of today", ago(0)],
    ["of tomorrow in another time zone", ago(-1)],
  ])("counts as new if its newest use is %s", async (_, at) => {
    const seen = new Map([
      ["ada@acme.example", at],
      ["bob@acme.example", null],
    ]);
    expect(staleness(seen, NOW)).toBeUndefined();
  });

  test("gets a note in the report", async () => {
    const { fixture } = await broughtFixture([person("ada")]);
    const lastSeen = temporaryFile("seen.csv", newest(ago(49)));
    const { notes } = await reportOf(await fixture.open(undefined, { now: () => NOW }), { lastSeen });
    expect(notes).toContainEqual(
      expect.stringMatching(/^The idle seats are those of an old file: its newest last use is 49 days old/),
    );
  });
});

test("two runs take a seat out of the roster; who was seen in between keeps it, and nothing changes in the service", async () => {
  const { fixture } = await broughtFixture(["ada", "bob", "eve", "lin"].map((name) => person(name)));
  await fixture.sandbox.service.management.setSwitches({ dateHeader: "none" });
  const start = Date.now();
  const run = async (days: number, seen: string, text: string) => {
    const organization = await fixture.open(text, { now: () => start + days * 86_400_000 });
    // Somebody always works.
    const lastSeen = temporaryFile("seen.csv", `email,last_seen\n${seen}zed@acme.example,${day(days)}\n`);
    const result = await reclaimSeats(organization, { lastSeen, idleDays: 60 });
    return { ...result, text: fixture.text() };
  };
  const day = (days: number) => new Date(start + days * 86_400_000).toISOString().slice(0, 10);
  const idle = `ada@acme.example,${day(0)}\nbob@acme.example,${day(0)}\n`;
  const untouched = fixture.text();
  const early = await run(59, idle, untouched);
  expect(early).toMatchObject({ noticed: [], reclaimed: [], diff: "", text: untouched });
  const first = await run(62, `${idle}eve@acme.example,${day(60)}\n`, untouched);
  expect(first).toMatchObject({
    ...{ noticed: ["ada@acme.example", "bob@acme.example"], reclaimed: [], waiting: [], withdrawn: [] },
  });
  expect(first.diff).toContain(`+ada,ada@acme.example,${day(62)}`);
  const again = await run(63, idle, first.text);
  expect(again).toMatchObject({ noticed: [], waiting: first.noticed, diff: "" });
  const last = await run(71, `ada@acme.example,${day(0)}\nbob@acme.example,${day(69)}\n`, first.text);
  expect(last).toMatchObject({ reclaimed: ["ada@acme.example"], withdrawn: ["bob@acme.example"] });
  const rows = (await fixture.open(last.text)).roster.people;
  expect(
    rows.map(({ key, seat, token, idleNotice }) => [key, seat, token, idleNotice !== undefined]),
  ).toEqual([
    ["ada", false, false, false],
    ["bob", true, true, false],
    ["eve", true, true, false],
    ["lin", true, true, false],
  ]);
  expect(new Set(await fixture.sandbox.calls())).toEqual(new Set(["token"]));
});

test.each([
  ["ahead of", 100],
  ["behind", -100],
])("refuses to reclaim on a machine whose clock is 100 days %s the service's", async (how, days) => {
  const { fixture } = await broughtFixture([person("ada")]);
  const now = () => Date.now() + days * 86_400_000;
  const text = fixture.text();
  const lastSeen = temporaryFile("seen.csv", "email,last_seen\nada@acme.example,2024-01-01\n");
  const refused = reclaimSeats(await fixture.open(text, { now }), { lastSeen, idleDays: 1 });
  await expect(refused).rejects.toMatchObject({
    code: "clock-skew",
    message: expect.stringContaining(`this machine's clock is 100 days ${how} the service's`),
  });
  expect(fixture.text()).toBe(text);
});
