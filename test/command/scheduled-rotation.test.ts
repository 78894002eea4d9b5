/** Rosters with `rotate_every`: what plans show, what `up` and `renew` do, and what the guards count. */
import { expect, test } from "vitest";
import { planDetails } from "../../command/plan/texts/text.ts";
import { renewTokens, rotateTokens } from "../../command/verbs/tokens.ts";
import { isRotationDue } from "../../provider/resources/rotation-schedule.ts";
import { formatInstant } from "../../provider/util/instants.ts";
import { crowd, person } from "./people.ts";
import { DAY, START, Years } from "./years.ts";

test("rotate_every: a due token is in the plan with its reason, up replaces it, and the next plan is empty", async () => {
  const { years, roster } = await Years.of([person("ada", { rotateEvery: "90d" }), person("bob")]);
  expect((await years.preview(roster)).plan.hasChanges).toBe(false);

  years.clock.now += 91 * DAY;
  const { plan } = await years.preview(roster);
  const [line, ...rest] = planDetails(plan, []).filter((text) => text.includes("@acme.example"));
  expect(line).toMatch(/ada@acme\.example .*replace token .*: rotate_every 90d, issued 2026-08-20$/);
  expect(rest).toEqual([]);
  expect((await years.up(roster)).status).toBe("succeeded");
  expect(await years.calls()).toEqual([9, 7]);
  expect((await years.up(roster)).preview.plan.hasChanges).toBe(false);
  expect(await years.calls()).toEqual([]);
});

test("rotate_every: renew rotates nothing, and renews tokens that are due for both", async () => {
  const rule = { rotateEvery: "90d" };
  const { years, roster } = await Years.of([person("ada", rule), person("bob", rule)]);
  years.clock.now += 91 * DAY;
  const idle = await renewTokens(await years.open(roster), {});
  expect(idle).toMatchObject({ status: "succeeded", preview: { otherChanges: 2 } });
  expect(idle.preview.plan.hasChanges).toBe(false);
  expect(await years.calls()).toEqual([]);

  const expiresAt = "2032-06-30T23:59:59Z";
  await years.renewSubscription(expiresAt);
  const later = { ...roster, subscriptionExpiresAt: expiresAt };
  const renewed = await renewTokens(await years.open(later), {});
  expect(renewed).toMatchObject({ status: "succeeded", applied: { failure: undefined } });
  expect(await years.calls()).toEqual([8, 8]);
  expect((await years.up(later)).status).toBe("succeeded");
  expect((await years.calls()).toSorted()).toEqual([7, 7, 9, 9]);
});

test("rotate_every: orgseat rotate starts a new age, and a committed mark rotates nothing again", async () => {
  const { years, roster } = await Years.of([person("ada", { rotateEvery: "90d" })]);
  const organization = await years.open(roster);
  const userId = (await years.userIds(organization)).get("ada") ?? "";
  const issuedAt = formatInstant(START);
  while (!isRotationDue(userId, { rotateEvery: "90d", issuedAt }, years.clock.now + DAY))
    years.clock.now += DAY;
  expect((await rotateTokens(await years.open(roster), ["ada"], {})).status).toBe("succeeded");
  expect(await years.calls()).toEqual([9, 7]);
  // The slot of the next day follows the new issue, so it rotates once more; then a whole period is quiet.
  years.clock.now += DAY;
  await years.up();
  expect(await years.calls()).toEqual([9, 7]);
  years.clock.now += 88 * DAY;
  const quiet = await years.up();
  expect(quiet.preview.plan.hasChanges).toBe(false);
});

test("rotate_every: the removal limit ignores a rule in force, and counts a new one", async () => {
  const people = crowd(12);
  const { years, roster } = await Years.of(people);
  years.clock.now += 100 * DAY;
  const ruled = { ...roster, people: people.map((one) => ({ ...one, rotateEvery: "30d" })) };
  const first = await years.up(ruled);
  expect(first.status).toBe("blocked");
  expect(first.preview.violations).toMatchObject([{ guard: "removal-limit", people: { length: 12 } }]);
  const approve = first.preview.violations[0]?.override;
  expect((await years.up(ruled, { approve })).status).toBe("succeeded");
  expect(await years.calls()).toHaveLength(24);

  years.clock.now += 31 * DAY;
  expect((await years.up(ruled)).status).toBe("succeeded");
  expect(await years.calls()).toHaveLength(24);
});

test("rotate_every: a protected row cannot have it", async () => {
  const { years, roster } = await Years.of([person("ada")]);
  const people = [person("ada", { rotateEvery: "30d", protected: true })];
  await expect(years.open({ ...roster, people })).rejects.toThrow(
    "a protected person keeps the token, so it cannot be rotated automatically",
  );
});
