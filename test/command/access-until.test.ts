/** Rosters with `access_until`: what plans show, what `up` and `renew` do, and what the guards refuse. */
import { expect, test } from "vitest";
import { previewToText } from "../../command/cli/results.ts";
import { previewToJson } from "../../command/cli/results-json.ts";
import { planToJson } from "../../command/plan/texts/json.ts";
import { planToMarkdown } from "../../command/plan/texts/markdown.ts";
import { planDetails } from "../../command/plan/texts/text.ts";
import { reportForms } from "../../command/report/report.ts";
import { adoptPeople } from "../../command/verbs/adopt.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { reportOf } from "../../command/verbs/report-all.ts";
import { renewTokens, rotateTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import { crowd, type NewPerson, person } from "./people.ts";
import { DAY, Years } from "./years.ts";

const END = "2026-12-31T23:59:59Z";
const AFTER = Date.parse("2027-01-01T02:00:00Z");
const others = ["bob", "cem", "dee"].map((key) => person(key));
const ada = (more: Partial<NewPerson> = {}): NewPerson => person("ada", { accessUntil: END, ...more });
const REASON = "access ended on 2026-12-31 (access_until)";
/** Revoke token, remove seat, remove user. */
const REMOVAL = [9, 10, 11];

test("access_until: warned from 14 days before, removed by the first up after it, and then left alone", async () => {
  const { years, roster } = await Years.of([ada(), ...others]);
  const quiet = await years.preview(roster);
  expect(quiet).toMatchObject({ plan: { hasChanges: false }, accessEnds: [] });

  years.clock.now = Date.parse(END) - 14 * DAY;
  const warned = await years.preview(roster);
  expect(warned.plan.hasChanges).toBe(false);
  expect(warned.accessEnds).toEqual([
    { key: "ada", who: "ada@acme.example", accessUntil: END, status: "endsSoon" },
  ]);
  const title = "Access ends within 14 days (access_until)";
  expect(previewToText(warned)).toContain(`${title} (1): ada@acme.example (2026-12-31)`);
  expect(planToMarkdown({ ...warned, undecided: [] })).toContain(
    `${title}: \`ada@acme.example (2026-12-31)\``,
  );
  expect(previewToJson(warned).accessEnds).toEqual(warned.accessEnds);
  years.clock.now = Date.parse(END) - 1000;
  expect((await years.up()).preview.plan.hasChanges).toBe(false);
  expect(await years.calls()).toEqual([]);

  years.clock.now = AFTER;
  const { plan, accessEnds } = await years.preview();
  const [line = ""] = planDetails(plan, []).filter((text) => text.includes("ada@acme.example"));
  expect(line.endsWith(`: ${REASON}`)).toBe(true);
  expect(planToJson(plan).people).toMatchObject([{ key: "ada", reasons: [REASON] }]);
  expect(accessEnds).toEqual([]);
  expect((await years.up()).status).toBe("succeeded");
  expect(await years.calls()).toEqual(REMOVAL);

  const later = await years.up();
  expect(later).toMatchObject({ status: "succeeded", preview: { plan: { hasChanges: false } } });
  expect(later.preview.accessEnds).toMatchObject([{ key: "ada", status: "ended" }]);
  expect(await years.calls()).toEqual([]);
});

test("access_until: renew removes people whose access has ended and nobody else, and renews", async () => {
  const soon = { expires: "2027-01-31T00:00:00Z" };
  const [bob, ...left] = others;
  const { years, roster } = await Years.of([ada(), ...others, person("eve", soon)]);
  years.clock.now = AFTER;
  await years.renewSubscription();
  // The row of bob is deleted, too; that waits for `up`.
  const later = { ...roster, people: [ada(), ...left, person("eve")] };
  const declined = await renewTokens(await years.open(later), { confirm: async () => false });
  expect(declined.status).toBe("declined");
  expect(await years.calls()).toEqual([]);

  const result = await renewTokens(await years.open(later), {});
  expect(result).toMatchObject({ status: "succeeded", preview: { otherChanges: 1 } });
  expect(result.preview.plan.losingAccess).toMatchObject([{ key: "ada", reasons: [REASON] }]);
  expect((await years.calls()).toSorted((a, b) => a - b)).toEqual([8, ...REMOVAL]);
  expect([...(await years.userIds(await years.open())).keys()]).toContain(bob?.key);
});

test("access_until: with on_delete: retain the person stays a member", async () => {
  const { years, roster } = await Years.of([ada(), ...others]);
  const released = { ...roster, onDelete: "retain" as const };
  await years.up(released);
  years.clock.now = AFTER;
  const { preview, status } = await years.up(released);
  expect(status).toBe("succeeded");
  expect(planToJson(preview.plan).people).toMatchObject([{ key: "ada", reasons: [REASON] }]);
  expect((await years.calls()).includes(11)).toBe(false);
});

test("access_until: the removal limit, protection and an emptied roster block up and renew", async () => {
  const many = crowd(5, { accessUntil: END });
  const { years, roster } = await Years.of([...many, ...others], 20);
  years.clock.now = AFTER;
  for (const run of [upAll, renewTokens]) {
    const limited = await run(await years.open(roster), {});
    expect(limited.preview.violations).toMatchObject([{ guard: "removal-limit", people: { length: 5 } }]);
    const [first = ada(), ...rest] = many.map((one, index) =>
      index === 0 ? one : { ...one, accessUntil: undefined },
    );
    const none = await run(
      await years.open({ ...roster, people: [first, ...rest, ...others], maxRemovals: 0 }),
      {},
    );
    expect(none.preview.violations).toMatchObject([{ guard: "removal-limit", people: [first.email] }]);
    const guarded = [...many.slice(0, 1).map((one) => ({ ...one, protected: true })), ...others];
    const blocked = await run(await years.open({ ...roster, people: guarded }), {});
    expect(blocked.preview.violations.map(({ guard }) => guard)).toContain("protected-person");
    const people = [...many, ...others].map((one) => ({ ...one, accessUntil: END }));
    const emptied = await run(await years.open({ ...roster, people }), {});
    expect(emptied.preview.violations).toMatchObject([{ guard: "empty-roster" }]);
    expect(emptied.preview.violations[0]?.text).toContain("every `access_until` of the roster has passed");
  }
  expect(await years.calls()).toEqual([]);
});

test("access_until: rows and seats count the rows of the file and the seats of the people with access", async () => {
  const { years, roster } = await Years.of(others, 3);
  years.clock.now = AFTER;
  const result = await years.up({ ...roster, people: [ada(), ...others], rows: 4, seats: 3 });
  expect(result).toMatchObject({ status: "succeeded", preview: { violations: [] } });
});

test("access_until: rotate names the end, and leaves ended people out of --all", async () => {
  const { years, roster } = await Years.of([ada(), ...others]);
  years.clock.now = AFTER;
  await expect(rotateTokens(await years.open(roster), ["ada"], {})).rejects.toThrow(
    `cannot rotate ada@acme.example: ${REASON}`,
  );
  const { status, edit, preview } = await rotateTokens(await years.open(roster), "all", {});
  expect(status).toBe("succeeded");
  expect(edit).toContain("+ada,ada@acme.example,2026-12-31,\n");
  expect(preview.plan.losingAccess.map(({ key }) => key)).toEqual(["bob", "cem", "dee"]);
});

test("access_until: offboard removes a person whose access has ended", async () => {
  const { years, roster } = await Years.of([ada(), ...others]);
  years.clock.now = AFTER;
  const offboarded = await offboardPeople(await years.open(roster), ["ada"], {});
  expect(offboarded.status).toBe("succeeded");
  expect((await years.calls()).filter((call) => call > 8)).toEqual(expect.arrayContaining([9, 10, 11]));
});

test("access_until: the report names who ends soon and who has ended, in all forms", async () => {
  const eve = person("eve", { accessUntil: "2027-01-10T23:59:59Z" });
  const { years, roster } = await Years.of([ada(), ...others, eve]);
  const late = { ...roster, people: [...roster.people, person("late", { accessUntil: END })] };
  years.clock.now = AFTER;
  const report = await reportOf(await years.open(late), {});
  const of = (who: string) => report.people.find(({ key }) => key === who);
  expect(of("ada")).toMatchObject({ inState: true, access: { until: END, daysLeft: -1, status: "ended" } });
  expect(of("eve")).toMatchObject({ access: { daysLeft: 9, status: "endsSoon" } });
  expect(of("bob")?.access).toBeNull();
  const text = reportForms.text(report);
  expect(text).toContain("Access has ended: 1. The next `orgseat up` or `orgseat renew`");
  expect(text).toContain("Access ends within 14 days: 1.");
  expect(text).not.toContain("In the roster but not in any state");
  const [head = "", ...lines] = reportForms.csv(report).split("\n");
  const at = head.split(",").indexOf("access_status");
  const statuses = lines.flatMap((line) => line.split(",")[at] || []);
  expect(statuses.toSorted()).toEqual(["ended", "ended", "endsSoon"]);
  expect(reportForms.html(report)).toContain('<th scope="col">Access until</th>');
});

test("access_until: a row with a user id whose access has ended is not adopted", async () => {
  const { years, roster } = await Years.of(others);
  const userId = await years.makeMember(ada());
  await years.done();
  years.clock.now = AFTER;
  const late = { ...roster, people: [ada({ userId, token: false }), ...others] };
  const { status, preview } = await adoptPeople(await years.open(late), {});
  expect(status).toBe("succeeded");
  expect(preview.plan.hasChanges).toBe(false);
  expect(preview.accessEnds).toMatchObject([{ key: "ada", status: "ended" }]);
  expect(await years.calls()).toEqual([]);
});
