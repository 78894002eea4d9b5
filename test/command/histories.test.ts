/** Random histories at level R: what a preview showed, plus nothing, is what the service has; every result is true. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkCases, type Suite } from "../setup/cases.ts";
import { CutoffProxy } from "../setup/cutoff-proxy.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { directFixture } from "./fixture.ts";
import { History, SEATS } from "./histories.ts";

/** A service remembers every request and every user, which its snapshots repeat. */
const CASES_PER_SERVICE = 50;

/** How many live tokens a user has at most. */
type LiveTokens = "one" | "several";

async function freshService(platform: PlatformName, liveTokens: LiveTokens) {
  const fixture = await directFixture(SEATS, platform);
  await fixture.sandbox.service.management.setSwitches({ liveTokens });
  return { fixture, proxy: await CutoffProxy.to(fixture.sandbox.service.orgUrl) };
}

describe("histories of joins, leaves, rotations, kills, lost answers, hand edits, second rosters, old states, adoptions, renewals, swaps and stopped rosters", () => {
  test.each<[PlatformName, LiveTokens, number]>([
    ["basic", "one", 1000],
    ["anaconda", "several", 300],
    ["anaconda", "one", 300],
  ])(
    "nothing happens on %s, with %s live for each user, that no preview showed, in numbers too, and every result is true",
    async (platform, liveTokens, cases) => {
      let { fixture, proxy } = await freshService(platform, liveTokens);
      const seen = new Map<string, number>();
      let count = 0;
      const name = `automation: histories on ${platform}, ${liveTokens} live`;
      const suite: Suite = { name, level: "R", cases, quick: cases / 50, siblings: 3 };
      await checkCases(suite, fc.gen(), async (draw) => {
        if (count > 0 && count % CASES_PER_SERVICE === 0) {
          await fixture.sandbox.service.close();
          ({ fixture, proxy } = await freshService(platform, liveTokens));
        }
        const engine = new DirectEngine(fixture.environment);
        const history = new History(fixture, engine, proxy, `h${count++}`);
        const steps = 3 + draw(fc.integer, { min: 0, max: 5 });
        for (let step = 0; step < steps; step++) {
          const happening = await history.goOn(draw);
          seen.set(happening, (seen.get(happening) ?? 0) + 1);
        }
      });
      expect(seen.size, "everything has happened").toBeGreaterThan(platform === "basic" ? 10 : 5);
    },
  );
});
