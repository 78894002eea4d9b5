/** One `up` over people of whom the service refuses some changes for good: all others are as declared after it. */
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { MemberResult } from "../../command/apply/member-results.ts";
import type { StackOutcome } from "../../command/engine/engine.ts";
import { methodKeys } from "../../command/plan/steps/steps.ts";
import { previewAll } from "../../command/preview/preview.ts";
import { upAll } from "../../command/verbs/up.ts";
import type { FaultRule, PlatformName } from "../../sandbox/service/index.ts";
import { checkCases } from "../setup/cases.ts";
import { DirectEngine } from "../setup/direct-engine.ts";
import { temporaryFolder } from "../setup/sandbox.ts";
import { directFixture, Fixture } from "./fixture.ts";
import { type Draw, drawnPeople, type NewPerson, person, someOf, withLoss } from "./people.ts";

const SEATS = 1000;

/** An engine that may show a failed step by its message alone. */
class TerseEngine extends DirectEngine {
  isTerse = false;

  override async run(...given: Parameters<DirectEngine["run"]>): Promise<StackOutcome> {
    const outcome = await super.run(...given);
    if (!this.isTerse) return outcome;
    const failed = outcome.steps
      .filter((step) => methodKeys(step).some((key) => outcome.states.get(key) === "failed"))
      .flatMap(methodKeys);
    return {
      ...outcome,
      steps: outcome.steps.filter((step) => !methodKeys(step).some((key) => failed.includes(key))),
      states: new Map([...outcome.states].filter(([key]) => !failed.includes(key))),
    };
  }
}

/** What the service refuses about one person: any call about the user, or the creation of the new one. */
function refusalOf(draw: Draw, who: NewPerson, userId: string | undefined): FaultRule {
  const status = draw(() => fc.constantFrom(400, 403, 409, 422));
  const always = { times: "always", fault: { kind: "refuse", status } } as const;
  const name = who.email ?? who.purpose ?? "";
  const isMade = userId === undefined || draw(fc.boolean);
  return isMade
    ? { match: { call: 5, body: `"${name}"` }, ...always }
    : { match: { call: draw(() => fc.constantFrom(7, 8, 9, 10, 11)), userId }, ...always };
}

/**
 * Whose token or seat is not removed for a successor: the service refused somebody else's for a reason that is probably not
 * about that person.
 */
function waitingAfter(faults: readonly FaultRule[], results: readonly MemberResult[]): string[] {
  const isForbidden = faults.some(({ fault }) => "status" in fault && fault.status === 403);
  const isReplaced = ({ actions }: MemberResult) => actions.some((action) => REPLACED.has(action));
  return isForbidden
    ? results.filter((one) => one.status !== "succeeded" && isReplaced(one)).map(({ key }) => key)
    : [];
}

/** What a run removes before it makes the successor. */
const REPLACED: ReadonlySet<string> = new Set(["reissueToken", "replaceToken"]);

/** Who still differs from the roster, in the service or for the next run. */
async function unlike(fixture: Fixture, people: readonly NewPerson[], left: ReadonlyMap<string, string>) {
  const { users, tokens } = await fixture.sandbox.service.management.snapshot();
  const different = people.filter(({ email, purpose, seat, token }) => {
    const user = users.find((one) => (email === undefined ? one.firstName === purpose : one.email === email));
    const hasToken = tokens.some(({ userId, revoked }) => userId === user?.userId && !revoked);
    return user === undefined || user.seat !== seat || hasToken !== token;
  });
  const still = [...left].filter(([, id]) => users.some(({ userId }) => userId === id));
  return new Set([...different.map(({ key }) => key), ...still.map(([key]) => key)]);
}

const platforms: readonly PlatformName[] = ["basic", "anaconda"];

for (const platform of platforms) {
  test(`keeps no one from an accepted change because of another person's refused one (${platform})`, async () => {
    const { sandbox, environment } = await directFixture(SEATS, platform);
    const engine = new TerseEngine(environment);
    const file = join(temporaryFolder(), "people.csv");
    const fixture = new Fixture(sandbox, { engine, file, environment });
    let count = 0;
    let refused = 0;
    const suite = {
      name: `refused changes (${platform})`,
      level: "R",
      cases: 300,
      quick: 25,
      siblings: 2,
    } as const;
    await checkCases(suite, fc.gen(), async (draw) => {
      const mark = `r${count++}`;
      const before = [
        person(`${mark}-owner`),
        ...drawnPeople(draw, draw(fc.integer, { min: 3, max: 9 }), `${mark}-`),
      ];
      const rosterOf = (people: readonly NewPerson[]) => ({
        ...{ organizationId: fixture.organizationId, stacks: 1, people },
        subscriptionExpiresAt: fixture.sandbox.service.seed.subscriptionExpiresAt,
      });
      const ids = await fixture.bring(rosterOf(before));
      const losers = new Set(
        someOf(draw, before.slice(1), draw(fc.integer, { min: 2, max: before.length - 1 })),
      );
      const changed = before.map((one) => {
        const after = losers.has(one) ? withLoss(draw, one, `${one.key}m`) : one;
        return { one, after: after === "dropped" || after.key !== one.key ? undefined : after };
      });
      const joining = drawnPeople(draw, draw(fc.integer, { min: 0, max: 2 }), `${mark}-new`);
      const after = [...changed.flatMap((pair) => pair.after ?? []), ...joining];
      const touched = [
        ...changed.filter(({ one }) => losers.has(one)).map(({ one, after: next }) => next ?? one),
        ...joining,
      ];
      const refusals = someOf(draw, touched, draw(fc.integer, { min: 1, max: Math.min(2, touched.length) }));
      refused += refusals.length;
      const { management } = fixture.sandbox.service;
      const faults = refusals.map((who) => refusalOf(draw, who, ids.get(who.key)));
      await management.addFaults(...faults);
      const organization = await fixture.open(rosterOf(after));
      const preview = await previewAll(organization, {});
      const approve = preview.violations.find(({ override }) => override !== undefined)?.override;
      engine.isTerse = draw(fc.boolean);
      const { status, applied } = await upAll(organization, { approve });
      engine.isTerse = false;
      await management.clearFaults();
      const keys = new Set([
        ...refusals.map(({ key }) => key),
        ...waitingAfter(faults, applied?.results ?? []),
      ]);
      const left = new Map(
        changed.flatMap(({ one, after: next }) =>
          next === undefined || (next.email ?? next.purpose) !== (one.email ?? one.purpose)
            ? [[one.key, ids.get(one.key) ?? ""] as const]
            : [],
        ),
      );
      const wrong = [...(await unlike(fixture, after, left))].filter((key) => !keys.has(key));
      expect(
        { status, wrong },
        (applied?.results ?? []).map((one) => `${one.status} ${one.key}: ${one.text}`).join("\n"),
      ).toEqual({ status, wrong: [] });
      expect(status).not.toBe("blocked");
      // The preview showed all of it.
      expect(applied?.results.filter(({ code }) => code === "not-approved")).toEqual([]);
      const again = (await previewAll(await fixture.reopen(), {})).plan.members;
      const open = again.filter(({ actions, key }) => actions.length > 0 && !keys.has(key));
      expect(open.map(({ key }) => key)).toEqual([]);
      // The next case starts clean.
      await upAll(await fixture.open(rosterOf(after)), {});
    });
    expect(refused).toBeGreaterThan(0);
  });
}
