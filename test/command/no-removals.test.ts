/** `--no-removals`: nobody loses anything, and everybody else is as declared. */
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { previewAll } from "../../command/preview/preview.ts";
import { renewTokens } from "../../command/verbs/tokens.ts";
import { upAll } from "../../command/verbs/up.ts";
import type { PlatformName } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
import { directFixture, type Fixture, usersLosingAccessIn } from "./fixture.ts";
import { drawnPeople, type NewPerson, person, someOf, withLoss } from "./people.ts";

const rosterOf = (fixture: Fixture, people: readonly NewPerson[]) => ({
  ...{ organizationId: fixture.organizationId, stacks: 1, people },
  subscriptionExpiresAt: fixture.sandbox.service.seed.subscriptionExpiresAt,
});

/** What the service has of each user, by id. */
async function heldIn({ sandbox }: Fixture): Promise<Map<string, object>> {
  const { users, tokens } = await sandbox.service.management.snapshot();
  return new Map(
    users.map(({ userId, email, firstName, seat }) => {
      const own = tokens.filter((token) => token.userId === userId && !token.revoked);
      return [userId, { email, firstName, seat, tokens: own.map(({ expiresAt }) => expiresAt) }];
    }),
  );
}

const platforms: readonly PlatformName[] = ["basic", "anaconda"];

for (const platform of platforms) {
  test(`takes nothing from anybody, and gives everybody else what is declared (${platform})`, async () => {
    const made = await directFixture(1000, platform);
    const fixture = made.beside(join(temporaryFolder(), "people.csv"));
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
      const held = await heldIn(fixture);
      const organization = await fixture.open(rosterOf(fixture, [...after, ...joining]));
      const preview = await previewAll(organization, { noRemovals: true });
      expect(new Set(preview.withheld.map(({ key }) => key))).toEqual(new Set(losers.map(({ key }) => key)));
      const { status, applied } = await upAll(organization, {
        noRemovals: true,
        approvedPlan: preview.document,
      });
      expect(status, JSON.stringify(applied?.results)).toBe("succeeded");
      expect(usersLosingAccessIn(await fixture.done())).toEqual(new Set());
      const now = await heldIn(fixture);
      for (const id of ids.values()) expect(now.get(id)).toEqual(held.get(id));
      const { users, tokens } = await fixture.sandbox.service.management.snapshot();
      for (const { email, purpose, seat, token } of joining) {
        const user = users.find((one) =>
          email === undefined ? one.firstName === purpose : one.email === email,
        );
        expect(user?.seat).toBe(seat);
        expect(tokens.some(({ userId, revoked }) => userId === user?.userId && !revoked)).toBe(token);
      }
      // The next `up` makes what was withheld, and the case after it starts clean.
      const rest = await previewAll(await fixture.reopen(), {});
      const approve = rest.violations.find(({ override }) => override !== undefined)?.override;
      expect(rest.plan.losingAccess.length + rest.plan.entries.length).toBeGreaterThan(0);
      expect((await upAll(await fixture.reopen(), { approve })).status).toBe("succeeded");
      expect((await upAll(await fixture.open(rosterOf(fixture, [])), {})).status).not.toBe("failed");
      await fixture.sandbox.requests();
    });
  });
}

test("a plan that was made with the flag is not applied without it, nor the other way round", async () => {
  const made = await directFixture(1000);
  const fixture = made.beside(join(temporaryFolder(), "people.csv"));
  const [ada, bob] = [person("ada"), person("bob")];
  await fixture.bring(rosterOf(fixture, [ada, bob]));
  const organization = await fixture.open(rosterOf(fixture, [ada]));
  const { document, plan } = await previewAll(organization, { noRemovals: true });
  expect(plan.hasChanges).toBe(false);
  const other = await upAll(organization, { approvedPlan: document });
  expect(other).toMatchObject({ status: "blocked", preview: { violations: [{ guard: "plan-changed" }] } });
  expect(await upAll(organization, { noRemovals: true, approvedPlan: document })).toMatchObject({
    ...{ status: "succeeded", preview: { withheld: [{ key: "bob" }] } },
  });
});

test("renew renews, and withholds the end of an access", async () => {
  const made = await directFixture(1000);
  const fixture = made.beside(join(temporaryFolder(), "people.csv"));
  const end = "2027-01-31";
  const people = [person("ada"), { ...person("bob"), accessUntil: end }];
  await fixture.bring(rosterOf(fixture, people));
  await upAll(await fixture.open(rosterOf(fixture, people)), {});
  await fixture.sandbox.requests();
  const later = () => Date.parse("2027-02-02T00:00:00Z");
  const organization = await fixture.open(rosterOf(fixture, people), { now: later });
  const renewed = await renewTokens(organization, { noRemovals: true });
  expect(renewed).toMatchObject({ status: "succeeded", preview: { withheld: [{ key: "bob" }] } });
  expect(usersLosingAccessIn(await fixture.done())).toEqual(new Set());
});
