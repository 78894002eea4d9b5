// @module-tag ci
/**
 * Random histories at level R: a preview for which Pulumi runs only about people whom a run can change says what a preview
 * of everybody says. A person who is left out although something changes would be lost.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, formatInstant } from "../../provider/util/instants.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture } from "./fixture.ts";
import { History } from "./histories.ts";
import type { Draw, NewPerson } from "./people.ts";

const suite: Suite = { name: "automation: narrowed previews", level: "R", cases: 1000, quick: 10 };

/** A service remembers every request and every user, which its snapshots repeat. */
const CASES_PER_SERVICE = 50;

const RECIPIENTS = [
  "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
  "age1lggyhqrw2nlhcxprm67z43rta597azn8gknawjehu9d9dl0jq3yqqvfafg",
];

/** What someone can write into a row, at a time in milliseconds since 1970. */
const edits: readonly ((draw: Draw, person: NewPerson, now: number) => NewPerson)[] = [
  (_, person) => ({ ...person, protected: !person.protected }),
  (draw, person) => ({ ...person, firstName: draw(() => fc.constantFrom(undefined, "Ada", "Grace")) }),
  (draw, person) => ({ ...person, team: draw(() => fc.constantFrom("a", "b")) }),
  (draw, person, now) => ({ ...person, accessUntil: dayOf(draw, now, -3, 40) }),
  (draw, person, now) => withToken(person, { expires: dayOf(draw, now, 0, 400) }),
  (draw, person) =>
    withToken(person, { window: draw(() => fc.constantFrom(undefined, "1d", "30d", "400d")) }),
  (draw, person) => withToken(person, { rotation: draw(() => fc.constantFrom(undefined, "1", "2")) }),
  (draw, person) => withToken(person, { rotateEvery: draw(() => fc.constantFrom(undefined, "7d", "90d")) }),
  (_, person) => withToken(person, { keepValue: person.keepValue === false ? undefined : false }),
  (draw, person) =>
    withToken(person, {
      recipients: draw(() => fc.constantFrom(undefined, ...RECIPIENTS.map((one) => [one]))),
    }),
  (_, person) => ({ ...person, token: !person.token && person.seat }),
  (_, person) => ({ ...person, seat: !person.seat, token: false }),
];

function withToken(person: NewPerson, fields: Partial<NewPerson>): NewPerson {
  return person.token ? { ...person, ...fields } : person;
}

function dayOf(draw: Draw, now: number, from: number, to: number): string | undefined {
  const days = draw(fc.integer, { min: from - 1, max: to });
  return days < from ? undefined : formatInstant(Math.floor(now / DAY_MS + days) * DAY_MS);
}

function edited(draw: Draw, person: NewPerson, now: number): NewPerson {
  const count = draw(fc.integer, { min: -9, max: 3 });
  return Array.from({ length: Math.max(0, count) }).reduce<NewPerson>(
    (one) => draw(() => fc.constantFrom(...edits))(draw, one, now),
    person,
  );
}

/** How many edited states, settings and clocks a step of a history is compared with. */
const VARIANTS = 6;

/** Settings of a run that a stack did not have before. */
const settings: readonly Readonly<Record<string, string>>[] = [
  { ORGSEAT_PLATFORM: "anaconda" },
  { ORGSEAT_PRODUCT: "x" },
  { ORGSEAT_SUBSCRIPTION_EXPIRES_AT: "2030-01-01T00:00:00Z" },
  { ORGSEAT_SUBSCRIPTION_EXPIRES_AT: "2027-02-01T00:00:00Z" },
  { ORGSEAT_SUBSCRIPTION_EXPIRES_AT: "tomorrow" },
  { ORGSEAT_REQUIRE_SEALED_TOKENS: "true" },
  { ORGSEAT_ORGANIZATION_ID: "other-organization" },
  { ORGSEAT_PLAN_TIME: "2028-01-01T00:00:00Z" },
];

function configured(draw: Draw): Readonly<Record<string, string>> {
  const isChanged = draw(fc.integer, { min: 0, max: 2 }) === 0;
  return isChanged ? draw(() => fc.constantFrom(...settings)) : {};
}

test("histories of every edit of a row, of kills, lost answers, older states, hand edits and moved clocks: a narrowed preview leaves out nobody whom a run would change", async () => {
  const start = Date.now();
  let clock = start;
  const fresh = async () => {
    const fixture = await directFixture(100_000);
    return { fixture, proxy: await CutoffProxy.to(fixture.sandbox.service.orgUrl) };
  };
  let { fixture, proxy } = await fresh();
  let count = 0;
  const people = { unchanged: 0, asked: 0 };
  const variants = { count: 0, unchanged: 0, asked: 0 };
  await checkCases(suite, fc.gen(), async (draw) => {
    if (count > 0 && count % CASES_PER_SERVICE === 0) {
      await fixture.sandbox.service.close();
      ({ fixture, proxy } = await fresh());
    }
    clock = start;
    const engine = new DirectEngine(fixture.environment, () => clock);
    const history = new History(fixture, engine, proxy, `n${count++}`, () => clock);
    const steps = 1 + draw(fc.integer, { min: 0, max: 3 });
    for (let step = 0; step < steps; step++) {
      await history.goOn(draw);
      const { unchanged, asked } = await history.compare(draw, (person) => edited(draw, person, clock));
      people.unchanged += unchanged;
      people.asked += asked;
      for (let variant = 0; variant < VARIANTS; variant++) {
        const now = clock;
        clock += draw(() => fc.constantFrom(0, 0, 0, -30, 1, 20, 60, 400)) * DAY_MS;
        const found = await history.compareEdited(
          draw,
          (person) => edited(draw, person, clock),
          configured(draw),
        );
        clock = now;
        variants.count += 1;
        variants.unchanged += found.unchanged;
        variants.asked += found.asked;
      }
      clock += draw(() => fc.constantFrom(0, 0, 1, 20, 60)) * DAY_MS;
    }
  });
  console.log(`asked Pulumi about ${people.asked} of ${people.unchanged} people whom nothing changes`);
  console.log(
    `${variants.count} edited states: asked about ${variants.asked} of ${variants.unchanged} people whom nothing changes`,
  );
  // Chance decides about few people.
  expect(people.asked).toBeLessThan(people.unchanged / 2 + 2 * Math.sqrt(people.unchanged));
});
