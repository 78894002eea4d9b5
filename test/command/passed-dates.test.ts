/** Dates that pass between an approved plan and its run, and people whose own date has passed, in simulated time. */
import { expect, test } from "vitest";
import { describeResult } from "../../command/cli/result-lines.ts";
import type { PlanDocument } from "../../command/plan/document.ts";
import { planDetails } from "../../command/plan/texts/text.ts";
import { previewOf } from "../../command/preview/preview.ts";
import { offboardPeople } from "../../command/verbs/offboard.ts";
import { type UpResult, upAll } from "../../command/verbs/up.ts";
import { formatInstant, instantMs } from "../../provider/util/instants.ts";
import { checkedRun } from "./entry-properties.ts";
import { completedCallsIn } from "./fixture.ts";
import { type NewPerson, type NewRoster, person } from "./people.ts";
import { DAY, START, Years } from "./years.ts";

const ends = formatInstant(START + 5 * DAY);
/** Each becomes due between the plan and the run. */
const waiting: readonly (readonly [what: string, dated: NewPerson, calls: readonly number[]])[] = [
  ["access that ends", person("ada", { accessUntil: ends }), [9, 10, 11]],
  ["a rotation that becomes due", person("ada", { rotateEvery: "8d" }), [9, 7]],
  [
    "a renewal whose window begins",
    person("ada", { expires: formatInstant(START + 15 * DAY), window: "10d" }),
    [8],
  ],
];

async function approved(years: Years, roster: NewRoster): Promise<PlanDocument> {
  const planTime = formatInstant(years.clock.now);
  return (await previewOf(await years.open(roster, { planTime }), {})).document;
}

/** Applies an approved plan, however late. @returns the writes that the service has done */
async function applied(
  years: Years,
  roster: NewRoster,
  plan: PlanDocument,
): Promise<UpResult & { readonly calls: readonly number[] }> {
  const organization = await years.open(roster, { planTime: plan.time });
  const result = await checkedRun(years, organization, (opened) => upAll(opened, { approvedPlan: plan }));
  return { ...result, calls: completedCallsIn(result.requests).map(({ call }) => call) };
}

test.each(waiting)("%s waits for the run after that of the plan", async (_what, dated, calls) => {
  const { years, roster } = await Years.of([{ ...dated, accessUntil: undefined }, person("bob")]);
  const joining = { ...roster, people: [dated, person("bob"), person("new")] };
  const plan = await approved(years, joining);
  years.clock.now += 10 * DAY;
  const result = await applied(years, joining, plan);
  expect(result).toMatchObject({ status: "succeeded", preview: { violations: [] } });
  expect(result.preview.document.digest).toBe(plan.digest);
  expect(result.calls).toEqual([5, 6, 7]);
  await years.renewSubscription();
  expect((await years.up(joining)).status).toBe("succeeded");
  expect(await years.calls()).toEqual(calls);
});

test("makes a removal and a rotation of the plan, however late the run is", async () => {
  const others = [person("bob", { rotateEvery: "8d" }), person("eve"), person("zoe")];
  const { years, roster: before } = await Years.of([person("ada"), ...others]);
  const roster = { ...before, people: [person("ada", { accessUntil: ends }), ...others] };
  years.clock.now += 10 * DAY;
  const plan = await approved(years, roster);
  expect(instantMs(plan.time)).toBe(years.clock.now);
  years.clock.now += 10 * DAY;
  const { status, calls } = await applied(years, roster, plan);
  expect(status).toBe("succeeded");
  expect(calls.toSorted((a, b) => a - b)).toEqual([7, 9, 9, 10, 11]);
});

const past = person("ada", { expires: ends });

test("offboard removes a person whose own date has passed", async () => {
  const { years, roster } = await Years.of([past, person("bob")]);
  years.clock.now += 10 * DAY;
  expect((await offboardPeople(await years.open(roster), ["ada"], {})).status).toBe("succeeded");
  expect(await years.calls()).toEqual([9, 10, 11]);
});

test.each([
  [
    "asks for a new value after its date",
    past,
    { ...past, rotation: "2" },
    "cannot issue a new token: its date has passed",
    "it would already be expired",
  ],
  [
    "moves the date into the past",
    person("ada", { expires: formatInstant(START + 90 * DAY) }),
    past,
    "cannot move the token's expiry back: the date has passed",
    `cannot move the expiry of the token of ada@acme.example back to ${ends}`,
  ],
])("a row that %s fails alone", async (_, before, after, planned, said) => {
  const { years, roster } = await Years.of([before, person("bob")]);
  years.clock.now += 10 * DAY;
  const wanted = { ...roster, people: [after, person("bob", { rotation: "2" })] };
  expect(planDetails((await years.preview(wanted)).plan, [])).toContainEqual(
    expect.stringContaining(planned),
  );
  const { applied } = await years.up(wanted);
  const results = applied?.results.map((one) => describeResult(one));
  expect(results).toEqual([expect.stringMatching(/^failed/), expect.stringMatching(/^ok .*bob/)]);
  expect(results?.[0]).toContain(said);
  expect(await years.calls()).toEqual([9, 7]);
});
