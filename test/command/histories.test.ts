/** Random histories at level R: what a preview showed, plus nothing, is what the service has; every result is true. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCases, type Suite } from "../setup/cases.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture } from "./fixture.ts";
import { History, SEATS } from "./histories.ts";

const suite: Suite = { name: "automation: histories", level: "R", cases: 1000, quick: 20 };

/** A service remembers every request and every user, which its snapshots repeat. */
const CASES_PER_SERVICE = 50;

async function freshService() {
  const fixture = await directFixture(SEATS);
  return { fixture, proxy: await CutoffProxy.to(fixture.sandbox.service.orgUrl) };
}

test("histories of joins, leaves, rotations, kills, lost answers, hand edits, second rosters, old states, adoptions, renewals, swaps and stopped rosters: nothing happens that no preview showed, in numbers too, and every result is true", async () => {
  let { fixture, proxy } = await freshService();
  const seen = new Map<string, number>();
  let count = 0;
  await checkCases(suite, fc.gen(), async (draw) => {
    if (count > 0 && count % CASES_PER_SERVICE === 0) {
      await fixture.sandbox.service.close();
      ({ fixture, proxy } = await freshService());
    }
    const engine = new DirectEngine(fixture.environment);
    const history = new History(fixture, engine, proxy, `h${count++}`);
    const steps = 3 + draw(fc.integer, { min: 0, max: 5 });
    for (let step = 0; step < steps; step++) {
      const happening = await history.goOn(draw);
      seen.set(happening, (seen.get(happening) ?? 0) + 1);
    }
  });
  expect(seen.size, "everything has happened").toBeGreaterThan(10);
});
