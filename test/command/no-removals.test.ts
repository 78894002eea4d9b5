/** `--no-removals`: nobody loses anything, and everybody else is as declared. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { previewOf } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { directFixture, type Fixture, usersLosingAccessIn } from "./fixture.ts";
import { drawnPeople, type NewPerson, person, someOf, withLoss } from "./people.ts";

const rosterOf = (fixture: Fixture, people: readonly NewPerson[]) => ({
  ...{ organizationId: fixture.organizationId, people },
  subscriptionExpiresAt: fixture.sandbox.service.seed.subscriptionExpiresAt,
});

const platforms: readonly PlatformName[] = ["basic", "anaconda"];

for (const platform of platforms) {
  test(`takes nothing from anybody, and gives everybody else what is declared (${platform})`, async () => {
    const fixture = await directFixture(1000, platform);
    let count = 0;
    const suite = {
      name: `no removals (${platform})`,
      level: "R",
      cases: 150,
      quick: 10,
      siblings: 2,
    } as const;
    await checkCases(suite, fc.gen(), async (draw) => {
      const mark = `n${count++}`;
      const before = [
        person(`${mark}-owner`),
        ...drawnPeople(draw, draw(fc.integer, { min: 2, max: 6 }), `${mark}-`),
      ];
      const ids = await fixture.bring(rosterOf(fixture, before));
      const losers = someOf(draw, before.slice(1), draw(fc.integer, { min: 1, max: before.length - 1 }));
      const joining = drawnPeople(draw, draw(fc.integer, { min: 0, max: 3 }), `${mark}-new`);
      const after = before.flatMap((one) => {
        const next = losers.includes(one) ? withLoss(draw, one, `${one.key}m`) : one;
        return next === "dropped" ? [] : next;
      });
      const held = await fixture.held();
      const organization = await fixture.open(rosterOf(fixture, [...after, ...joining]));
      const preview = await previewOf(organization, { noRemovals: true });
      expect(new Set(preview.withheld.map(({ key }) => key))).toEqual(new Set(losers.map(({ key }) => key)));
      const { status, applied } = await upAll(organization, {
        noRemovals: true,
        approvedPlan: preview.document,
      });
      expect(status, JSON.stringify(applied?.results)).toBe("succeeded");
      expect(usersLosingAccessIn(await fixture.done())).toEqual(new Set());
      const now = await fixture.held();
      for (const id of ids.values()) expect(now.get(id)).toEqual(held.get(id));
      for (const one of joining) {
        const found = await fixture.heldBy(one);
        expect([found?.seat, found?.tokens.length]).toEqual([one.seat, one.token ? 1 : 0]);
      }
      // The next `up` makes what was withheld, and the case after it starts clean.
      const rest = await fixture.preview();
      const approve = rest.violations.find(({ override }) => override !== undefined)?.override;
      expect(rest.plan.losingAccess.length + rest.plan.entries.length).toBeGreaterThan(0);
      expect((await fixture.up(undefined, { approve })).status).toBe("succeeded");
      expect((await fixture.up(rosterOf(fixture, []))).status).not.toBe("failed");
      await fixture.sandbox.requests();
    });
  });
}
